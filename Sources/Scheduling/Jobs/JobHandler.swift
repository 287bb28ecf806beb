// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

/// Does the runs of jobs that a store cannot do by itself: calls webhooks, or runs code.
public protocol JobHandler: Sendable {
    /// Makes one attempt at a run.
    ///
    /// The task is cancelled when the deadline is over, the lease is lost or the process ends; what is returned then does not
    /// count. Another attempt may be made after it, here or in another process: it has the same run id. One that does not heed
    /// being cancelled keeps the run until it returns.
    /// - Parameter claimed: the run and its job.
    /// - Returns: what the attempt came to.
    /// - Throws: `StoreError` where the store could not be asked, so that nothing was done: where that passes, another attempt
    ///   is made when the lease has lapsed, also without retries. Any other error is the run's end.
    func run(_ claimed: ClaimedJobRun) async throws -> JobRunEnd
}

/// Does no run: for schedulers of which no job needs more than the store.
public struct NoJobHandler: JobHandler {
    /// A handler that fails every run.
    public init() {}

    /// Fails.
    public func run(_ claimed: ClaimedJobRun) async -> JobRunEnd {
        JobRunEnd(.failed, message: "This scheduler cannot do jobs of this kind.")
    }
}
