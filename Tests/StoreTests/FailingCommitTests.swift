// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Failures at the commit", .timeLimit(.minutes(20)))
struct FailingCommitTests {
    private struct InjectedFault: Error {}

    /// An operation that changes something.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let store: @Sendable (any PushStore) async throws -> Void

        /// How often the change is stored.
        let count: @Sendable (any PushStore) async throws -> Int
    }

    private static let app = App(id: StoreFixtures.otherApp, createdAt: StoreFixtures.now)
    private static let trouble = CredentialFailure(
        subject: CredentialFailure.Subject(app: StoreFixtures.app, environment: .production, pushType: .alert),
        cause: .failed(.noCredential)
    )

    static let changes: [Change] = [
        Change(testDescription: "createApp") {
            try await $0.createApp(Self.app)
        } count: {
            try await $0.apps(after: nil, limit: 10).elements.count { $0 == Self.app }
        },
        Change(testDescription: "credentialFailed, with an event") {
            try await $0.credentialFailed(Self.trouble, now: StoreFixtures.now)
        } count: {
            try await $0.events(of: StoreFixtures.app, after: nil, limit: 10, kinds: nil).events.count
        },
        Change(testDescription: "createTopic") {
            let app = StoreFixtures.app
            _ = try await $0.createTopic(
                TopicFixtures.topic,
                attributes: [:],
                tags: [:],
                for: app,
                now: StoreFixtures.now
            )
        } count: {
            try await $0.topics(of: StoreFixtures.app, after: nil, limit: 10).elements.count
        },
        Change(testDescription: "createWebhook") {
            try await $0.createWebhook(try StoreFixtures.webhook())
        } count: {
            try await $0.webhooks(of: StoreFixtures.app).count
        },
        Change(testDescription: "putJob") {
            _ = try await $0.put(try JobSamples.code())
        } count: {
            try await $0.jobs(of: StoreFixtures.app, after: nil, limit: 10).elements.count
        },
        Change(testDescription: "append, for a stream") {
            try await $0.append(StoreFixtures.chunk(1..<4))
        } count: {
            try await $0.chunks(of: "s", app: StoreFixtures.app, after: 0, limit: 10).count
        },
        Change(testDescription: "addCredential") {
            try await $0.addCredential(PlatformFixtures.credential("credential"))
        } count: {
            try await $0.credentials(of: StoreFixtures.app).count
        },
    ]

    @Test(
        "an operation whose connection fails before the commit throws and stores nothing",
        arguments: TestStoreBackend.allCases,
        Self.changes
    )
    func before(kind: TestStoreBackend, change: Change) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let failing = ProbedStore(store, StoreProbe(beforeCommit: { _ in throw InjectedFault() }))
            await #expect(throws: InjectedFault.self) { try await change.store(failing) }
            #expect(try await change.count(store) == 0)
            try await change.store(store)
            #expect(try await change.count(store) == 1)
        }
    }

    @Test(
        "an operation whose connection fails after the commit throws, and a repetition stores nothing more",
        arguments: TestStoreBackend.allCases,
        Self.changes
    )
    func after(kind: TestStoreBackend, change: Change) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let failing = ProbedStore(store, StoreProbe(after: { _ in throw InjectedFault() }))
            await #expect(throws: InjectedFault.self) { try await change.store(failing) }
            #expect(try await change.count(store) == 1)
            do {
                try await change.store(store)
            } catch let error as StoreError where error.code == .conflict {
                // The caller sees that its change is stored.
            }
            #expect(try await change.count(store) == 1)
        }
    }

    @Test(
        "a transaction that catches the failure of a statement executes nothing more and stores nothing",
        arguments: TestStoreBackend.allCases,
        [false, true]
    )
    func caught(kind: TestStoreBackend, executesMore: Bool) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let former = try await store.app(StoreFixtures.app)
            let sql = store.sql
            let conflict: SQL = """
                INSERT INTO apps (id, name, default_environment, created_at)
                SELECT id, name, default_environment, created_at FROM apps
                """
            @Sendable func change() async throws {
                try await sql.write { transaction in
                    try transaction.run("UPDATE apps SET created_at = 1")
                    #expect(throws: (any Error).self) { try transaction.rows(conflict) }
                    guard executesMore else { return }
                    #expect(throws: (any Error).self) { try transaction.rows("SELECT id FROM apps") }
                }
            }
            await #expect(throws: (any Error).self) { try await change() }
            #expect(try await store.app(StoreFixtures.app) == former)
        }
    }
}
