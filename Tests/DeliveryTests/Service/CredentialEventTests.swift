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
import Testing

@Suite("Word of credentials", .timeLimit(.minutes(5)))
struct CredentialEventTests {
    @Test("that there is none is told once, and once that there is one")
    func missing() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                stage.connect(to: simulator)
                let plans = try (0..<4).map { _ in try stage.plan(try stage.bootTargets(1, on: simulator)) }
                try await stage.deliver { [stage] in
                    for plan in plans[..<2] { _ = try await stage.send(plan) }
                    try await stage.addKey(simulator.demoKey, environment: .sandbox)
                    for plan in plans[2...] { _ = try await stage.send(plan) }
                }
                let events = try await stage.credentialEvents()
                #expect(events.map(\.kind) == [.credentialTroubled, .credentialRecovered])
                #expect(events.allSatisfy { $0.data["code"] == "no-credential" })
                #expect(events.allSatisfy { $0.data["environment"] == "sandbox" && $0.data["pushType"] == "alert" })
            }
        }
    }

    @Test("that APNs refuses it is told with the reason, and so is its end, whichever process notices")
    func refused() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                stage.connect(to: simulator)
                let other = SimulatorProviderKey(
                    keyID: "ZZZZZZZZZZ",
                    teamID: simulator.demoKey.teamID,
                    p8: simulator.demoKey.p8
                )
                try await stage.addKey(other, environment: .sandbox)
                let plans = try (0..<2).map { _ in try stage.plan(try stage.bootTargets(2, on: simulator)) }
                try await stage.deliver { [stage] in
                    try await stage.accept(plans[0])
                    await stage.observed.releases(of: [plans[0].batches[0].id])
                }
                try await stage.addKey(simulator.demoKey, environment: .sandbox)
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plans[1]).counts
                    #expect(counts.delivered == 2)
                }
                let events = try await stage.credentialEvents()
                #expect(events.map(\.kind) == [.credentialTroubled, .credentialRecovered])
                #expect(events.allSatisfy { $0.data["reason"] == "InvalidProviderToken" })
            }
        }
    }

    @Test("tokens that APNs calls dead say nothing against the credential")
    func deadTokens() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let plan = try stage.plan([
                    Target(token: DeviceToken(bytes: Array(repeating: 9, count: 32)), environment: .sandbox)
                ])
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts.delivered == 0)
                }
                #expect(try await stage.credentialEvents().isEmpty)
            }
        }
    }
}

extension DeliveryStage {
    /// What the feed tells of credentials.
    fileprivate func credentialEvents() async throws -> [Event] {
        try await self.store.events(
            of: Self.app,
            after: nil,
            limit: 100,
            kinds: [.credentialTroubled, .credentialRecovered]
        ).events
    }
}
