// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import Testing

@testable import Delivery

@Suite("The progress of a batch")
struct BatchProgressTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func claimed(cursor: Int = 0, targets: Int = 10, due: [Deferral] = []) throws -> ClaimedBatch {
        let plan = try BatchedNotification(
            app: "com.example.app",
            lane: .urgent,
            headers: NotificationHeaders(topic: Topic("com.example.app")),
            payload: APNsPayload(json: "{}"),
            targets: (0..<targets).map {
                Target(token: try DeviceToken(bytes: [UInt8($0)]), environment: .sandbox)
            },
            now: self.now
        )
        return ClaimedBatch(batch: plan.batches[0], cursor: cursor, due: due, worker: "worker", leasedUntil: self.now)
    }

    /// Applies settlements to a lifecycle as a store does.
    private func apply(_ settlement: Settlement, to lifecycle: inout BatchLifecycle) -> BatchLifecycle.Settling {
        lifecycle.settle(
            settlement.range,
            resent: settlement.resent,
            deferring: settlement.deferrals,
            by: settlement.worker
        )
    }

    @Test("chunks follow one another without gaps, what is due again before the rest")
    func chunks() throws {
        let due = [1, 4, 5].map { Deferral(index: $0, attempts: 1, notBefore: self.now) }
        var progress = BatchProgress(try self.claimed(cursor: 7, due: due))
        #expect(progress.available(2) == 2)
        #expect(progress.take(2) == Chunk(part: .due(Array(due.prefix(2)))))
        #expect(progress.available(2) == 1)
        #expect(progress.take(1) == Chunk(part: .due([due[2]])))
        #expect(progress.take(2) == Chunk(part: .fresh(7..<9)))
        #expect(progress.available(2) == 1)
        #expect(progress.take(1) == Chunk(part: .fresh(9..<10)))
        #expect(progress.available(2) == 0)
        #expect(progress.inFlight == 4)
    }

    @Test(
        "chunks are settled as they end, whatever their order, and every target counts once",
        arguments: 0..<20 as Range<UInt64>
    )
    func anyOrder(seed: UInt64) throws {
        let claimed = try self.claimed(targets: 10)
        var lifecycle = BatchLifecycle(targetCount: 10)
        _ = lifecycle.claim(by: "worker", until: self.now, now: self.now)
        var progress = BatchProgress(claimed)
        let chunks = [3, 1, 2, 3, 1].map { progress.take($0) }
        var generator = SeededRandom(seed: seed)
        var counts = OutcomeCounts()
        let order = chunks.shuffled(using: &generator)
        for (place, chunk) in order.enumerated() {
            let settlement = progress.settle(ChunkResult(chunk: chunk))
            let isLast = place == order.count - 1
            #expect(self.apply(settlement, to: &lifecycle) == .applied(finished: isLast), "\(order)")
            // One whose first answer was lost changes nothing.
            #expect(self.apply(settlement, to: &lifecycle) == .alreadyApplied, "\(order)")
            counts += settlement.counts
        }
        #expect(counts == OutcomeCounts(delivered: 10))
        #expect(lifecycle.state == .settled)
    }

    @Test("targets on their way that the cursor passes are handed out again when the worker dies")
    func overtaken() throws {
        var lifecycle = BatchLifecycle(targetCount: 10)
        _ = lifecycle.claim(by: "worker", until: self.now, now: self.now)
        var progress = BatchProgress(try self.claimed(targets: 10))
        let chunks = [3, 4, 3].map { progress.take($0) }
        #expect(self.apply(progress.settle(ChunkResult(chunk: chunks[1])), to: &lifecycle) == .applied(finished: false))
        #expect(lifecycle.remaining == 6)
        guard case .granted(7, let due) = lifecycle.claim(by: "other", until: self.now, now: self.now) else {
            Issue.record("the batch was not granted from target 7 on")
            return
        }
        #expect(due.map(\.index) == [0, 1, 2])
        #expect(self.apply(progress.settle(ChunkResult(chunk: chunks[0])), to: &lifecycle) == .leaseLost)
    }

    @Test("what a chunk deferred is settled as deferred")
    func deferred() throws {
        var progress = BatchProgress(try self.claimed(targets: 4))
        var result = ChunkResult(chunk: progress.take(4))
        result.deferrals = [3, 1].map { Deferral(index: $0, attempts: 1, notBefore: self.now) }
        result.failures = [Settlement.Failure(index: 0, outcome: .failed(.timeout))]
        let settlement = progress.settle(result)
        #expect(settlement.range == 0..<4)
        #expect(settlement.deferrals.map(\.index) == [1, 3])
        #expect(settlement.counts == OutcomeCounts(delivered: 1, failed: [.timeout: 1]))
    }
}
