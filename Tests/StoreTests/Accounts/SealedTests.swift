// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: sealed items", .timeLimit(.minutes(5)))
struct SealedTests {
    private static let subscription = TopicSamples.subscription(.url("https://example.com/"), sealedUser: [1])
    private static let items: [SealedItem] = [
        .credential("apns"), .webhook("wh_1"), .signingSecret("key1"), .subscriptionUser(subscription.id),
        .deliveryIdentity,
    ]

    @Test("the sealed bytes of an item are replaced once, and nothing else changes", arguments: StoreInTest.allCases)
    func replace(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await Self.fill(store)
            let credential = try #require(try await store.credential("apns"))
            for item in Self.items {
                #expect(try await Self.sealed(item, in: store) == [1], "\(item)")
                #expect(try await store.replaceSealed(item, old: [1], new: [2, 0, 255]), "\(item)")
                #expect(try await Self.sealed(item, in: store) == [2, 0, 255], "\(item)")
                #expect(try await !store.replaceSealed(item, old: [1], new: [3]), "\(item): the former bytes again")
                #expect(try await Self.sealed(item, in: store) == [2, 0, 255], "\(item)")
            }
            var expected = credential
            expected.secret = .sealed([2, 0, 255])
            #expect(try await store.credential("apns") == expected, "the credential")
            #expect(try await store.credential("other")?.secret == .sealed([1]), "a credential with the same bytes")
            #expect(try await store.deliveryIdentity()?.certificate == "PEM", "the certificate")
        }
    }

    @Test("nothing is replaced where there is no such item", arguments: StoreInTest.allCases)
    func missing(kind: StoreInTest) async throws {
        try await withStore(kind) { store async throws in
            for item in Self.items { #expect(try await !store.replaceSealed(item, old: [1], new: [2]), "\(item)") }
            #expect(try await store.deliveryIdentity() == nil, "the identity")
        }
    }

    /// Adds one item of each kind, with the sealed bytes `[1]`, and another credential with the same bytes.
    private static func fill(_ store: any PushStore) async throws {
        try await store.addSampleApp()
        for id in ["apns", "other"] as [CredentialID] {
            try await store.addCredential(
                Credential(
                    id: id,
                    app: StoreSamples.app,
                    kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
                    environments: [.sandbox],
                    secret: .sealed([1]),
                    createdAt: StoreSamples.now
                )
            )
        }
        try await store.createWebhook(
            Webhook(
                id: "wh_1",
                app: StoreSamples.app,
                url: try #require(WebhookURL("https://hooks.example.com/")),
                kinds: nil,
                sealedSecret: [1],
                createdAt: StoreSamples.now,
                cursor: .beginning
            )
        )
        try await store.createKey(
            APIKey(
                id: "key1",
                name: "worker",
                scopes: [.send],
                secretHash: APIKeySecret.generate().hash,
                sealedSigningSecret: [1],
                createdAt: StoreSamples.now
            )
        )
        try await store.makeTopic()
        _ = try await store.subscribe(self.subscription)
        let identity = StoredDeliveryIdentity(certificate: "PEM", sealedKey: [1])
        _ = try await store.replaceDeliveryIdentity(nil, with: identity)
    }

    private static func sealed(_ item: SealedItem, in store: any PushStore) async throws -> [UInt8]? {
        switch item {
        case .credential(let id):
            guard case .sealed(let bytes)? = try await store.credential(id)?.secret else { return nil }
            return bytes
        case .webhook(let id): return try await store.webhook(id)?.sealedSecret
        case .signingSecret(let id): return try await store.key(id)?.sealedSigningSecret
        case .subscriptionUser(let id): return try await store.subscription(id)?.sealedUser
        case .deliveryIdentity: return try await store.deliveryIdentity()?.sealedKey
        }
    }
}
