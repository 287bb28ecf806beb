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

@Suite("Stores: corrupt subscriptions and what they belong to", .timeLimit(.minutes(20)))
struct CorruptSubscriptionTests {
    private static func url(_ number: Int, filter: SubscriptionFilter? = nil) -> Subscription {
        TopicFixtures.subscription(
            .url("http://example.com/\(number)"),
            filter: filter,
            now: StoreFixtures.after(Double(number))
        )
    }

    @Test("a topic is listed and published to without one, and goes on behind it", arguments: TestStoreBackend.allCases)
    func lists(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            try await store.makeTopic(for: StoreFixtures.app)
            try await store.addDevices(0..<1)
            let urls = (0..<3).map { Self.url($0) }
            for subscription in urls { try await store.subscribe(subscription) }
            let device = TopicFixtures.device(0)
            try await store.subscribe(device)
            try await damage("UPDATE @subscriptions SET attributes = '[' WHERE url LIKE '%1'")
            for topic in ["news", nil] as [TopicName?] {
                var pages: [[SubscriptionID]] = []
                var cursor: SubscriptionID?
                repeat {
                    let page = try await store.subscriptions(to: topic, of: nil, after: cursor, limit: 1)
                    pages.append(page.elements.map(\.id))
                    cursor = page.next
                } while cursor != nil
                let whole = [urls[0], urls[2], device].map(\.id).sorted()
                #expect(pages.flatMap(\.self) == whole, "the subscriptions")
                #expect(pages.count == 4, "the pages")
            }
            let outline = try await store.outline(of: "news", app: nil)
            #expect(outline?.urls.map(\.id) == [urls[0].id, urls[2].id], "the URLs that are posted to")
        }
    }

    @Test("the time of a subscription is brought into range", arguments: TestStoreBackend.allCases)
    func time(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.makeTopic()
            let url = Self.url(0)
            try await store.subscribe(url)
            try await damage("UPDATE @subscriptions SET created_at = 9223372036854775807")
            let outline = try await store.outline(of: "news", app: nil)
            #expect(outline?.urls.map(\.id) == [url.id], "the URLs that are posted to")
            let found = try #require(try await store.subscription(url.id), "the subscription")
            #expect(found.createdAt > StoreFixtures.now, "when it was made")
            try await store.unsubscribe(url.id)
            #expect(try await store.subscription(url.id) == nil, "the subscription after its end")
        }
    }

    @Test("a filter policy keeps no other subscription from its messages", arguments: TestStoreBackend.allCases)
    func policy(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.makeTopic()
            let filters = ["a", "b"].map { TopicFixtures.filter($0) }
            let urls = filters.enumerated().map { Self.url($0, filter: $1) }
            for subscription in urls { try await store.subscribe(subscription) }
            try await damage("UPDATE @topic_policies SET scope = '' WHERE policy LIKE '%\"a\"%'")
            let outline = try await store.outline(of: "news", app: nil)
            #expect(outline?.policies.values.map { $0 } == [filters[1]], "the policies")
            #expect(outline?.urls.map(\.id) == [urls[1].id], "the URLs that are posted to")
        }
    }

    @Test("apps, keys, topics and credentials are listed without a corrupt one", arguments: TestStoreBackend.allCases)
    func directory(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            for app in ["com.example.a", "com.example.b", "com.example.c"] as [AppID] {
                try await store.addSampleApp(app)
            }
            for id in ["a", "b", "c"] {
                try await store.createKey(
                    APIKey(
                        id: APIKeyID(unchecked: id),
                        name: id,
                        scopes: [.send],
                        secretHash: APIKeySecret.generate().hash,
                        createdAt: StoreFixtures.now
                    )
                )
                try await store.makeTopic(TopicName(unchecked: id))
                try await store.addCredential(
                    Credential(
                        id: CredentialID(unchecked: id),
                        app: "com.example.a",
                        kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
                        environments: [.sandbox],
                        secret: .sealed([1]),
                        createdAt: StoreFixtures.now
                    )
                )
            }
            let worst = "9223372036854775807"
            try await damage("UPDATE @api_keys SET created_at = \(worst) WHERE id = 'b'")
            try await damage("UPDATE @topics SET created_at = \(worst) WHERE name = 'b'")
            try await damage("UPDATE @credentials SET created_at = \(worst) WHERE id = 'b'")
            let credentials = try await store.credentials(of: "com.example.a").map(\.id)
            #expect(Set(credentials) == ["a", "c"], "the credentials")
            let key = try await store.keys(after: "a", limit: 1)
            #expect(key.elements.isEmpty && key.next == "b", "the page with the damaged key")
            let keys = try await store.keys(after: key.next, limit: 1).elements.map(\.id)
            #expect(keys == ["c"], "the page behind it")
            let topics = try await store.topics(of: nil, after: nil, limit: 10).elements.map(\.name)
            #expect(topics == ["a", "c"], "the topics")
            try await damage("UPDATE @apps SET created_at = \(worst) WHERE id = 'com.example.b'")
            let apps = try await store.apps(after: nil, limit: 10).elements.map(\.id)
            #expect(apps == ["com.example.a", "com.example.c"], "the apps")
        }
    }

    @Test("a timeline is told without a corrupt entry", arguments: TestStoreBackend.allCases)
    func timeline(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addLesson()
            let before = try await store.timeline(
                of: ActivityFixtures.lesson,
                app: StoreFixtures.app,
                after: nil,
                limit: 100
            )
            let first = try #require(before.elements.first, "the first entry")
            try await damage(
                "UPDATE @activity_timeline SET time = 9223372036854775807 WHERE sequence = \(first.sequence)"
            )
            let after = try await store.timeline(
                of: ActivityFixtures.lesson,
                app: StoreFixtures.app,
                after: nil,
                limit: 100
            )
            #expect(after.elements == Array(before.elements.dropFirst()), "the entries")
        }
    }

    @Test("a corrupt type of Live Activities is replaced", arguments: TestStoreBackend.allCases)
    func type(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            let type = try ActivityFixtures.registered(#"{"type":"object"}"#)
            #expect(try await store.keep(type), "whether it is new")
            try await damage("UPDATE @activity_types SET content_state = @BAD")
            try await expectError(.corrupt, "asking for it") {
                try await store.activityType(ActivityFixtures.type, of: StoreFixtures.app)
            }
            #expect(try await !store.keep(type), "whether it is new when it is put anew")
            let found = try await store.activityType(ActivityFixtures.type, of: StoreFixtures.app)
            #expect(found == type, "the type")
        }
    }
}
