// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension StoreConformance {
    static let keys = [
        Check("an API key comes back as it was created, with its hash") { store in
            try await store.addSampleApp()
            let secret = APIKeySecret.generate()
            let key = APIKey(
                id: secret.id,
                name: "CI",
                scopes: [.send, .read],
                app: StoreSamples.app,
                secretHash: secret.hash,
                createdAt: StoreSamples.now,
                expiresAt: StoreSamples.after(3600)
            )
            try await store.createKey(key)
            let stored = try require(try await store.key(key.id), "the key")
            try expectEqual(stored, key, "the key")
            try expectEqual(stored.refusal(of: secret, now: StoreSamples.now), nil, "the refusal of its secret")
            try expectEqual(try await store.key("none"), nil, "a key that was never created")
            try await expectError(.conflict, "the same id again") { try await store.createKey(key) }
        },
        Check("a key may be bound only to an app that exists, and goes with it") { store in
            let key = Self.key("bound", app: StoreSamples.app)
            try await expectError(.notFound, "a key bound to no app") { try await store.createKey(key) }
            try await store.addSampleApp()
            try await store.createKey(key)
            try await store.createKey(Self.key("free"))
            try await store.deleteApp(StoreSamples.app)
            try expectEqual(try await store.keys(after: nil, limit: 10).elements.map(\.id), ["free"], "the keys left")
        },
        Check("a revoked key stays, and keeps the time of its first revocation") { store in
            try await store.createKey(Self.key("key"))
            try expect(try await store.revokeKey("key", now: StoreSamples.after(1)), "it was not revoked")
            try expect(try await store.revokeKey("key", now: StoreSamples.after(2)), "revoking it again")
            try expectEqual(try await store.key("key")?.revokedAt, StoreSamples.after(1), "the time")
            try expectEqual(try await store.revokeKey("none", now: StoreSamples.now), false, "revoking no key")
        },
        Check("keys are listed page by page in the order of their ids") { store in
            for id in ["c", "a", "b"] as [APIKeyID] { try await store.createKey(Self.key(id)) }
            let first = try await store.keys(after: nil, limit: 2)
            try expectEqual(first.elements.map(\.id), ["a", "b"], "the first page")
            let second = try await store.keys(after: first.next, limit: 2)
            try expectEqual(second.elements.map(\.id), ["c"], "the second page")
            try expectEqual(second.next, nil, "the cursor behind the last page")
        },
    ]

    private static func key(_ id: APIKeyID, app: AppID? = nil) -> APIKey {
        APIKey(
            id: id,
            name: id.rawValue,
            scopes: [.admin],
            app: app,
            secretHash: APIKeySecret.generate().hash,
            createdAt: StoreSamples.now
        )
    }
}
