// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule
import NIOCore

/// The jobs that wait for free streams, oldest first.
///
/// A value without synchronization: the lock of its owner protects it, and the ``SendOperation/progress`` of every job in it.
struct WorkQueue {
    private var jobs: Deque<SendOperation> = []

    /// How many targets wait.
    private(set) var count = 0

    mutating func append(_ job: SendOperation) {
        self.count += job.count
        job.progress.isQueued = true
        self.jobs.append(job)
    }

    /// Removes targets of one job from the queue.
    ///
    /// - Returns: the part of a job; `nil` if no stream is free for queued targets.
    mutating func take(limit: Int) -> WorkChunk? {
        self.dropEmpty()
        guard limit > 0, let job = self.jobs.first else { return nil }
        var slice = WorkChunk(job: job)
        if job.progress.resends.isEmpty {
            let end = min(job.count, job.progress.next + limit)
            slice.indices = job.progress.next..<end
            job.progress.next = end
        } else {
            slice.resends = job.progress.resends.suffix(limit)
            job.progress.resends.removeLast(slice.resends.count)
        }
        self.count -= slice.count
        if job.progress.next == job.count, job.progress.resends.isEmpty {
            job.progress.isQueued = false
            self.jobs.removeFirst()
        }
        return slice
    }

    /// Puts a target back, before everything else.
    mutating func putBack(_ index: Int, of job: SendOperation) {
        self.count += 1
        job.progress.resends.append(Int32(index))
        guard !job.progress.isQueued else { return }
        job.progress.isQueued = true
        self.jobs.prepend(job)
    }

    /// Removes the queued targets of one job, whose empty entry leaves the queue later.
    mutating func remove(_ job: SendOperation) -> UnsentTargets? {
        guard job.progress.isQueued else { return nil }
        let indices = job.progress.resends.map(Int.init) + Array(job.progress.next..<job.count)
        job.progress.resends = []
        job.progress.next = job.count
        self.count -= indices.count
        return indices.isEmpty ? nil : UnsentTargets(job: job, indices: indices)
    }

    /// Removes the queued targets of the jobs that meet a condition, in one pass.
    mutating func remove(where condition: (SendOperation) -> Bool) -> [UnsentTargets] {
        var removed: [UnsentTargets] = []
        for job in self.jobs where condition(job) { if let unsent = self.remove(job) { removed.append(unsent) } }
        if !removed.isEmpty { self.jobs.removeAll(where: Self.leavesEmpty) }
        return removed
    }

    /// Removes the jobs at the head whose deadlines have passed.
    mutating func removeLate(now: NIODeadline) -> [UnsentTargets] {
        var late: [UnsentTargets] = []
        self.dropEmpty()
        while let job = self.jobs.first, job.deadline <= now {
            if let unsent = self.remove(job) { late.append(unsent) }
            self.dropEmpty()
        }
        return late
    }

    private mutating func dropEmpty() {
        while let job = self.jobs.first, Self.leavesEmpty(job) { self.jobs.removeFirst() }
    }

    /// Whether a queued job has no queued targets; records that it leaves the queue then.
    private static func leavesEmpty(_ job: SendOperation) -> Bool {
        guard job.progress.next == job.count, job.progress.resends.isEmpty else { return false }
        job.progress.isQueued = false
        return true
    }
}

/// A part of a job that a connection has taken upon itself.
struct WorkChunk {
    let job: SendOperation
    /// Targets that go out for the first time.
    var indices: Range<Int> = 0..<0
    /// Targets that go out again.
    var resends: ArraySlice<Int32> = []

    var count: Int { self.indices.count + self.resends.count }
}

/// A target that came back from a connection, to be sent again.
struct RetryTarget {
    let job: SendOperation
    let index: Int
    /// The outcome if the target has reached the maximum number of retries; `nil` if this attempt does not count,
    /// because the server did not process it.
    let fallback: SendOutcome?

    /// Ends the target, which is not sent again.
    func end(as outcome: SendOutcome) {
        self.job.record(outcome, at: self.index)
        self.job.finish(1)
    }
}

/// Targets of a job that were taken out of the queue, and are not sent, or not again.
struct UnsentTargets {
    let job: SendOperation
    let indices: [Int]
    /// The outcomes of targets with earlier attempts, which may have reached APNs.
    let outcomes: [Int: SendOutcome]

    /// Made under the lock of the pool, like everything that reads ``SendOperation/progress``.
    init(job: SendOperation, indices: [Int]) {
        self.job = job
        self.indices = indices
        self.outcomes = job.progress.attempts.mapValues(\.outcome)
    }

    /// All targets of a job that is in no queue yet.
    init(all job: SendOperation) {
        self.init(job: job, indices: Array(0..<job.count))
    }

    /// Ends the targets: those that were never sent fail with `failure`.
    func fail(with failure: SendFailure) {
        self.job.fail(self.indices, with: failure, except: self.outcomes)
    }
}
