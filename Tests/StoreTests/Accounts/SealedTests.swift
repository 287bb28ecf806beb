// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: sealed items", .timeLimit(.minutes(20)))
struct SealedTests {
    private static let subscription = TopicFixtures.subscription(.url("https://example.com/"), sealedUser: [1])
    private static let items: [SealedItem] = [
        .credential("apns"), .webhook("wh_1"), .signingSecret("key1"), .subscriptionUser(subscription.id),
        .deliveryIdentity, .dataKey,
    ]

    @Test(
        "the sealed bytes of an item are replaced once, and nothing else changes",
        arguments: TestStoreBackend.allCases
    )
    func replace(kind: TestStoreBackend) async throws {
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

    @Test("nothing is replaced where there is no such item", arguments: TestStoreBackend.allCases)
    func missing(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store async throws in
            for item in Self.items { #expect(try await !store.replaceSealed(item, old: [1], new: [2]), "\(item)") }
            #expect(try await store.deliveryIdentity() == nil, "the identity")
        }
    }

    @Test(
        "what is sealed is read table by table, with its owner, also of rows that are corrupt",
        arguments: TestStoreBackend.allCases
    )
    func values(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await Self.fill(store)
            try await damage("UPDATE @webhooks SET failures = -1, url = ''")
            try await damage("UPDATE @credentials SET key_id = NULL")
            try await damage("UPDATE @api_keys SET created_at = 9223372036854775807")
            try await damage("UPDATE @subscriptions SET attributes = '[', state = 9")
            try await damage("UPDATE @apps SET created_at = 9223372036854775807")
            var found: [SealedItem: String?] = [:]
            for table in SealedTable.allCases {
                for value in try await store.sealedValues(in: table) {
                    #expect(value.bytes == [1], "\(value.item)")
                    found[value.item] = .some(value.owner)
                }
            }
            #expect(Set(found.keys) == Set(Self.items + [.credential("other")]), "the items")
            #expect(found[.webhook("wh_1")] == .some(StoreFixtures.app.rawValue), "whose webhook it is")
            #expect(found[.subscriptionUser(Self.subscription.id)] == .some("news"), "whose subscription it is")
            #expect(found[.signingSecret("key1")] == .some(nil), "whose API key it is")
            for item in Self.items {
                #expect(try await store.replaceSealed(item, old: [1], new: [2]), "\(item)")
            }
        }
    }

    @Test(
        "users of URLs are read page by page, without those of topics that were deleted",
        arguments: TestStoreBackend.allCases
    )
    func users(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for topic in ["news", "other", "gone"] as [TopicName] { try await store.makeTopic(topic) }
            var sealed: [SealedItem] = []
            for (number, topic) in (["news", "other", "news", "gone"] as [TopicName]).enumerated() {
                let now = StoreFixtures.after(Double(number))
                let subscriber = Subscriber.url("https://example.com/\(number)")
                let sample = TopicFixtures.subscription(subscriber, to: topic, sealedUser: [UInt8(number)], now: now)
                try await store.subscribe(sample)
                try await store.subscribe(TopicFixtures.subscription(.url("https://example.com/"), to: topic, now: now))
                if topic != "gone" { sealed.append(.subscriptionUser(sample.id)) }
            }
            _ = try await store.deleteTopic("gone", of: nil)
            let first = try await store.sealedValues(in: .subscriptions, after: nil, limit: 2)
            #expect(first.elements.map(\.item) == Array(sealed.prefix(2)), "the first page")
            #expect(first.elements.map(\.bytes) == [[0], [1]], "the users of the first page")
            let second = try await store.sealedValues(in: .subscriptions, after: first.next, limit: 2)
            #expect(second.elements.map(\.item) == [sealed[2]], "the second page")
            #expect(second.next == nil, "the cursor behind the last page")
        }
    }

    @Test("signing secrets of revoked API keys are not read", arguments: TestStoreBackend.allCases)
    func revoked(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await Self.fill(store)
            try await store.revokeKey("key1", now: StoreFixtures.now)
            let found = try await store.sealedValues(in: .apiKeys)
            #expect(found == [], "the secrets")
        }
    }

    /// Adds one item of each kind, with the sealed bytes `[1]`, and another credential with the same bytes.
    private static func fill(_ store: any PushStore) async throws {
        try await store.addSampleApp()
        for id in ["apns", "other"] as [CredentialID] {
            try await store.addCredential(
                Credential(
                    id: id,
                    app: StoreFixtures.app,
                    kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
                    environments: [.sandbox],
                    secret: .sealed([1]),
                    createdAt: StoreFixtures.now
                )
            )
        }
        try await store.createWebhook(
            Webhook(
                id: "wh_1",
                app: StoreFixtures.app,
                url: try #require(WebhookURL("https://hooks.example.com/")),
                kinds: nil,
                sealedSecret: [1],
                createdAt: StoreFixtures.now,
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
                createdAt: StoreFixtures.now
            )
        )
        try await store.makeTopic()
        _ = try await store.subscribe(self.subscription)
        let identity = StoredSigningIdentity(certificate: "PEM", sealedKey: [1])
        _ = try await store.replaceDeliveryIdentity(nil, with: identity)
        _ = try await store.addDataKey([1], ifEmpty: false)
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
        case .dataKey: return try await store.dataKey()?.sealed
        }
    }
}

extension SealedStore {
    /// All sealed values of a table, read one at a time.
    fileprivate func sealedValues(in table: SealedTable) async throws -> [SealedValue] {
        var values: [SealedValue] = []
        var cursor: SealedItem?
        repeat {
            let page = try await self.sealedValues(in: table, after: cursor, limit: 1)
            values += page.elements
            cursor = page.next
        } while cursor != nil
        return values
    }
}
