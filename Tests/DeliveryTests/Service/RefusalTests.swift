// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Telemetry
import Testing

@Suite("Credentials that APNs refuses", .timeLimit(.minutes(20)))
struct RefusalTests {
    @Test("their targets are kept, the log says why once, and another credential is tried at once")
    func replaced() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.useStranger(with: simulator)
                stage.configuration.chunkSize = 5
                let plan = try stage.plan(try stage.bootTargets(30, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    let message = try await stage.log.first(containing: "APNs rejects the credential")
                    for part in ["InvalidProviderToken", DeliveryStage.app.rawValue, "sandbox", "localhost"] {
                        #expect(message.contains(part))
                    }
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    let status = try await stage.status(of: plan)
                    #expect(status.counts == OutcomeCounts())
                    #expect(status.remaining == 30)
                    #expect(simulator.statistics.rejected == [.invalidProviderToken: 5])
                    let metrics = try PrometheusText(stage.metrics.text())
                    #expect(metrics.value("apus_delivery_circuit_breaker_opened_total", ["cause": "credential"]) == 1)
                    #expect(metrics.families["apus_delivery_circuit_breaker_open"]?.samples.map(\.value) == [1])

                    // The time of day stands still: the pause is not over.
                    try await stage.addKey(simulator.demoKey, environment: .sandbox)
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 30), "\(stage.log.all)")
                    try await stage.log.first(containing: "sending resumed with another credential")
                }
                let metrics = try PrometheusText(stage.metrics.text())
                #expect(metrics.families["apus_delivery_circuit_breaker_open"]?.samples.map(\.value) == [0])
                #expect(simulator.statistics.rejected == [.invalidProviderToken: 5])
            }
        }
    }

    @Test("they are tried again by a small slice when the pause is over, and serve when APNs accepts them again")
    func acceptedAgain() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                let key = try await stage.useStranger(with: simulator)
                let plan = try stage.plan(try stage.bootTargets(30, on: simulator), lane: .bulk)
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    #expect(simulator.statistics.rejected == [.invalidProviderToken: 10])

                    stage.now.advance(by: .seconds(11))
                    try await stage.poll()
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    #expect(simulator.statistics.rejected == [.invalidProviderToken: 20])

                    try simulator.trust(pem: key.p8, keyID: key.keyID, teamID: key.teamID)
                    stage.now.advance(by: .seconds(21))
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 30))
                    try await stage.log.first(containing: "Circuit closed; sending resumed")
                }
            }
        }
    }

    @Test("one that is removed before another is there is tried no more, and what waits is sent with the other")
    func removedFirst() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.useStranger(with: simulator)
                stage.configuration.chunkSize = 5
                let plan = try stage.plan(try stage.bootTargets(30, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    try await stage.removeCredentials()
                    for _ in 0..<3 { try await stage.poll() }
                    try await stage.polled()
                    try await stage.addKey(simulator.demoKey, environment: .sandbox)
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 30), "\(stage.log.all)")
                }
                #expect(simulator.statistics.rejected == [.invalidProviderToken: 5])
                #expect(stage.log.all.count { $0.contains("APNs rejects the credential") } == 1)
                #expect(stage.log.all.count { $0.contains("sending resumed with another credential") } == 1)
            }
        }
    }

    @Test("when the last one is removed what waits fails at the next attempt, and nobody says that sending goes on")
    func removedLast() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.useStranger(with: simulator)
                stage.configuration.credentialLifetime = .zero
                let plan = try stage.plan(try stage.bootTargets(3, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    try await stage.removeCredentials()
                    try await stage.poll()
                    try await stage.polled()
                    #expect(try await stage.status(of: plan).remaining == 3)

                    stage.now.advance(by: .seconds(13))
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(failed: [.noCredential: 3]))
                    try await stage.log.first(containing: "Credential removed; failing queued targets")
                }
                #expect(!stage.log.all.contains { $0.contains("sending resumed") })
                #expect(simulator.statistics.rejected == [.invalidProviderToken: 3])
            }
        }
    }

    @Test("another one is found although an environment beside it never had any")
    func besideNone() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.useStranger(with: simulator)
                let targets = try stage.bootTargets(3, on: simulator)
                let other = Target(token: targets[0].token, environment: .production)
                let plan = try stage.plan(targets + [other])
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    try await stage.addKey(simulator.demoKey, environment: .sandbox)
                    // What only a part of a batch waits for is looked at again after a while.
                    try await stage.whileTimePasses { [stage] in
                        let counts = try await stage.settled(plan, changes).counts
                        #expect(counts == OutcomeCounts(delivered: 3, failed: [.noCredential: 1]))
                    }
                }
                #expect(simulator.statistics.rejected == [.invalidProviderToken: 3])
            }
        }
    }

    @Test("what waits for them fails as expired when its time is over, not before")
    func expires() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.useStranger(with: simulator)
                let targets = try stage.bootTargets(3, on: simulator)
                let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(3600))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    stage.now.advance(by: .seconds(3601))
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(failed: [.expired: 3]))
                }
            }
        }
    }

    @Test("another app is delivered to meanwhile, in the same lane")
    func otherApp() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.useStranger(with: simulator)
                stage.configuration.urgentBatches = 1
                let refused = try (0..<10).map { _ in try stage.plan(try stage.bootTargets(20, on: simulator)) }
                let other = try await stage.addOtherApp(with: simulator)
                try await stage.deliver { [stage] in
                    for plan in refused { try await stage.accept(plan) }
                    try await stage.log.first(containing: "APNs rejects the credential")
                    let counts = try await stage.send(other).counts
                    #expect(counts == OutcomeCounts(delivered: 1))
                    for plan in refused {
                        let status = try await stage.status(of: plan)
                        #expect(status.remaining == 20)
                    }
                }
            }
        }
    }

    @Test("a leg on its way is answered and settled although the other environment is paused meanwhile")
    func otherLeg() async throws {
        try await withTestSimulator(environment: .sandbox) { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    stage.configuration.chunkSize = 1
                    let targets = try stage.bootTargets(1, on: sandbox) + stage.bootTargets(1, on: production)
                    let plan = try stage.plan(targets)
                    try await stage.deliver { [stage] in
                        _ = try await stage.send(try stage.plan(targets))
                        let hold = sandbox.inject(SimulatorFault(.hold, count: 1))
                        production.inject(SimulatorFault(.reject(Rejection(.invalidProviderToken))))
                        var arrivals = sandbox.deliveries().makeAsyncIterator()
                        try await stage.accept(plan)
                        _ = await arrivals.next()
                        try await stage.log.first(containing: "APNs rejects the credential")
                        sandbox.removeFault(hold)
                        try await stage.observed.releases(of: [plan.batches[0].id])
                    }
                    let status = try await stage.status(of: plan)
                    #expect(status.counts == OutcomeCounts(delivered: 1))
                    #expect(status.remaining == 1)
                    #expect(sandbox.statistics.delivered == 2)
                }
            }
        }
    }
}

