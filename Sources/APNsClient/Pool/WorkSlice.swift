// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A part of a job that a connection has taken upon itself.
struct WorkSlice {
    let job: SendJob
    /// Targets that go out for the first time.
    var indices: Range<Int> = 0..<0
    /// Targets that go out again.
    var resends: ArraySlice<Int32> = []

    var count: Int { self.indices.count + self.resends.count }
}

/// A target that came back from a connection, to be sent again.
struct ReturnedTarget {
    let job: SendJob
    let index: Int
    /// What is recorded when the target has been sent again often enough; `nil` when it does not count as an
    /// attempt, because the server never looked at it.
    let fallback: SendOutcome?

    /// Ends the target, which is not sent again.
    func end(as outcome: SendOutcome) {
        self.job.record(outcome, at: self.index)
        self.job.finish(1)
    }
}

/// Targets of a job that were taken out of the queue, and are not sent, or not again.
struct UnsentTargets {
    let job: SendJob
    let indices: [Int]
    /// What came of those that had been sent before: they may have reached APNs, and come to that.
    let outcomes: [Int: SendOutcome]

    /// Made under the lock of the pool, like everything that reads ``SendJob/progress``.
    init(job: SendJob, indices: [Int]) {
        self.job = job
        self.indices = indices
        self.outcomes = job.progress.attempts.mapValues(\.outcome)
    }

    /// Ends the targets: those that were never sent come to `failure`.
    func fail(with failure: SendFailure) {
        self.job.fail(self.indices, with: failure, except: self.outcomes)
    }
}
