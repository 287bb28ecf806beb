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
import Testing

@Suite("Word of credentials", .timeLimit(.minutes(20)))
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
                #expect(events.map(\.kind) == [.credentialFailed, .credentialRecovered])
                #expect(events.allSatisfy { $0.data["code"] == "no_credential" })
                #expect(events.allSatisfy { $0.data["environment"] == "sandbox" && $0.data["pushType"] == "alert" })
            }
        }
    }

    @Test("that APNs refuses it is told with the reason, by whichever process notices, and so is its end")
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
                // Of different ages, since a process tries its luck with the oldest that waits, whoever has tried it before.
                let plans = try (1...3).map { number in
                    let time = stage.now.date.addingTimeInterval(Double(number) - 10)
                    return try stage.plan(try stage.bootTargets(2, on: simulator), createdAt: time)
                }
                for plan in plans[..<2] {
                    try await stage.deliver { [stage] in
                        try await stage.accept(plan)
                        try await stage.observed.releases(of: [plans[0].batches[0].id])
                    }
                }
                try await stage.addKey(simulator.demoKey, environment: .sandbox)
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    try await stage.accept(plans[2])
                    try await stage.settlements(of: Set(plans.map(\.notification.id)), changes)
                }
                for plan in plans {
                    let counts = try await stage.status(of: plan).counts
                    #expect(counts == OutcomeCounts(delivered: 2))
                }
                let events = try await stage.credentialEvents()
                #expect(events.map(\.kind) == [.credentialFailed, .credentialRecovered])
                #expect(events.allSatisfy { $0.data["reason"] == "InvalidProviderToken" })
            }
        }
    }

    @Test("a certificate that APNs refuses in TLS is one that it refuses: what it is for waits, and that is told")
    func refusedInTLS() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                stage.connect(to: simulator)
                stage.configuration.sendDeadline = .seconds(2)
                let request = PushCertificateRequest(bundleID: DeliveryStage.app.rawValue, lifetime: .seconds(-86_400))
                let expired = try simulator.issueCertificate(request)
                let id = CredentialID(unchecked: "certificate")
                let pem = Array((expired.certificatePEM + expired.privateKeyPEM).utf8)
                try await stage.addCredential(
                    id,
                    kind: .certificate(format: .pem),
                    environment: .sandbox,
                    secret: .sealed(stage.masterKey.seal(CredentialMaterial(content: pem), for: id))
                )
                let plan = try stage.plan([try stage.boot(on: simulator).target])
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    try await stage.accept(plan)
                    // A connection may end before its alert was read: then another one tells.
                    try await stage.whileTimePasses {
                        while try await stage.credentialEvents().isEmpty { try await changes.nextElement() }
                    }
                    let waiting = try await stage.status(of: plan)
                    #expect(waiting.remaining == 1)
                }
                let events = try await stage.credentialEvents()
                #expect(events.map(\.kind) == [.credentialFailed])
                let reason = "APNs refused the client certificate (TLS alert certificate_expired)"
                #expect(events.allSatisfy { $0.data["reason"] == .string(reason) })
            }
        }
    }

    @Test("a key that APNs takes on no connection is one that it refuses: what it is for waits, and that is told")
    func unrelated() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let fault = simulator.inject(SimulatorFault(.reject(Rejection(.unrelatedKeyIDInToken))))
                let plan = try stage.plan(try stage.bootTargets(3, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    let message = try await stage.log.first(containing: "APNs rejects the credential")
                    #expect(message.contains("UnrelatedKeyIdInToken"))
                    try await stage.observed.releases(of: [plan.batches[0].id])
                    let events = try await stage.credentialEvents()
                    #expect(events.map(\.kind) == [.credentialFailed])
                    #expect(events.allSatisfy { $0.data["reason"] == "UnrelatedKeyIdInToken" })
                    let waiting = try await stage.status(of: plan)
                    #expect(waiting.remaining == 3)

                    simulator.removeFault(fault)
                    stage.now.advance(by: .seconds(11))
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 3))
                }
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
            kinds: [.credentialFailed, .credentialRecovered]
        ).events
    }
}
