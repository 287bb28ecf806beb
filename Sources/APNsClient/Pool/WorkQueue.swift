// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule
import NIOCore

/// The jobs that wait for free streams, urgent ones first, oldest first within a lane.
///
/// A value without a lock: its owner guards it, and with it the ``SendJob/progress`` of every job in it.
struct WorkQueue {
    private var urgent: Deque<SendJob> = []
    private var bulk: Deque<SendJob> = []

    /// How many targets wait.
    private(set) var count = 0

    /// Whether urgent jobs wait.
    var hasUrgent: Bool { !self.urgent.isEmpty }

    mutating func append(_ job: SendJob) {
        self.count += job.count
        job.progress.isQueued = true
        self.withLane(of: job) { $0.append(job) }
    }

    /// Takes targets of one job out of the queue.
    ///
    /// - Parameters:
    ///   - limit: how many streams are free.
    ///   - bulkLimit: how many of them bulk work may take.
    /// - Returns: the part of a job; `nil` where nothing waits for which a stream is free.
    mutating func take(limit: Int, bulkLimit: Int) -> WorkSlice? {
        Self.dropEmpty(from: &self.urgent)
        Self.dropEmpty(from: &self.bulk)
        if let job = self.urgent.first { return self.take(from: job, limit: limit) }
        if let job = self.bulk.first { return self.take(from: job, limit: bulkLimit) }
        return nil
    }

    private mutating func take(from job: SendJob, limit: Int) -> WorkSlice? {
        guard limit > 0 else { return nil }
        var slice = WorkSlice(job: job)
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
            self.withLane(of: job) { _ = $0.popFirst() }
        }
        return slice
    }

    /// Puts a target back, before everything else of its lane.
    mutating func putBack(_ index: Int, of job: SendJob) {
        self.count += 1
        job.progress.resends.append(Int32(index))
        guard !job.progress.isQueued else { return }
        job.progress.isQueued = true
        self.withLane(of: job) { $0.prepend(job) }
    }

    /// Takes out what waits of one job, whose empty shell leaves its lane later.
    mutating func remove(_ job: SendJob) -> UnsentTargets? {
        guard job.progress.isQueued else { return nil }
        let indices = job.progress.resends.map(Int.init) + Array(job.progress.next..<job.count)
        job.progress.resends = []
        job.progress.next = job.count
        self.count -= indices.count
        return indices.isEmpty ? nil : UnsentTargets(job: job, indices: indices)
    }

    /// Takes out what waits of the jobs that meet a condition, in one pass.
    mutating func remove(where condition: (SendJob) -> Bool) -> [UnsentTargets] {
        var removed: [UnsentTargets] = []
        for job in self.urgent where condition(job) { if let unsent = self.remove(job) { removed.append(unsent) } }
        for job in self.bulk where condition(job) { if let unsent = self.remove(job) { removed.append(unsent) } }
        guard !removed.isEmpty else { return removed }
        self.urgent.removeAll(where: Self.leavesEmpty)
        self.bulk.removeAll(where: Self.leavesEmpty)
        return removed
    }

    /// Takes out the jobs at the heads of the lanes whose deadlines have passed: they are not sent any more.
    mutating func removeLate(now: NIODeadline) -> [UnsentTargets] {
        var late: [UnsentTargets] = []
        Self.dropEmpty(from: &self.urgent)
        while let job = self.urgent.first, job.deadline <= now {
            if let unsent = self.remove(job) { late.append(unsent) }
            Self.dropEmpty(from: &self.urgent)
        }
        Self.dropEmpty(from: &self.bulk)
        while let job = self.bulk.first, job.deadline <= now {
            if let unsent = self.remove(job) { late.append(unsent) }
            Self.dropEmpty(from: &self.bulk)
        }
        return late
    }

    private static func dropEmpty(from lane: inout Deque<SendJob>) {
        while let job = lane.first, Self.leavesEmpty(job) { lane.removeFirst() }
    }

    /// Whether nothing of a queued job waits any more; takes note that it leaves its lane then.
    private static func leavesEmpty(_ job: SendJob) -> Bool {
        guard job.progress.next == job.count, job.progress.resends.isEmpty else { return false }
        job.progress.isQueued = false
        return true
    }

    private mutating func withLane(of job: SendJob, _ body: (inout Deque<SendJob>) -> Void) {
        switch job.lane {
        case .urgent: body(&self.urgent)
        case .bulk: body(&self.bulk)
        }
    }
}
