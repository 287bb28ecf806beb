// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Batches that are handed over", .timeLimit(.minutes(20)))
struct HandingOverTests {
    /// A process that dies as soon as it has a batch.
    private final class Dying: DirectHandoffConsumer {
        private let now: TestDateSource

        init(now: TestDateSource) {
            self.now = now
        }

        func offer(_ batch: Batch) -> ClaimedBatch? {
            let until = self.now().addingTimeInterval(60)
            return ClaimedBatch(batch: batch, cursor: 0, worker: "dead", leasedUntil: until)
        }

        func take(_ claimed: [ClaimedBatch]) {}
        func forgo(_ batch: Batch) {}
    }

    @Test("are sent and settled without a claim", arguments: TestStoreBackend.chosen)
    func unclaimed(kind: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: kind) { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                stage.observed.handOver()
                let targets = try stage.bootTargets(2, on: simulator)
                try await stage.deliver { [stage] in
                    // From then on nothing is known to wait.
                    try await stage.observed.first { $0 == .claimed(.urgent, 0) }
                    let plan = try stage.plan(targets)
                    let status = try await stage.send(plan)
                    #expect(status.counts == OutcomeCounts(delivered: 2))
                    #expect(try await stage.observed.nextDeed() == .settled(plan.batches[0].id, 0..<2))
                }
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }

    @Test("whose commit takes half of their lease are claimed at the next poll")
    func slowCommit() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.observed.handOver()
                let store = try #require(stage.store as? any PushStore & SQLBacked)
                let slow = ProbedStore(
                    store,
                    StoreProbe(beforeCommit: { [now = stage.now] _ in now.advance(by: .seconds(31)) })
                )
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                try await stage.deliver { [stage] in
                    // From then on nothing is known to wait.
                    try await stage.observed.first { $0 == .claimed(.urgent, 0) }
                    try await slow.accept(plan.notification, batches: plan.batches, noting: nil)
                    try await stage.poll()
                    #expect(try await stage.observed.nextDeed() == .released(plan.batches[0].id))
                    #expect(try await stage.observed.nextDeed() == .claimed(.urgent, 1))
                    #expect(try await stage.observed.nextDeed() == .settled(plan.batches[0].id, 0..<2))
                }
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }

    @Test(
        "to a process that dies before it sends them are sent by another one after the lease expires",
        arguments: TestStoreBackend.chosen
    )
    func healed(kind: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: kind) { stage in
                try await stage.use(simulator)
                let dying = Dying(now: stage.now)
                stage.store.beginHandOver(to: dying)
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                try await stage.accept(plan)
                stage.store.endHandOver(to: dying)
                stage.now.advance(by: .seconds(61))
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(delivered: 2))
                }
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }
}

extension ObservedStore {
    /// Waits for the next event but claims that brought nothing.
    fileprivate func nextDeed() async throws -> Event {
        try await self.events.nextElement { if case .claimed(_, 0) = $0 { false } else { true } }
    }
}
