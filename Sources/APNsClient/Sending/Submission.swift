// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Synchronization

/// A batch that is sent without a task that waits for it; see ``APNsClient/submit(_:to:lane:)``.
///
/// It is submitted once.
public final class Submission: Sendable {
    private struct State {
        var queued: (job: SendOperation, pool: ConnectionPool)?
        var isCancelled = false
    }

    private let batch: SendBatch
    private let deadline: Duration
    private let completion: @Sendable ([SendOutcome]) -> Void
    private let state = Mutex(State())

    /// Creates a submission that is not sent yet.
    ///
    /// - Parameters:
    ///   - batch: the notification and its targets.
    ///   - deadline: the time that each target may wait and be in flight.
    ///   - completion: called once, with an outcome for each target in their order. It runs on an event loop of the
    ///     client, or in the call that submits or cancels, so it must return quickly.
    public init(
        _ batch: SendBatch,
        deadline: Duration,
        completion: @escaping @Sendable ([SendOutcome]) -> Void
    ) {
        self.batch = batch
        self.deadline = deadline
        self.completion = completion
    }

    /// Fails the targets that were not sent with `cancelled`; those in flight keep their outcomes.
    public func cancel() {
        let queued = self.state.withLock { state in
            state.isCancelled = true
            return state.queued
        }
        if let queued { queued.pool.cancel(queued.job) }
    }

    func fail(with failure: SendFailure) {
        self.completion(Array(repeating: .failed(failure), count: self.batch.tokens.count))
    }

    /// Creates the job of the batch; `nil` if there is nothing to send, or it was cancelled.
    ///
    /// The job uses the pool until it is complete.
    func makeJob(in pool: ConnectionPool) -> SendOperation? {
        guard self.batch.tokens.count > 0 else {
            self.completion([])
            return nil
        }
        // Otherwise a connection could take targets before ``isQueued(_:in:)``.
        if self.state.withLock(\.isCancelled) {
            self.fail(with: ConnectionPool.cancelled)
            return nil
        }
        pool.beginUse()
        let due = NIODeadline.now() + TimeAmount(self.deadline)
        return SendOperation(self.batch, deadline: due) { [completion] outcomes in
            pool.endUse()
            completion(outcomes)
        }
    }

    /// Records that the job is in the queue of a pool.
    func isQueued(_ job: SendOperation, in pool: ConnectionPool) {
        let isCancelled = self.state.withLock { state in
            state.queued = (job, pool)
            return state.isCancelled
        }
        if isCancelled { pool.cancel(job) }
    }
}
