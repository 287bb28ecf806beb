// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import Testing

@testable import APNsClient

@Suite("Admission to the queue")
struct AdmissionQueueTests {
    /// Runs `body` with the continuations of so many callers.
    ///
    /// Answers what each was told, in order.
    private static func callers(
        _ counts: [Int],
        _ body: ([AdmissionQueue.Entry]) -> Void
    ) async -> [SendFailure?] {
        await withTaskGroup(of: (Int, SendFailure?).self) { group in
            var entries: [AdmissionQueue.Entry] = []
            for (number, count) in counts.enumerated() {
                let deadline = NIODeadline.uptimeNanoseconds(UInt64(number))
                let ticket = AdmissionQueue.Ticket()
                let entry: AdmissionQueue.Entry = await withCheckedContinuation { made in
                    group.addTask {
                        let answer = await withCheckedContinuation { continuation in
                            made.resume(
                                returning: .init(
                                    ticket: ticket,
                                    count: count,
                                    deadline: deadline,
                                    continuation: continuation
                                )
                            )
                        }
                        return (number, answer)
                    }
                }
                entries.append(entry)
            }
            body(entries)
            let answers = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return counts.indices.map { answers[$0] ?? nil }
        }
    }

    @Test("what was admitted and has not arrived takes room")
    func room() {
        var queue = AdmissionQueue()
        #expect(queue.admit(6, queued: 0, room: 10) == true)
        #expect(queue.admit(5, queued: 0, room: 10) == false)
        #expect(queue.admit(4, queued: 0, room: 10) == true)
        queue.arrived(6)
        queue.arrived(4)
        #expect(queue.admit(1, queued: 10, room: 10) == false)
        #expect(queue.admit(1, queued: 9, room: 10) == true)
    }

    @Test("more than the whole room is admitted when nothing else is there")
    func oversized() {
        var queue = AdmissionQueue()
        #expect(queue.admit(11, queued: 1, room: 10) == false)
        #expect(queue.admit(11, queued: 0, room: 10) == true)
        #expect(queue.admit(1, queued: 0, room: 10) == false)
    }

    @Test("callers are admitted in their order: a small one does not overtake a large one")
    func order() async {
        let failure = SendFailure(code: .shuttingDown, message: "over")
        let answers = await Self.callers([8, 1, 5]) { entries in
            var queue = AdmissionQueue()
            for entry in entries { queue.append(entry) }
            #expect(queue.admit(1, queued: 0, room: 10) == false)
            #expect(queue.admitWaiting(queued: 5, room: 10).isEmpty)
            let admitted = queue.admitWaiting(queued: 1, room: 10)
            #expect(admitted.count == 2)
            for continuation in admitted { continuation.resume(returning: nil) }
            for continuation in queue.remove(where: { _ in true }) { continuation.resume(returning: failure) }
            #expect(queue.remove { _ in true }.isEmpty)
        }
        #expect(answers == [nil, nil, failure])
    }

    @Test("a caller who goes makes way for those behind")
    func remove() async {
        let failure = SendFailure(code: .cancelled, message: "gone")
        let answers = await Self.callers([20, 1, 2]) { entries in
            var queue = AdmissionQueue()
            for entry in entries { queue.append(entry) }
            #expect(queue.admitWaiting(queued: 3, room: 10).isEmpty)
            for continuation in queue.remove(where: { $0.ticket === entries[0].ticket }) {
                continuation.resume(returning: failure)
            }
            for continuation in queue.admitWaiting(queued: 3, room: 10) { continuation.resume(returning: nil) }
        }
        #expect(answers == [failure, nil, nil])
    }
}
