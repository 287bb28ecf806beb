// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: API keys", .timeLimit(.minutes(20)))
struct APIKeyTests {
    @Test("an API key comes back as it was created, with its hash", arguments: TestStoreBackend.allCases)
    func create(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let secret = APIKeySecret.generate()
            let key = APIKey(
                id: secret.id,
                name: "CI",
                scopes: [.send, .read],
                app: StoreFixtures.app,
                secretHash: secret.hash,
                createdAt: StoreFixtures.now,
                expiresAt: StoreFixtures.after(3600)
            )
            try await store.createKey(key)
            let stored = try #require(try await store.key(key.id), "the key")
            #expect(stored == key, "the key")
            #expect(stored.refusal(of: secret, now: StoreFixtures.now) == nil, "the refusal of its secret")
            #expect(try await store.key("none") == nil, "a key that was never created")
            try await expectError(.conflict, "the same id again") { try await store.createKey(key) }
        }
    }

    @Test("a key may be bound only to an app that exists, and goes with it", arguments: TestStoreBackend.allCases)
    func bind(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let key = Self.key("bound", app: StoreFixtures.app)
            try await expectError(.notFound, "a key bound to no app") { try await store.createKey(key) }
            try await store.addSampleApp()
            try await store.createKey(key)
            try await store.createKey(Self.key("free"))
            try await store.deleteApp(StoreFixtures.app)
            let ids = try await store.keys(after: nil, limit: 10).elements.map(\.id)
            #expect(ids == ["free"], "the keys left")
        }
    }

    @Test("a revoked key stays, and keeps the time of its first revocation", arguments: TestStoreBackend.allCases)
    func revoke(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.createKey(Self.key("key"))
            #expect(try await store.revokeKey("key", now: StoreFixtures.after(1)), "it was not revoked")
            #expect(try await store.revokeKey("key", now: StoreFixtures.after(2)), "revoking it again")
            let revokedAt = try await store.key("key")?.revokedAt
            #expect(revokedAt == StoreFixtures.after(1), "the time")
            #expect(try await !store.revokeKey("none", now: StoreFixtures.now), "revoking no key")
        }
    }

    @Test(
        "the last uses of several keys are stored at once, and no time steps back",
        arguments: TestStoreBackend.allCases
    )
    func uses(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for id in ["a", "b", "c"] as [APIKeyID] { try await store.createKey(Self.key(id)) }
            try await store.markKeysUsed([:])
            let (early, late) = (StoreFixtures.after(5), StoreFixtures.after(6))
            try await store.markKeysUsed(["a": early, "b": late, "none": late])
            try await store.markKeysUsed(["a": StoreFixtures.after(4), "b": StoreFixtures.after(7)])
            let times = try await store.keys(after: nil, limit: 10).elements.map(\.lastUsedAt)
            #expect(times == [StoreFixtures.after(5), StoreFixtures.after(7), nil], "the last uses of a, b and c")
            #expect(try await store.key("b")?.lastUsedAt == StoreFixtures.after(7), "the last use of b")
        }
    }

    @Test("keys are listed page by page in the order of their ids", arguments: TestStoreBackend.allCases)
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for id in ["c", "a", "b"] as [APIKeyID] { try await store.createKey(Self.key(id)) }
            let first = try await store.keys(after: nil, limit: 2)
            #expect(first.elements.map(\.id) == ["a", "b"], "the first page")
            let second = try await store.keys(after: first.next, limit: 2)
            #expect(second.elements.map(\.id) == ["c"], "the second page")
            #expect(second.next == nil, "the cursor behind the last page")
        }
    }

    private static func key(_ id: APIKeyID, app: AppID? = nil) -> APIKey {
        APIKey(
            id: id,
            name: id.rawValue,
            scopes: [.admin],
            app: app,
            secretHash: APIKeySecret.generate().hash,
            createdAt: StoreFixtures.now
        )
    }
}
