// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("The work queue")
struct WorkQueueTests {
    @Test("older jobs go before newer ones")
    func order() async throws {
        try await JobSamples.with([2, 1, 3, 1]) { jobs in
            var queue = WorkQueue()
            for job in jobs { queue.append(job) }
            #expect(queue.count == 7)
            for job in jobs { #expect(queue.take(limit: 10)?.job === job) }
            #expect(queue.take(limit: 10) == nil)
            #expect(queue.count == 0)
        }
    }

    @Test("a job is handed out in slices no larger than there are streams, each target once")
    func slices() async throws {
        try await JobSamples.with([10]) { jobs in
            var queue = WorkQueue()
            queue.append(jobs[0])
            #expect(queue.take(limit: 4)?.indices == 0..<4)
            #expect(queue.take(limit: 4)?.indices == 4..<8)
            #expect(queue.count == 2)
            #expect(queue.take(limit: 4)?.indices == 8..<10)
            #expect(queue.count == 0)
        }
    }

    @Test("what comes back goes before everything else")
    func putBack() async throws {
        try await JobSamples.with([2, 2]) { jobs in
            var queue = WorkQueue()
            queue.append(jobs[0])
            _ = queue.take(limit: 2)
            queue.append(jobs[1])
            queue.putBack(1, of: jobs[0])
            queue.putBack(0, of: jobs[0])
            #expect(queue.count == 4)
            let slice = queue.take(limit: 5)
            #expect(slice?.job === jobs[0])
            #expect(slice?.resends.sorted() == [0, 1])
            #expect(slice?.indices.isEmpty == true)
            #expect(queue.take(limit: 5)?.job === jobs[1])
        }
    }

    @Test("what comes back of a job that still waits is sent before the rest of it")
    func putBackOfWaiting() async throws {
        try await JobSamples.with([5]) { jobs in
            var queue = WorkQueue()
            queue.append(jobs[0])
            _ = queue.take(limit: 3)
            queue.putBack(2, of: jobs[0])
            #expect(queue.count == 3)
            #expect(queue.take(limit: 9)?.resends == [2])
            #expect(queue.take(limit: 9)?.indices == 3..<5)
            #expect(queue.take(limit: 9) == nil)
        }
    }

    @Test("a job is taken out once, with what was not handed out, and the next one has its turn")
    func remove() async throws {
        try await JobSamples.with([5, 1]) { jobs in
            var queue = WorkQueue()
            for job in jobs { queue.append(job) }
            _ = queue.take(limit: 3)
            queue.putBack(1, of: jobs[0])
            #expect(queue.remove(jobs[0])?.indices == [1, 3, 4])
            #expect(queue.remove(jobs[0]) == nil)
            #expect(queue.count == 1)
            #expect(queue.take(limit: 9)?.job === jobs[1])
            #expect(queue.remove(jobs[1]) == nil)
        }
    }

    @Test("jobs whose deadline has passed are taken out at the head, and what is behind them is next")
    func late() async throws {
        let now = NIODeadline.uptimeNanoseconds(1_000_000)
        try await JobSamples.with([2, 3], deadline: now) { late in
            try await JobSamples.with([4, 5], deadline: now + .nanoseconds(1)) { jobs in
                var queue = WorkQueue()
                for job in late + jobs { queue.append(job) }
                #expect(queue.removeLate(now: now - .nanoseconds(1)).isEmpty)
                _ = queue.take(limit: 1)
                #expect(queue.removeLate(now: now).map(\.indices) == [[1], [0, 1, 2]])
                #expect(queue.count == 9)
                #expect(queue.take(limit: 9)?.job === jobs[0])
                #expect(queue.take(limit: 9)?.job === jobs[1])
                #expect(queue.removeLate(now: .distantFuture).isEmpty)
            }
        }
    }

    @Test("what is taken out comes to what came of it before, and to the given failure only where it was never sent")
    func remembersAttempts() async throws {
        let lost = SendOutcome.failed(SendFailure(code: .connectionLost, message: "lost"))
        let failure = SendFailure(code: .cancelled, message: "cancelled")
        let batch = try SendBatch.sample(count: 3)
        let outcomes = await withCheckedContinuation { continuation in
            let job = SendOperation(batch, deadline: .distantFuture) { continuation.resume(returning: $0) }
            var queue = WorkQueue()
            queue.append(job)
            _ = queue.take(limit: 2)
            job.progress.attempts[1] = SendOperation.Attempts(count: 1, outcome: lost)
            queue.putBack(0, of: job)
            queue.putBack(1, of: job)
            queue.remove(job)?.fail(with: failure)
        }
        #expect(outcomes == [.failed(failure), lost, .failed(failure)])
    }

    @Test("jobs that meet a condition are taken out")
    func removeWhere() async throws {
        try await JobSamples.with([1, 2, 3, 4]) { jobs in
            var queue = WorkQueue()
            for job in jobs { queue.append(job) }
            let removed = queue.remove { $0.count.isMultiple(of: 2) }
            #expect(removed.map(\.indices) == [[0, 1], [0, 1, 2, 3]])
            #expect(queue.remove { $0.count.isMultiple(of: 2) }.isEmpty)
            #expect(queue.count == 4)
            #expect(queue.take(limit: 9)?.job === jobs[0])
            #expect(queue.take(limit: 9)?.job === jobs[2])
            #expect(queue.take(limit: 9) == nil)
        }
    }
}