extension DeliveryStage {
    /// Lets pushes go to a simulator, with a key that it does not know.
    @discardableResult
    fileprivate mutating func useStranger(with simulator: APNsSimulator) async throws -> SimulatorProviderKey {
        let key = try APNsSimulator(logger: .silent).demoKey
        self.connect(to: simulator)
        try await self.addKey(key, environment: .sandbox)
        return key
    }

    /// Removes all credentials of the app.
    fileprivate func removeCredentials() async throws {
        for credential in try await self.store.credentials(of: Self.app) {
            _ = try await self.store.removeCredential(credential.id)
        }
    }

    /// Adds another app, with a key that the simulator knows, and plans a notification for it.
    fileprivate func addOtherApp(with simulator: APNsSimulator) async throws -> BatchedNotification {
        let app: AppID = "com.example.other"
        let key = simulator.demoKey
        let id: CredentialID = "other"
        try await self.store.createApp(App(id: app, createdAt: self.now.date))
        try await self.store.addCredential(
            Credential(
                id: id,
                app: app,
                kind: .key(keyID: key.keyID, teamID: key.teamID),
                environments: [.sandbox],
                secret: .sealed(self.masterKey.seal(CredentialMaterial(content: Array(key.p8.utf8)), for: id)),
                createdAt: self.now.date
            )
        )
        let device = try simulator.bootDevice(apps: [app.rawValue])
        guard let token = device.token(app.rawValue) else { throw StageError.missing("a token") }
        return try BatchedNotification(
            app: app,
            lane: .urgent,
            headers: NotificationHeaders(topic: Topic(app.rawValue), pushType: .alert),
            payload: APNsPayload(json: #"{"aps":{"alert":"hello"}}"#),
            targets: [Target(token: token, environment: .sandbox)],
            now: self.now.date
        )
    }
}
