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
import Testing

@Suite("Bad days of APNs", .timeLimit(.minutes(20)))
struct OutageTests {
    @Test("while APNs cannot be reached nothing is lost and nothing fails; then everything is sent")
    func unreachable() async throws {
        try await DeliveryStage.open { stage in
            let port = try ReservedPort()
            let simulator = try await stage.stoppedSimulator(at: port)
            // Waited out once. A machine that is busy may have no answer within it afterwards, and tries again.
            stage.configuration.sendDeadline = .seconds(2)
            stage.configuration.maximumAttempts = 65_535
            let plans = [
                try stage.plan(try stage.bootTargets(3, on: simulator)),
                try stage.plan(try stage.bootTargets(3, on: simulator), lane: .bulk),
            ]
            let changes = stage.store.changes()
            try await stage.deliver { [stage] in
                for plan in plans { try await stage.accept(plan) }
                try await stage.observed.releases(of: Set(plans.map(\.batches[0].id)))
                for plan in plans {
                    let status = try await stage.status(of: plan)
                    #expect(status.remaining == 3)
                }
                try await simulator.whileRunning {
                    try await stage.whileTimePasses {
                        try await stage.settlements(of: Set(plans.map(\.notification.id)), changes)
                    }
                }
            }
            for plan in plans {
                let status = try await stage.status(of: plan)
                #expect(status.counts == OutcomeCounts(delivered: 3))
            }
            // What has no answer before the deadline is sent again.
            #expect(simulator.statistics.delivered >= 6)
            withExtendedLifetime(port) {}
        }
    }

    @Test("what waits for APNs is tried in its turn although the clock is set back by a day meanwhile")
    func clockSetBack() async throws {
        try await DeliveryStage.open { stage in
            let port = try ReservedPort()
            let simulator = try await stage.stoppedSimulator(at: port)
            stage.configuration.sendDeadline = .seconds(2)
            stage.configuration.maximumAttempts = 65_535
            let plan = try stage.plan(try stage.bootTargets(3, on: simulator))
            let changes = stage.store.changes()
            try await stage.deliver { [stage] in
                try await stage.accept(plan)
                try await stage.observed.releases(of: [plan.batches[0].id])
                stage.now.advance(by: .seconds(-86_400))
                try await simulator.whileRunning {
                    try await stage.whileTimePasses { try await stage.settlements(of: [plan.notification.id], changes) }
                }
            }
            let status = try await stage.status(of: plan)
            #expect(status.counts == OutcomeCounts(delivered: 3))
            #expect(stage.now.date < plan.notification.createdAt)
            withExtendedLifetime(port) {}
        }
    }

    @Test("a batch that waits for APNs is nobody's, and the log says what APNs cannot be reached for")
    func waits() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.endpoints[.sandbox]?.trust = .system
                stage.configuration.sendDeadline = .seconds(1)
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    try await stage.accept(plan)
                    let messages = try await stage.outageMessages(of: plan.batches[0].id)
                    #expect(messages.allSatisfy { $0.contains("localhost") })
                }
                let lifecycle = try await stage.status(of: plan).batches[0].lifecycle
                guard case .waiting = lifecycle.state else {
                    Issue.record("the batch is \(lifecycle.state)")
                    return
                }
                #expect(lifecycle.deferred.map(\.attempts) == [0])
            }
        }
    }

    @Test("however many batches wait for APNs, only one at a time is claimed to try it")
    func manyWait() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.endpoints[.sandbox]?.trust = .system
                stage.configuration.sendDeadline = .milliseconds(200)
                let target = try stage.bootTargets(1, on: simulator)
                let plans = try (0..<30).map { _ in try stage.plan(target) }
                for plan in plans { try await stage.accept(plan) }
                try await stage.deliver { [stage] in
                    var (claimed, released) = (0, 0)
                    while released < 4 {
                        switch try await stage.observed.next() {
                        case .claimed(.urgent, let count):
                            claimed += count
                            #expect(claimed - released <= 1)
                        case .released:
                            released += 1
                            stage.now.advance(by: .seconds(31))
                            try await stage.poll()
                        default: continue
                        }
                    }
                }
            }
        }
    }

    @Test("while one environment does not answer, the other's targets are sent, of that batch and of the next")
    func silentEnvironment() async throws {
        try await withTestSimulator(environment: .sandbox) { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    // A connection is tried for longer than this test may take.
                    stage.configuration.endpoints[.production]?.trust = .system
                    stage.configuration.sendDeadline = .seconds(600)
                    let plans = try [60, 30].map { count in
                        try stage.plan(stage.bootTargets(12, on: production) + stage.bootTargets(count, on: sandbox))
                    }
                    try await stage.deliver { [stage] in
                        for (plan, count) in zip(plans, [60, 30]) {
                            try await stage.accept(plan)
                            try await stage.observed.releases(of: [plan.batches[0].id])
                            let status = try await stage.status(of: plan)
                            #expect(status.counts == OutcomeCounts(delivered: count))
                            #expect(status.remaining == 12)
                        }
                    }
                }
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
                    stage.configuration.sendDeadline = .seconds(2)
                    stage.configuration.maximumAttempts = 65_535
                    let targets = try stage.bootTargets(1, on: production) + stage.bootTargets(2, on: sandbox)
                    let plan = try stage.plan(targets)
                    try await stage.deliver { [stage] in
                        try await stage.accept(plan)
                        func nextAttempt() async throws {
                            stage.now.advance(by: .seconds(31))
                            try await stage.poll()
                            try await stage.observed.releases(of: [plan.batches[0].id])
                        }
                        try await stage.observed.releases(of: [plan.batches[0].id])
                        // What a machine that is busy has not answered in time is sent again, and may arrive late.
                        var late = 0
                        while try await stage.status(of: plan).counts.delivered < 2 {
                            late += 2
                            try await nextAttempt()
                        }
                        let sent = sandbox.statistics.delivered
                        for _ in 0..<2 { try await nextAttempt() }
                        #expect(sandbox.statistics.delivered - sent <= late)
                    }
                    let status = try await stage.status(of: plan)
                    #expect(status.counts == OutcomeCounts(delivered: 2))
                    #expect(status.remaining == 1)
                }
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
    /// A simulator that does not run, at a port, with an authority and a key of one that ran before.
    fileprivate mutating func stoppedSimulator(at port: ReservedPort) async throws -> APNsSimulator {
        var simulation = APNsSimulatorConfiguration(directory: self.directory.path)
        simulation.port = port.number
        let first = try APNsSimulator(configuration: simulation, logger: .silent)
        try await first.whileRunning {}
        self.connect(to: first)
        try await self.addKey(first.demoKey, environment: .sandbox)
        return try APNsSimulator(configuration: simulation, logger: .silent)
    }

    /// Waits until delivery complains that APNs cannot be reached, and the batch is given back.
    ///
    /// On a machine that is busy an attempt may end before the client knows why nothing answers: then time passes, and the
    /// next one is waited for.
    fileprivate func outageMessages(of batch: BatchID) async throws -> [String] {
        while true {
            try await self.observed.releases(of: [batch])
            let messages = self.log.all.filter { $0.contains("APNs is unreachable") }
            if !messages.isEmpty { return messages }
            self.now.advance(by: .seconds(31))
            try await self.poll()
        }
    }
}
