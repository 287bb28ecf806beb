// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
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
            try await store.markKeysUsed([
                "a": APIKeyUse(time: early, address: "192.0.2.1"), "b": APIKeyUse(time: late),
                "none": APIKeyUse(time: late),
            ])
            try await store.markKeysUsed([
                "a": APIKeyUse(time: StoreFixtures.after(4), address: "192.0.2.2"),
                "b": APIKeyUse(time: StoreFixtures.after(7)),
            ])
            #expect(try await store.key("a")?.lastUsedAddress == "192.0.2.1", "the address of a")
            let times = try await store.keys(after: nil, limit: 10).elements.map(\.lastUsedAt)
            #expect(times == [StoreFixtures.after(5), StoreFixtures.after(7), nil], "the last uses of a, b and c")
            #expect(try await store.key("b")?.lastUsedAt == StoreFixtures.after(7), "the last use of b")
        }
    }

    @Test("a successor has the rights of its key, which ends after the overlap", arguments: TestStoreBackend.allCases)
    func rotate(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            var key = Self.key("old", app: StoreFixtures.app)
            key.policy = try KeyPolicy(json: ["Statement": ["Effect": "Allow", "Action": "*", "Resource": "*"]])
            key.allowedAddresses = try ["192.0.2.0/24", "2001:db8::1"].map(AddressRange.init(validating:))
            key.createdBy = "creator"
            key.expiresAt = StoreFixtures.after(7200)
            try await store.createKey(key)
            #expect(try await store.key("old") == key, "the key")
            let next = Self.successor("new", of: key)
            let end = StoreFixtures.after(60)
            let ended = try await store.rotateKey("old", to: next, endingAt: end, now: StoreFixtures.now)
            #expect(ended?.expiresAt == end, "the end of the key")
            #expect(ended?.replacedBy == "new", "its successor")
            #expect(try await store.key("old") == ended, "the stored key")
            let stored = try #require(try await store.key("new"), "the successor")
            #expect(stored == next, "the successor")
            #expect(stored.scopes == key.scopes && stored.app == key.app && stored.policy == key.policy, "its rights")
            #expect(stored.allowedAddresses == key.allowedAddresses, "its addresses")
            #expect(stored.expiresAt == key.expiresAt, "its end")
        }
    }

    @Test("a rotation never extends a key, and replaces only a valid one", arguments: TestStoreBackend.allCases)
    func rotateInvalid(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            var key = Self.key("old")
            key.expiresAt = StoreFixtures.after(10)
            try await store.createKey(key)
            let (now, late) = (StoreFixtures.now, StoreFixtures.after(100))
            let next = Self.successor("new", of: key)
            try await expectError(.conflict, "a successor with the ID of the key") {
                _ = try await store.rotateKey("old", to: key, endingAt: late, now: now)
            }
            #expect(try await store.key("old") == key, "the key after the conflict")
            let ended = try await store.rotateKey("old", to: next, endingAt: late, now: now)
            #expect(ended?.expiresAt == StoreFixtures.after(10), "the end")
            let other = Self.successor("other", of: key)
            #expect(try await store.rotateKey("old", to: other, endingAt: late, now: late) == nil, "an expired key")
            try await store.revokeKey("new", now: now)
            #expect(try await store.rotateKey("new", to: other, endingAt: late, now: now) == nil, "a revoked key")
            #expect(try await store.rotateKey("none", to: other, endingAt: late, now: now) == nil, "no key")
            #expect(try await store.key("other") == nil, "the successor of no valid key")
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

    private static func successor(_ id: APIKeyID, of key: APIKey) -> APIKey {
        key.successor(
            id,
            secretHash: APIKeySecret.generate().hash,
            sealedSigningSecret: nil,
            createdBy: "admin",
            expiresAt: nil,
            now: StoreFixtures.now
        )
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
