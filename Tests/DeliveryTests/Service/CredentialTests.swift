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

@Suite("Credentials", .timeLimit(.minutes(20)))
struct CredentialTests {
    @Test("without a credential the targets fail with a code, and the log says what is missing")
    func missing() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                stage.connect(to: simulator)
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(failed: [.noCredential: 2]))
                    let message = try await stage.log.first(containing: "no credential for sandbox")
                    #expect(message.contains(DeliveryStage.app.rawValue))

                    // What was not found is not remembered.
                    try await stage.addKey(simulator.demoKey, environment: .sandbox)
                    let again = try stage.plan(try stage.bootTargets(1, on: simulator))
                    let later = try await stage.send(again).counts
                    #expect(later.delivered == 1)
                }
            }
        }
    }

    @Test("targets of an environment without a credential fail, the others are delivered")
    func missingForOne() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let target = try stage.boot(on: simulator).target
                let other = Target(token: target.token, environment: .production)
                try await stage.deliver { [stage] in
                    let status = try await stage.send(try stage.plan([other, target, other]))
                    #expect(status.counts == OutcomeCounts(delivered: 1, failed: [.noCredential: 2]))
                }
            }
        }
    }

    enum Breakage: CaseIterable {
        case otherMasterKey
        case missingFile
        case fileElsewhere
        case notAKey
    }

    @Test("with a credential that cannot be read the targets fail with a code", arguments: Breakage.allCases)
    func broken(_ breakage: Breakage) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                stage.connect(to: simulator)
                try await stage.addBroken(breakage, simulator)
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(failed: [.invalidCredential: 1]))
                    let message = try await stage.log.first(containing: "No usable credential; failing targets")
                    #expect(message.contains("cannot be used"))
                }
            }
        }
    }

    @Test("an older credential is used while the youngest cannot be read")
    func olderOne() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                try await stage.addBroken(.missingFile, simulator)
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts.delivered == 1)
                    try await stage.log.first(containing: "Skipped an unusable credential")
                }
            }
        }
    }

    @Test("a key in a file, and the youngest of two, is used")
    func youngestFromFile() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                // APNs does not know the older one: pushes with it would be rejected.
                let stranger = try stage.strangerKey()
                try await stage.addKey(stranger, environment: .sandbox)
                stage.connect(to: simulator)
                let file = stage.directory.appendingPathComponent("key.p8")
                try Data(simulator.demoKey.p8.utf8).write(to: file)
                try await stage.addCredential(
                    kind: .key(keyID: simulator.demoKey.keyID, teamID: simulator.demoKey.teamID),
                    environment: .sandbox,
                    secret: .file(path: file.path)
                )
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts.delivered == 1)
                }
            }
        }
    }

    @Test("a key is replaced without a rejected push: the next one is added, the first is removed, and then revoked")
    func replacedKey() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                // Over by the next look at a clock that goes on.
                stage.configuration.credentialLifetime = .nanoseconds(1)
                let first = try await stage.store.credentials(of: DeliveryStage.app)
                let plans = try (0..<3).map { _ in try stage.plan(try stage.bootTargets(20, on: simulator)) }
                let all = OutcomeCounts(delivered: 20)
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    let hold = simulator.inject(SimulatorFault(.hold, count: 1))
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    try await stage.accept(plans[0])
                    _ = await arrivals.next()
                    let next = try simulator.makeKey(teamID: simulator.demoKey.teamID)
                    try await stage.addKey(next, environment: .sandbox)
                    for credential in first { _ = try await stage.store.removeCredential(credential.id) }
                    // A held response holds all later ones of its connection.
                    simulator.removeFault(hold)
                    #expect(try await stage.settled(plans[0], changes).counts == all, "begun with the first key")
                    #expect(try await stage.send(plans[1]).counts == all, "with the next key")
                    simulator.revokeKey(simulator.demoKey.keyID)
                    #expect(try await stage.send(plans[2]).counts == all, "after the first key was revoked")
                }
                #expect(simulator.statistics.rejected.isEmpty)
                #expect(simulator.statistics.delivered == 60)
            }
        }
    }

    @Test("one that was removed is used no longer than its time, however far the clock of the machine is set back")
    func removedBeforeStepBack() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                // Over by the next look at a clock that goes on.
                stage.configuration.credentialLifetime = .nanoseconds(1)
                try await stage.deliver { [stage] in
                    let first = try await stage.send(try stage.plan(try stage.bootTargets(1, on: simulator)))
                    #expect(first.counts.delivered == 1)
                    for credential in try await stage.store.credentials(of: DeliveryStage.app) {
                        _ = try await stage.store.removeCredential(credential.id)
                    }
                    stage.now.advance(by: .seconds(-3600))
                    let second = try await stage.send(try stage.plan(try stage.bootTargets(1, on: simulator)))
                    #expect(second.counts == OutcomeCounts(failed: [.noCredential: 1]))
                }
            }
        }
    }

    @Test("a type of push that needs a key is not sent with a certificate")
    func needsKey() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                stage.connect(to: simulator)
                try await stage.addCredential(
                    kind: .certificate(format: .pem),
                    environment: .sandbox,
                    secret: .file(path: "/nonexistent.pem")
                )
                let target = try stage.boot(on: simulator).target
                try await stage.deliver { [stage] in
                    let status = try await stage.send(try stage.plan([target], pushType: .liveactivity))
                    #expect(status.counts == OutcomeCounts(failed: [.noCredential: 1]))
                }
            }
        }
    }
}

extension DeliveryStage {
    fileprivate func addBroken(_ breakage: CredentialTests.Breakage, _ simulator: APNsSimulator) async throws {
        let key = simulator.demoKey
        switch breakage {
        case .otherMasterKey:
            try await self.addKey(key, environment: .sandbox, sealedWith: MasterKey.generate())
        case .missingFile:
            try await self.addCredential(
                kind: .key(keyID: key.keyID, teamID: key.teamID),
                environment: .sandbox,
                secret: .file(path: self.directory.appendingPathComponent("gone.p8").path)
            )
        case .fileElsewhere:
            try Data(key.p8.utf8).write(to: self.directory.appendingPathComponent("key.p8"))
            let parent = self.directory.path + "/.."
            try await self.addCredential(
                kind: .key(keyID: key.keyID, teamID: key.teamID),
                environment: .sandbox,
                secret: .file(path: "\(parent)/\(self.directory.lastPathComponent)/key.p8")
            )
        case .notAKey:
            let wrong = SimulatorProviderKey(keyID: key.keyID, teamID: key.teamID, p8: "hello")
            try await self.addKey(wrong, environment: .sandbox)
        }
    }

    /// A key of another simulator's.
    fileprivate func strangerKey() throws -> SimulatorProviderKey {
        try APNsSimulator(logger: .silent).demoKey
    }
}
