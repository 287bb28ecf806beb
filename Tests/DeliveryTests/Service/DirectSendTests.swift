// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

/// Each test of outcomes runs twice: with batches that are sent directly, and with ones that are not.
@Suite("Small batches", .timeLimit(.minutes(20)))
struct DirectSendTests {
    /// The most targets of a batch that is sent directly: 0 sends none directly.
    private static let paths = [100, 0]

    /// Opens a stage and delivers on it, with a circuit that is closed because APNs has accepted a first push.
    private func deliver(
        directTargets: Int,
        configure: (inout DeliveryStage) -> Void = { _ in },
        _ body: (DeliveryStage, APNsSimulator) async throws -> Void,
        whileDraining draining: (DeliveryStage, APNsSimulator) async throws -> Void = { _, _ in },
        afterwards check: (DeliveryStage, APNsSimulator) async throws -> Void = { _, _ in }
    ) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.directTargets = directTargets
                configure(&stage)
                try await stage.deliver { [stage] in
                    let first = try await stage.send(try stage.plan(try stage.bootTargets(1, on: simulator)))
                    #expect(first.counts.delivered == 1)
                    try await body(stage, simulator)
                } whileDraining: { [stage] in
                    try await draining(stage, simulator)
                }
                try await check(stage, simulator)
            }
        }
    }

    // MARK: Outcomes

    @Test("are delivered or rejected, mark devices and are counted once", arguments: Self.paths)
    func outcomes(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            let targets = try stage.bootTargets(4, on: simulator)
            var devices: [DeviceID] = []
            for (target, reason) in zip(targets, [RejectionReason.unregistered, .badDeviceToken]) {
                devices.append(try await stage.register(target, now: stage.now.date))
                let since = stage.now.date.millisecondsSince1970 + 1000
                let rejection = Rejection(reason, inactiveSince: reason == .unregistered ? since : nil)
                simulator.inject(SimulatorFault(.reject(rejection), match: .init(token: target.token.hex)))
            }
            let status = try await stage.send(try stage.plan(targets))
            #expect(status.counts == OutcomeCounts(delivered: 2, rejected: [.unregistered: 1, .badDeviceToken: 1]))
            #expect(try await stage.deviceStatus(devices[0])?.isReachable == false)
            guard case .suspect(.badDeviceToken, _) = try await stage.deviceStatus(devices[1]) else {
                Issue.record("the device is not suspect")
                return
            }
        } afterwards: { stage, _ in
            let metrics = try PrometheusText(stage.metrics.text())
            let urgent = ["lane": "urgent"]
            #expect(metrics.value("apus_delivery_attempts_total", urgent) == 5)
            #expect(metrics.value("apus_delivery_outcomes_total", ["outcome": "delivered", "reason": ""]) == 3)
            #expect(metrics.value("apus_delivery_devices_invalidated_total") == 1)
            #expect(metrics.value("apus_delivery_devices_suspected_total") == 1)
            #expect(metrics.value("apus_delivery_batches_total", ["result": "completed"]) == 2)
            #expect(metrics.value("apus_delivery_queue_wait_seconds_count", urgent) == 2)
            #expect(metrics.value("apus_delivery_settlement_delay_seconds_count", urgent) == 2)
            #expect(metrics.value("apus_delivery_in_flight") == 0)
        }
    }

    @Test("keep a target that APNs asks to send later, and are released until then", arguments: Self.paths)
    func later(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            let targets = try stage.bootTargets(2, on: simulator)
            let match = SimulatorFault.Match(token: targets[1].token.hex)
            simulator.inject(SimulatorFault(.reject(Rejection(.tooManyRequests)), match: match, count: 1))
            let plan = try stage.plan(targets)
            let changes = stage.store.changes()
            try await stage.accept(plan)
            try await stage.observed.releases(of: [plan.batches[0].id])
            let status = try await stage.status(of: plan)
            #expect(status.counts == OutcomeCounts(delivered: 1))
            #expect(status.batches[0].lifecycle.deferred.map(\.index) == [1])
            // The delay with the most jitter.
            stage.now.advance(by: .seconds(76))
            try await stage.poll()
            let counts = try await stage.settled(plan, changes).counts
            #expect(counts == OutcomeCounts(delivered: 2))
        } afterwards: { stage, _ in
            let metrics = try PrometheusText(stage.metrics.text())
            #expect(metrics.value("apus_delivery_batches_total", ["result": "deferred"]) == 1)
            #expect(metrics.value("apus_delivery_deferrals_total", ["reason": "TooManyRequests"]) == 1)
        }
    }

    @Test("fail by the response of APNs if they expire before the retry that it asks for", arguments: Self.paths)
    func expiry(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            simulator.inject(SimulatorFault(.reject(Rejection(.serviceUnavailable)), count: 1))
            let targets = try stage.bootTargets(1, on: simulator)
            let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(600))
            let counts = try await stage.send(plan).counts
            #expect(counts == OutcomeCounts(rejected: [.serviceUnavailable: 1]))
        }
    }

    @Test("that expire while they are in flight keep the response of APNs", arguments: Self.paths)
    func expiryInFlight(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            let hold = simulator.inject(SimulatorFault(.hold, count: 1))
            let targets = try stage.bootTargets(1, on: simulator)
            let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(30))
            let changes = stage.store.changes()
            var arrivals = simulator.deliveries().makeAsyncIterator()
            try await stage.accept(plan)
            _ = await arrivals.next()
            stage.now.advance(by: .seconds(31))
            simulator.removeFault(hold)
            let counts = try await stage.settled(plan, changes).counts
            #expect(counts == OutcomeCounts(delivered: 1))
        }
    }

    @Test("wait for another credential if APNs rejects theirs", arguments: Self.paths)
    func circuitOpens(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            simulator.inject(SimulatorFault(.reject(Rejection(.invalidProviderToken))))
            let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
            try await stage.accept(plan)
            try await stage.observed.releases(of: [plan.batches[0].id])
            try await stage.log.first(containing: "APNs rejects the credential")
            let status = try await stage.status(of: plan)
            #expect(status.counts == OutcomeCounts())
            #expect(status.remaining == 2)
        } afterwards: { stage, _ in
            let metrics = try PrometheusText(stage.metrics.text())
            #expect(metrics.value("apus_delivery_batches_total", ["result": "circuit_open"]) == 1)
            #expect(metrics.value("apus_delivery_circuit_breaker_opened_total", ["cause": "credential"]) == 1)
        }
    }

    // MARK: Stops

    @Test("that are in flight at the shutdown are awaited and settled", arguments: Self.paths)
    func shutdownInFlight(directTargets: Int) async throws {
        let plan = Handed<BatchedNotification>()
        let hold = Handed<Int>()
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            hold.value = simulator.inject(SimulatorFault(.hold, count: 1))
            let held = try stage.plan(try stage.bootTargets(1, on: simulator))
            plan.value = held
            var arrivals = simulator.deliveries().makeAsyncIterator()
            try await stage.accept(held)
            _ = await arrivals.next()
            try await stage.polled()
        } whileDraining: { stage, simulator in
            // The polls have ended: the shutdown has come through.
            try await stage.clock.timers(atMost: 0, dueWithin: .seconds(1))
            simulator.removeFault(try #require(hold.value))
        } afterwards: { stage, simulator in
            let status = try await stage.status(of: try #require(plan.value))
            #expect(status.isDone)
            #expect(status.counts == OutcomeCounts(delivered: 1))
            #expect(simulator.statistics.delivered == 2)
        }
    }

    @Test("that were not sent at the shutdown are released for others", arguments: Self.paths)
    func shutdownUnsent(directTargets: Int) async throws {
        let client = LogEvents()
        let plan = Handed<BatchedNotification>()
        try await self.deliver(directTargets: directTargets) { stage in
            stage.logger = client.logger
        } _: { stage, simulator in
            try await simulator.vanish(client)
            let unsent = try stage.plan(try stage.bootTargets(1, on: simulator))
            plan.value = unsent
            try await stage.accept(unsent)
            try await client.first(containing: "Failed to connect to APNs")
        } afterwards: { stage, simulator in
            let status = try await stage.status(of: try #require(plan.value))
            #expect(status.counts == OutcomeCounts())
            #expect(status.remaining == 1)
            if case .leased = status.batches[0].lifecycle.state { Issue.record("the batch is still leased") }
            #expect(simulator.statistics.delivered == 1)
        }
    }

    @Test("that are cancelled while they are in flight keep their outcome", arguments: Self.paths)
    func cancelledInFlight(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            let hold = simulator.inject(SimulatorFault(.hold, count: 1))
            let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
            let changes = stage.store.changes()
            var arrivals = simulator.deliveries().makeAsyncIterator()
            try await stage.accept(plan)
            _ = await arrivals.next()
            try await stage.store.cancel(plan.notification.id, now: stage.now.date)
            try await stage.observed.first { $0 == .noticedHalt(plan.notification.id) }
            simulator.removeFault(hold)
            let counts = try await stage.settled(plan, changes).counts
            #expect(counts == OutcomeCounts(delivered: 1))
        }
    }

    @Test("that are cancelled before they are sent count as cancelled", arguments: Self.paths)
    func cancelledUnsent(directTargets: Int) async throws {
        let client = LogEvents()
        try await self.deliver(directTargets: directTargets) { stage in
            stage.logger = client.logger
        } _: { stage, simulator in
            try await simulator.vanish(client)
            let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
            let changes = stage.store.changes()
            try await stage.accept(plan)
            try await client.first(containing: "Failed to connect to APNs")
            try await stage.store.cancel(plan.notification.id, now: stage.now.date)
            let counts = try await stage.settled(plan, changes).counts
            #expect(counts == OutcomeCounts(failed: [.cancelled: 1]))
        } afterwards: { stage, simulator in
            #expect(simulator.statistics.delivered == 1)
            let metrics = try PrometheusText(stage.metrics.text())
            #expect(metrics.value("apus_delivery_batches_total", ["result": "stop_requested"]) == 1)
        }
    }

    // MARK: The store

    @Test("whose lease another worker took settle nothing", arguments: Self.paths)
    func leaseLost(directTargets: Int) async throws {
        let plan = Handed<BatchedNotification>()
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            let hold = simulator.inject(SimulatorFault(.hold, count: 1))
            let lost = try stage.plan(try stage.bootTargets(1, on: simulator))
            plan.value = lost
            var arrivals = simulator.deliveries().makeAsyncIterator()
            try await stage.accept(lost)
            _ = await arrivals.next()
            _ = try await stage.claim(.urgent, by: "other", now: stage.now.date.addingTimeInterval(61))
            simulator.removeFault(hold)
            try await stage.log.first(containing: "Lost the lease of batch")
        } afterwards: { stage, _ in
            let lifecycle = try await stage.status(of: try #require(plan.value)).batches[0].lifecycle
            guard case .leased("other", _) = lifecycle.state else {
                Issue.record("the other worker lost its lease")
                return
            }
            let metrics = try PrometheusText(stage.metrics.text())
            #expect(metrics.value("apus_delivery_batches_total", ["result": "lease_lost"]) == 1)
        }
    }

    @Test(
        "that the store cannot settle yet are announced to who waits, and settled later, counted once",
        arguments: Self.paths,
        [true, false]
    )
    func settlementRepeated(directTargets: Int, isLost: Bool) async throws {
        try await self.deliver(directTargets: directTargets) { stage in
            stage.configuration.pollInterval = .seconds(3600)
        } _: { stage, simulator in
            let error = StoreError(code: .locked, message: "another process has it")
            // The first batch of the stage, whose answer must not be the one that is lost.
            try await stage.observed.first { if case .settled = $0 { true } else { false } }
            // Direct sends are settled together first, and each alone when that failed.
            let errors = Array(repeating: error, count: directTargets == 0 ? 1 : 2)
            if isLost { stage.observed.loseAnswers(errors) } else { stage.observed.failSettling(errors) }
            let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
            let id = plan.notification.id
            let (heard, listener) = AsyncStream.makeStream(of: Void.self)
            stage.announcements.listen(for: id) { listener.yield() }
            try await stage.accept(plan)
            try await heard.nextElement()
            try await stage.log.first(containing: "Failed to settle a chunk")
            let announced = stage.announcements.announcement(of: id)
            #expect(announced?.outcomes.counts == OutcomeCounts(delivered: 2))
            #expect(try await stage.status(of: plan).remaining == (isLost ? 0 : 2))
            // The next attempt; nothing else sleeps for so short a time.
            try await stage.clock.timers(dueWithin: .seconds(1))
            stage.clock.advance(by: .seconds(1))
            try await stage.observed.first { $0 == .settled(plan.batches[0].id, 0..<2) }
            let counts = try await stage.status(of: plan).counts
            #expect(counts == OutcomeCounts(delivered: 2))
        } afterwards: { stage, _ in
            let metrics = try PrometheusText(stage.metrics.text())
            #expect(metrics.value("apus_delivery_outcomes_total", ["outcome": "delivered", "reason": ""]) == 3)
            #expect(metrics.value("apus_delivery_batches_total", ["result": "completed"]) == 2)
        }
    }

    @Test("that the store refuses to settle are delayed, counted as failed and sent again", arguments: Self.paths)
    func settlementRefused(directTargets: Int) async throws {
        try await self.deliver(directTargets: directTargets) { stage, simulator in
            stage.observed.failSettling([StoreError(code: .invalid, message: "the store will not have it")])
            let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
            let changes = stage.store.changes()
            try await stage.accept(plan)
            try await stage.observed.first { $0 == .setBack(plan.batches[0].id) }
            let lifecycle = try await stage.status(of: plan).batches[0].lifecycle
            #expect(lifecycle.setbacks == 1)
            stage.now.advance(by: .seconds(31))
            try await stage.poll()
            let counts = try await stage.settled(plan, changes).counts
            #expect(counts == OutcomeCounts(delivered: 1))
        } afterwards: { stage, simulator in
            #expect(simulator.statistics.delivered == 3)
            let metrics = try PrometheusText(stage.metrics.text())
            #expect(metrics.value("apus_delivery_batches_total", ["result": "retried"]) == 1)
        }
    }

    // MARK: Costs

    @Test("have no timer while they are in flight if they are sent directly: their lease is long enough")
    func noTimer() async throws {
        try await self.deliver(directTargets: 100) { stage in
            stage.configuration.pollInterval = .seconds(3600)
        } _: { stage, simulator in
            let hold = simulator.inject(SimulatorFault(.hold, count: 1))
            let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
            let changes = stage.store.changes()
            var arrivals = simulator.deliveries().makeAsyncIterator()
            try await stage.accept(plan)
            _ = await arrivals.next()
            // The keeper of the first batch has ended, and there is none for the second.
            try await stage.clock.timers(atMost: 0, dueWithin: .seconds(60))
            simulator.removeFault(hold)
            let counts = try await stage.settled(plan, changes).counts
            #expect(counts == OutcomeCounts(delivered: 1))
        }
    }

    @Test("are handed over without a claim, however many of one kind are accepted at once")
    func handedOver() async throws {
        try await self.deliver(directTargets: 100) { stage in
            stage.configuration.pollInterval = .seconds(3600)
            stage.observed.handOver()
        } _: { stage, simulator in
            let targets = try stage.bootTargets(200, on: simulator)
            let plans = try targets.map { try stage.plan([$0]) }
            let changes = stage.store.changes()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for plan in plans { group.addTask { try await stage.accept(plan) } }
                try await group.waitForAll()
            }
            try await stage.settlements(of: Set(plans.map(\.notification.id)), changes)
            var settled: Set<BatchID> = []
            while !plans.allSatisfy({ settled.contains($0.batches[0].id) }) {
                switch try await stage.observed.next() {
                case .claimed(_, let count):
                    // The first batch of all may have been claimed.
                    #expect(count == 0 || settled.isEmpty)
                case .settled(let batch, _): settled.insert(batch)
                case let event: Issue.record("\(event)")
                }
            }
        } afterwards: { _, simulator in
            #expect(simulator.statistics.delivered == 201)
        }
    }

    @Test("that are queued are claimed all at once when their circuit closes")
    func backlog() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                let plans = try stage.bootTargets(300, on: simulator).map { try stage.plan([$0]) }
                for plan in plans { try await stage.accept(plan) }
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    try await stage.settlements(of: Set(plans.map(\.notification.id)), changes)
                    var claims: [Int] = []
                    while claims.reduce(0, +) < 300 {
                        if case .claimed(.urgent, let count) = try await stage.observed.next(), count > 0 {
                            claims.append(count)
                        }
                    }
                    // One batch is the probe.
                    #expect(claims == [1, 299])
                }
                #expect(simulator.statistics.delivered == 300)
            }
        }
    }
}
