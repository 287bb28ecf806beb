// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Leases", .timeLimit(.minutes(20)))
struct LeaseTests {
    @Test("a batch whose worker died is taken over and goes on from the cursor", arguments: TestStoreBackend.allCases)
    func takenOver(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                let phones = try (0..<4).map { _ in try stage.boot(on: simulator) }
                let plan = try stage.plan(phones.map(\.target))
                try await stage.accept(plan)
                let claimed = try await stage.claim(.urgent, by: "dead")
                try await stage.store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: stage.now.date)
                stage.now.advance(by: .seconds(61))
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(delivered: 4))
                }
                let received = phones.map { simulator.device($0.device.id)?.notifications.map(\.apnsID) }
                let ids = (0..<4).map { plan.batches[0].id.apnsID(at: $0) }
                #expect(received == [[], [], [ids[2]], [ids[3]]])
            }
        }
    }

    @Test("a worker whose lease another one took settles nothing and stops", arguments: TestStoreBackend.allCases)
    func leaseLost(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.configuration.maxInFlight = 1
                let targets = try stage.bootTargets(2, on: simulator)
                let hold = simulator.inject(SimulatorFault(.hold, count: 1))
                let plan = try stage.plan(targets)
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    try await stage.accept(plan)
                    _ = await arrivals.next()
                    _ = try await stage.claim(.urgent, by: "other", now: stage.now.date.addingTimeInterval(61))
                    simulator.removeFault(hold)
                    try await stage.log.first(containing: "Lost the lease of batch")
                }
                #expect(simulator.statistics.delivered == 1)
                let lifecycle = try await stage.status(of: plan).batches[0].lifecycle
                #expect(lifecycle.cursor == 0)
                guard case .leased("other", _) = lifecycle.state else {
                    Issue.record("the other worker lost its lease")
                    return
                }
            }
        }
    }

    @Test("batches of a claim whose response is lost are sent at the next poll", arguments: TestStoreBackend.allCases)
    func lostClaim(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.observed.loseClaims([StoreError(code: .unavailable, message: "the connection was lost")])
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.log.first(containing: "Failed to claim urgent batches")
                    try await stage.poll()
                    try await stage.observed.first { $0 == .released(plan.batches[0].id) }
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 2))
                }
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }

    @Test("a batch that the store failed to release is released at the next poll", arguments: TestStoreBackend.allCases)
    func failedRelease(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.observed.failReleasing([StoreError(code: .unavailable, message: "the connection was lost")])
                let targets = try stage.bootTargets(2, on: simulator)
                let later = SimulatorFault.Match(token: targets[0].token.hex)
                simulator.inject(SimulatorFault(.reject(Rejection(.tooManyRequests)), match: later, count: 1))
                let plan = try stage.plan(targets)
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.log.first(containing: "Abandoned batch")
                    try await stage.poll()
                    try await stage.observed.first { $0 == .released(plan.batches[0].id) }
                    stage.now.advance(by: .seconds(76))
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 2))
                }
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }

    @Test("a batch that can never be released does not hold up the others")
    func corruptOrphan() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.observed.loseClaims([StoreError(code: .unavailable, message: "the connection was lost")])
                stage.observed.failReleasing([StoreError(code: .corrupt, message: "the row is damaged")])
                for _ in 0..<2 { try await stage.accept(try stage.plan(try stage.bootTargets(1, on: simulator))) }
                try await stage.deliver { [stage] in
                    try await stage.log.first(containing: "Failed to claim urgent batches")
                    try await stage.poll()
                    try await stage.log.first(containing: "waiting until its lease expires")
                    try await stage.observed.first { if case .settled = $0 { true } else { false } }
                }
                #expect(simulator.statistics.delivered == 1)
            }
        }
    }

    @Test(
        "the batches that a worker leases are those of its name and of the lane",
        arguments: TestStoreBackend.allCases
    )
    func leasedBatches(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                let plans = try (0..<2).map { _ in try stage.plan(try stage.bootTargets(1, on: simulator)) }
                for plan in plans { try await stage.accept(plan) }
                let mine = try await stage.claim(.urgent, by: "this")
                _ = try await stage.claim(.urgent, by: "this too")
                #expect(
                    try await stage.store.leasedBatches(in: .urgent, to: "this", now: stage.now.date) == [mine.batch.id]
                )
                #expect(try await stage.store.leasedBatches(in: .bulk, to: "this", now: stage.now.date).isEmpty)
                try await stage.store.release(mine.batch.id, worker: "this", now: stage.now.date)
                #expect(try await stage.store.leasedBatches(in: .urgent, to: "this", now: stage.now.date).isEmpty)
            }
        }
    }

    @Test("the lease is extended while a batch is being sent")
    func extended() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                let hold = simulator.inject(SimulatorFault(.hold, count: 1))
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    // The keeper of the lease.
                    try await stage.clock.fire(timerDueIn: .seconds(20), alsoAdvancing: stage.now)
                    try await stage.observed.first { $0 == .extended(plan.batches[0].id) }
                    simulator.removeFault(hold)
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts.delivered == 1)
                }
            }
        }
    }

    @Test("the lease of a batch is extended that is claimed again while a response is awaited")
    func claimedAgain() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                // A direct send extends no lease.
                stage.configuration.directTargets = 0
                try await stage.deliver(worker: "this") { [stage] in
                    let first = try await stage.send(try stage.plan(try stage.bootTargets(1, on: simulator)))
                    #expect(first.counts.delivered == 1)
                    let hold = simulator.inject(SimulatorFault(.hold, count: 1))
                    let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                    let batch = plan.batches[0].id
                    let changes = stage.store.changes()
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    try await stage.accept(plan)
                    _ = await arrivals.next()
                    for _ in 0..<2 { try await stage.observed.first { $0 == .claimed(.urgent, 1) } }
                    _ = try await stage.claim(.urgent, by: "other", now: stage.now.date.addingTimeInterval(61))
                    try await stage.clock.fire(timerDueIn: .seconds(20), alsoAdvancing: stage.now)
                    // The lease was lost; the other worker gives the batch back, and this one claims it.
                    try await stage.clock.timer(dueIn: .seconds(20))
                    try await stage.store.release(batch, worker: "other", now: stage.now.date)
                    try await stage.observed.first { $0 == .claimed(.urgent, 1) }
                    // Longer than the lease in all.
                    for _ in 0..<4 {
                        try await stage.clock.fire(timerDueIn: .seconds(20), alsoAdvancing: stage.now)
                        try await stage.observed.first { $0 == .extended(batch) }
                    }
                    simulator.removeFault(hold)
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(delivered: 1))
                }
            }
        }
    }

    @Test("on shutdown what is in flight is settled and the rest is released for others")
    func releasedOnShutdown() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 1
                stage.configuration.maxInFlight = 1
                let targets = try stage.bootTargets(4, on: simulator)
                let slow = SimulatorFault.Match(token: targets[1].token.hex)
                let hold = simulator.inject(SimulatorFault(.hold, match: slow))
                let plan = try stage.plan(targets)
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    try await stage.accept(plan)
                    _ = await arrivals.next()
                    _ = await arrivals.next()
                    try await stage.polled()
                } whileDraining: { [stage] in
                    // The polls have ended: the shutdown has come through.
                    try await stage.clock.timers(atMost: 0, dueWithin: .seconds(1))
                    simulator.removeFault(hold)
                }
                let status = try await stage.status(of: plan)
                #expect(status.batches[0].lifecycle.state == .pending)
                #expect(status.batches[0].lifecycle.cursor == 2)
                #expect(status.counts == OutcomeCounts(delivered: 2))
                #expect(simulator.statistics.delivered == 2)

                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 4))
                }
                #expect(simulator.statistics.delivered == 4)
            }
        }
    }

    @Test("the lease is kept while a shutdown waits for what is in flight")
    func keptWhileDraining() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let hold = simulator.inject(SimulatorFault(.hold, count: 1))
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    try await stage.accept(plan)
                    _ = await arrivals.next()
                    try await stage.polled()
                } whileDraining: { [stage] in
                    // The polls have ended: the shutdown has come through.
                    try await stage.clock.timers(atMost: 0, dueWithin: .seconds(1))
                    // Longer than the lease in all: without the extensions another worker could claim it.
                    for _ in 0..<4 {
                        try await stage.clock.fire(timerDueIn: .seconds(20), alsoAdvancing: stage.now)
                        try await stage.observed.first { $0 == .extended(plan.batches[0].id) }
                    }
                    simulator.removeFault(hold)
                }
                let status = try await stage.status(of: plan)
                #expect(status.counts == OutcomeCounts(delivered: 1))
                #expect(simulator.statistics.delivered == 1)
            }
        }
    }

    @Test("a settlement that the store cannot take yet is announced to who waits, and repeated, not lost")
    func settlementRepeated() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                stage.observed.failSettling([StoreError(code: .locked, message: "another process has it")])
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    let id = plan.notification.id
                    let (heard, listener) = AsyncStream.makeStream(of: Void.self)
                    stage.announcements.listen(for: id) { listener.yield() }
                    try await stage.accept(plan)
                    try await heard.nextElement()
                    try await stage.log.first(containing: "Failed to settle a chunk")
                    let announced = stage.announcements.announcement(of: id)
                    #expect(announced?.outcomes.counts == OutcomeCounts(delivered: 2))
                    #expect(try await stage.status(of: plan).remaining == 2)
                    // The next attempt; nothing else sleeps for so short a time.
                    try await stage.clock.timers(dueWithin: .seconds(1))
                    stage.clock.advance(by: .seconds(1))
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 2))
                }
                #expect(stage.announcements.announcement(of: plan.notification.id) == nil)
                #expect(simulator.statistics.delivered == 2)
            }
        }
    }
}

extension DeliveryStage {
    /// Claims the only batch of a lane for another worker.
    func claim(_ lane: Lane, by worker: WorkerID, now: Date? = nil) async throws -> ClaimedBatch {
        let batches = try await self.store.claim(
            lane: lane,
            limit: 1,
            worker: worker,
            leaseDuration: .seconds(60),
            now: now ?? self.now.date
        )
        guard let batch = batches.first else { throw StageError.missing("a batch to claim") }
        return batch
    }
}
