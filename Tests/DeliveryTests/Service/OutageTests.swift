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
import SQLiteStore
import Testing

@Suite("Bad days of APNs", .timeLimit(.minutes(1)))
struct OutageTests {
    @Test("while APNs cannot be reached nothing is lost and nothing fails; then everything is sent once")
    func unreachable() async throws {
        try await DeliveryStage.open { stage in
            let simulator = try await stage.stoppedSimulator()
            stage.configuration.sendDeadline = .seconds(1)
            let plans = [
                try stage.plan(try stage.bootTargets(3, on: simulator)),
                try stage.plan(try stage.bootTargets(3, on: simulator), lane: .bulk),
            ]
            let changes = stage.store.changes()
            try await stage.deliver { [stage] in
                for plan in plans { try await stage.accept(plan) }
                await stage.extensions(of: Set(plans.map(\.batches[0].id)))
                for plan in plans {
                    let status = try await stage.status(of: plan)
                    #expect(status.remaining == 3)
                }
                try await simulator.whileRunning {
                    await stage.clock.sleepers(atLeast: 2)
                    stage.now.advance(by: .seconds(2))
                    stage.clock.advance(by: .seconds(1))
                    await stage.settlements(of: Set(plans.map(\.notification.id)), changes)
                }
            }
            for plan in plans {
                let status = try await stage.status(of: plan)
                #expect(status.counts == OutcomeCounts(delivered: 3))
            }
            #expect(simulator.statistics.delivered == 6)
        }
    }

    @Test("a batch that waits for APNs is released on shutdown")
    func parkedIsReleased() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.endpoints[.sandbox]?.trust = .system
                stage.configuration.sendDeadline = .seconds(1)
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    try await stage.accept(plan)
                    let message = await stage.log.first(containing: "APNs cannot be reached")
                    #expect(message.contains("localhost"))
                }
                let status = try await stage.status(of: plan)
                #expect(status.batches[0].lifecycle.state == .pending)
            }
        }
    }

    @Test("while one environment cannot be reached, the other's targets are not sent again and again")
    func mixedOutage() async throws {
        try await withTestSimulator(environment: .sandbox) { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    stage.configuration.endpoints[.production]?.trust = .system
                    stage.configuration.sendDeadline = .seconds(1)
                    let targets = try stage.bootTargets(1, on: production) + stage.bootTargets(2, on: sandbox)
                    let plan = try stage.plan(targets)
                    try await stage.deliver { [stage] in
                        try await stage.accept(plan)
                        await stage.extensions(of: [plan.batches[0].id])
                        for _ in 0..<2 {
                            await stage.clock.sleepers(atLeast: 2)
                            stage.now.advance(by: .seconds(31))
                            stage.clock.advance(by: .seconds(1))
                            await stage.extensions(of: [plan.batches[0].id])
                        }
                    }
                    let status = try await stage.status(of: plan)
                    #expect(status.remaining == 3)
                    #expect(sandbox.statistics.delivered == 2)
                }
            }
        }
    }

    @Test("a rejection that allows another attempt is retried after a back-off")
    func retried() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                simulator.inject(SimulatorFault(.reject(Rejection(.serviceUnavailable)), count: 2))
                let plan = try stage.plan(try stage.bootTargets(3, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    // The polls of both lanes, the keeper of the lease, and the back-off.
                    await stage.clock.sleepers(atLeast: 4)
                    stage.clock.advance(by: .milliseconds(500))
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 3))
                }
            }
        }
    }

    @Test("a rejection that stays is the outcome after the last attempt")
    func attemptsUsedUp() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                simulator.inject(SimulatorFault(.reject(Rejection(.internalServerError))))
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    for _ in 1..<3 {
                        await stage.clock.sleepers(atLeast: 4)
                        stage.clock.advance(by: .seconds(1))
                    }
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts == OutcomeCounts(rejected: [.internalServerError: 1]))
                }
                #expect(simulator.statistics.faulted == 3)
            }
        }
    }
}

extension APNsSimulator {
    /// Runs the simulator for as long as `body` takes.
    func whileRunning(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            _ = try await self.endpoints()
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}

extension DeliveryStage {
    /// A simulator that does not run, on a port, with an authority and a key of one that ran before.
    fileprivate mutating func stoppedSimulator() async throws -> APNsSimulator {
        var simulation = APNsSimulatorConfiguration(directory: self.directory.path)
        let first = try APNsSimulator(configuration: simulation, logger: .silent)
        try await first.whileRunning {}
        simulation.port = first.port
        self.connect(to: first)
        try await self.addKey(first.demoKey, environment: .sandbox)
        return try APNsSimulator(configuration: simulation, logger: .silent)
    }

    /// Waits until the leases of all these batches were extended.
    fileprivate func extensions(of batches: Set<BatchID>) async {
        var waiting = batches
        for await event in self.observed.events {
            if case .extended(let batch) = event { waiting.remove(batch) }
            if waiting.isEmpty { return }
        }
    }

    /// Waits until all these notifications are settled.
    fileprivate func settlements(of notifications: Set<NotificationID>, _ changes: AsyncStream<StoreChange>) async {
        var waiting = notifications
        for await change in changes {
            if case .notificationSettled(let id) = change { waiting.remove(id) }
            if waiting.isEmpty { return }
        }
    }
}
