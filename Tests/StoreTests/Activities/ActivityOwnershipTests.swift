// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

/// A copy of the app in which an attacker may have put anything: it has the client key, and a secret of its own.
@Suite("Stores: owners of Live Activities", .timeLimit(.minutes(20)))
struct ActivityOwnershipTests {
    private static let policy = InstallationSecretPolicy(mode: .required)

    private static func access(_ letter: Character) throws -> DeviceAccess {
        .installation(try InstallationSecretTests.secret(letter), Self.policy)
    }

    private func report(_ number: Int, token: Int? = nil, by letter: Character) throws -> UpdateTokenRegistration {
        var report = try ActivityFixtures.upload(number, token: token)
        report.access = try Self.access(letter)
        report.joins = .named
        return report
    }

    private func register(
        _ number: Int,
        by letter: Character,
        user: UserID? = nil,
        in store: any PushStore
    ) async throws {
        let profile = DeviceProfile(userID: user)
        var phone = try StoreFixtures.registration(ActivityFixtures.phone(number), token: number, profile: profile)
        phone.access = try Self.access(letter)
        try await store.register(phone, now: StoreFixtures.now)
    }

    @Test(
        "a device joins an activity of the backend only if that names it or its user, or has started it there",
        arguments: TestStoreBackend.allCases
    )
    func joins(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [])
            await #expect(throws: DeviceAccessError.notParticipant) {
                try await store.tell(self.report(6, by: "x"))
            }
            #expect(try await store.phones().isEmpty)
            try await self.register(1, by: "a", in: store)
            try await self.register(2, by: "b", user: "bob", in: store)
            let members = ActivityMembers(devices: [ActivityFixtures.phone(1)], users: ["bob"])
            #expect(try await store.name(members, in: ActivityFixtures.lesson, of: StoreFixtures.app))
            #expect(try await store.name(members, in: ActivityFixtures.lesson, of: StoreFixtures.app), "again")
            #expect(try await !store.name(members, in: "unknown", of: StoreFixtures.app))
            #expect(try await store.tell(self.report(1, by: "a")) != nil)
            #expect(try await store.tell(self.report(2, by: "b")) != nil)
            // A start by a push.
            try await self.register(3, by: "c", in: store)
            try await store.keep(ActivityFixtures.startToken(3, token: 103))
            let phones = [ActivityFixtures.phone(3)]
            _ = try await store.start(
                on: phones,
                rollingOut: nil,
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now,
                noting: nil
            )
            await #expect(throws: DeviceAccessError.secretMismatch) {
                try await store.tell(self.report(3, by: "x"))
            }
            #expect(try await store.tell(self.report(3, by: "c")) != nil)
            #expect(try await store.phones().count == 3)
        }
    }

    @Test("only the secret of a participant changes its token and ends it", arguments: TestStoreBackend.allCases)
    func participants(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [])
            let members = ActivityMembers(devices: [ActivityFixtures.phone(1)])
            try await store.name(members, in: ActivityFixtures.lesson, of: StoreFixtures.app)
            // Before its device is registered, the ID is no evidence.
            await #expect(throws: DeviceAccessError.notParticipant) {
                try await store.tell(self.report(1, by: "x"))
            }
            try await self.register(1, by: "a", in: store)
            _ = try await store.tell(self.report(1, by: "a"))
            await #expect(throws: DeviceAccessError.secretMismatch) {
                try await store.tell(self.report(1, token: 66, by: "x"))
            }
            var end = ActivityEndReport(installation: ActivityFixtures.phone(1), reason: .ended)
            end.access = try Self.access("x")
            await #expect(throws: DeviceAccessError.secretMismatch) { try await store.leave(end) }
            #expect(try await store.phones().first?.token == StoreFixtures.token(1))
            _ = try await store.tell(self.report(1, token: 11, by: "a"))
            #expect(try await store.phones().first?.token == StoreFixtures.token(11))
            // A reset holds for its activities too.
            #expect(try await store.resetSecret(of: ActivityFixtures.phone(1), app: StoreFixtures.app))
            try await self.register(1, by: "n", in: store)
            _ = try await store.tell(self.report(1, token: 12, by: "n"))
            #expect(try await store.phones().first?.token == StoreFixtures.token(12))
            end.access = try Self.access("n")
            #expect(try await store.leave(end))
        }
    }

    @Test("an activity that an installation creates is its own", arguments: TestStoreBackend.allCases)
    func own(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            func create(_ id: ActivityID, _ number: Int, by letter: Character) async throws -> DeviceAccessError? {
                do {
                    let draft = try ActivityFixtures.activity(id)
                    let report = try self.report(number, by: letter)
                    let app = StoreFixtures.app
                    let now = StoreFixtures.now
                    #expect(try await store.receive(report, for: id, of: app, creating: draft, now: now) != nil)
                    return nil
                } catch let refusal as DeviceAccessError {
                    return refusal
                }
            }
            #expect(try await create("ride", 1, by: "a") == nil)
            #expect(try await create("ride", 1, by: "a") == nil, "a repetition")
            #expect(try await create("ride", 1, by: "x") == .secretMismatch)
            #expect(try await create("ride", 6, by: "x") == .notParticipant)
            #expect(try await store.phones("ride").count == 1)
            for number in 1..<ActivityLimit.ofInstallation {
                #expect(try await create(ActivityID(unchecked: "ride \(number)"), 1, by: "a") == nil)
            }
            #expect(try await create("one more", 1, by: "a") == .limit)
            #expect(try await store.activity("one more", of: StoreFixtures.app) == nil)
        }
    }

    @Test(
        "the backend's creation takes the ID from an installation, whose activity ends",
        arguments: TestStoreBackend.allCases
    )
    func displaced(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let (app, now) = (StoreFixtures.app, StoreFixtures.now)
            let id = ActivityFixtures.lesson
            let draft = try ActivityFixtures.activity(id)
            _ = try await store.receive(self.report(6, by: "x"), for: id, of: app, creating: draft, now: now)
            _ = try await store.createActivity(draft, startingOn: [], now: now)
            #expect(try await store.phones().isEmpty, "the backend's activity")
            let all = try await store.activities(of: app, matching: ActivityFilter(), after: nil, limit: 10).elements
            #expect(all.count == 2)
            #expect(all.filter { $0.id != id }.allSatisfy { $0.lifecycle.state.isOver })
            let batch = try await store.claimOne()
            #expect(ActivityFixtures.payloads(batch).map { $0.contains(#""event":"end""#) } == [true])
            try await store.settleAll(batch)
            _ = try await store.change(ActivityFixtures.patch(#"{"secret":1}"#))
            #expect(try await store.claim(now: now).isEmpty, "nothing reaches the installation")
            await #expect(throws: StoreError.self) {
                try await store.createActivity(draft, startingOn: [], now: now)
            }
        }
    }

    @Test(
        "an installation that the backend names goes on in the backend's activity",
        arguments: TestStoreBackend.allCases
    )
    func adopted(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let (app, now) = (StoreFixtures.app, StoreFixtures.now)
            let id = ActivityFixtures.lesson
            try await self.register(1, by: "a", user: "ann", in: store)
            let draft = try ActivityFixtures.activity(id)
            _ = try await store.receive(self.report(1, by: "a"), for: id, of: app, creating: draft, now: now)
            _ = try await store.createActivity(
                try ActivityFixtures.activity(id, state: #"{"status":"planned"}"#),
                startingOn: [],
                rollingOut: nil,
                planning: [],
                naming: ActivityMembers(users: ["ann"]),
                now: now,
                noting: nil
            )
            let phones = try await store.phones()
            #expect(phones.map(\.installation) == [ActivityFixtures.phone(1)])
            let batch = try await store.claimOne()
            #expect(ActivityFixtures.payloads(batch).map { $0.contains("planned") } == [true])
            try await store.settleAll(batch)
            #expect(try await store.tell(self.report(1, token: 11, by: "a")) != nil)
            await #expect(throws: DeviceAccessError.secretMismatch) {
                try await store.tell(self.report(1, token: 66, by: "x"))
            }
        }
    }
}
