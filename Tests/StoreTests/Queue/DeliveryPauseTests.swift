// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: delivery pauses", .timeLimit(.minutes(20)))
struct DeliveryPauseTests {
    private static func pause(
        app: AppID = StoreFixtures.app,
        _ environment: APNsEnvironment = .sandbox,
        credential: CredentialID = "key-1",
        pushTypes: Set<PushType> = [.alert, .background],
        reason: String = "InvalidProviderToken",
        nextProbeAt: Date = StoreFixtures.after(10)
    ) -> OpenCircuit {
        OpenCircuit(
            line: OpenCircuit.Circuit(app: app, environment: environment, credential: credential),
            pushTypes: pushTypes,
            cause: "credential",
            reason: reason,
            since: StoreFixtures.now,
            nextProbeAt: nextProbeAt
        )
    }

    @Test(
        "what a notification waits for is known to all until somebody says that it is over",
        arguments: TestStoreBackend.allCases
    )
    func notification(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 3)
            let id = plan.notification.id
            try await store.accept(plan)
            let environment = plan.batches[0].targets.environment(at: 0)
            let pausesFirst = try await store.pauses(holdingUp: id, now: StoreFixtures.now)
            #expect(pausesFirst == [], "the pauses at first")
            let first = Self.pause(environment)
            try await store.notePause(first)
            let pauses = try await store.pauses(holdingUp: id, now: StoreFixtures.now)
            #expect(pauses == [first], "the pauses")
            let longer = Self.pause(environment, reason: "ExpiredProviderToken", nextProbeAt: StoreFixtures.after(30))
            let other = Self.pause(environment, credential: "key-0")
            try await store.notePause(longer)
            try await store.notePause(other)
            let pausesLater = try await store.pauses(holdingUp: id, now: StoreFixtures.now)
            #expect(pausesLater == [other, longer], "the pauses when one lasts longer")
            try await store.endPause(of: longer.line)
            try await store.endPause(of: longer.line)
            let remainingPauses = try await store.pauses(holdingUp: id, now: StoreFixtures.now)
            #expect(remainingPauses == [other], "what is left")
            // Whoever noted it has told nothing for so long that he must be gone.
            let late = StoreFixtures.after(10 + OpenCircuit.patience)
            let pausesMuchLater = try await store.pauses(holdingUp: id, now: late)
            #expect(pausesMuchLater == [], "the pauses much later")
        }
    }

    @Test(
        "what of an app is paused is known to all, whether anything waits for it or not",
        arguments: TestStoreBackend.allCases
    )
    func ofApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let app = StoreFixtures.app
            let pausesFirst = try await store.pauses(of: app, now: StoreFixtures.now)
            #expect(pausesFirst == [], "the pauses at first")
            let production = Self.pause(.production)
            let sandbox = Self.pause(.sandbox, pushTypes: [.voip])
            let older = Self.pause(.sandbox, credential: "key-0", nextProbeAt: StoreFixtures.after(5))
            let other = Self.pause(app: StoreFixtures.otherApp)
            for pause in [sandbox, other, production, older] { try await store.notePause(pause) }
            let expected = [production, older, sandbox]
            let pauses = try await store.pauses(of: app, now: StoreFixtures.now)
            #expect(pauses == expected, "its pauses")
            let otherPauses = try await store.pauses(of: other.line.app, now: StoreFixtures.now)
            #expect(otherPauses == [other], "the other's")
            let pausesOfUnknown = try await store.pauses(of: "com.example.none", now: StoreFixtures.now)
            #expect(pausesOfUnknown == [], "the pauses of an app that there is not")
            let late = StoreFixtures.after(5 + OpenCircuit.patience)
            let latePauses = try await store.pauses(of: app, now: late)
            #expect(latePauses == [production, sandbox], "what counts later")
            try await store.endPause(of: production.line)
            let remainingPauses = try await store.pauses(of: app, now: late)
            #expect(remainingPauses == [sandbox], "what is left")
        }
    }

    @Test(
        "a notification waits neither for other ways than its own, nor once it is settled",
        arguments: TestStoreBackend.allCases
    )
    func otherLines(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let plan = try StoreFixtures.plan(targets: 1)
            let id = plan.notification.id
            try await store.accept(plan)
            let environment = plan.batches[0].targets.environment(at: 0)
            try await store.notePause(Self.pause(environment.other))
            try await store.notePause(Self.pause(environment, pushTypes: [.voip]))
            try await store.notePause(Self.pause(app: "com.example.none", environment))
            let pausesOthers = try await store.pauses(holdingUp: id, now: StoreFixtures.now)
            #expect(pausesOthers == [], "the pauses of others")
            try await store.notePause(Self.pause(environment))
            let pauseCount = try await store.pauses(holdingUp: id, now: StoreFixtures.now).count
            #expect(pauseCount == 1, "its own")
            let claimed = try #require(try await store.claim().first, "the batch")
            try await store.settle(Settlement(of: claimed, range: 0..<1, failures: []), now: StoreFixtures.now)
            let pausesAtEnd = try await store.pauses(holdingUp: id, now: StoreFixtures.now)
            #expect(pausesAtEnd == [], "the pauses at the end")
            let none = NotificationID(now: StoreFixtures.now)
            let pausesOfNone = try await store.pauses(holdingUp: none, now: StoreFixtures.now)
            #expect(pausesOfNone == [], "the pauses of none")
        }
    }
}
