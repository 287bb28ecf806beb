// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Stores: the audit log", .timeLimit(.minutes(20)))
struct AuditLogTests {
    private static let origin = AuditOrigin(
        actor: .apiKey("admin", name: "operators"),
        address: "192.0.2.7",
        time: StoreFixtures.after(5)
    )

    @Test("every change of the configuration and of rights appends an entry", arguments: TestStoreBackend.allCases)
    func actions(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await AuditOrigin.binding(Self.origin) {
                try await Self.changeAccounts(store)
                try await Self.changeTopics(store)
                try await Self.changeWork(store)
                try await store.deleteApp(StoreFixtures.app)
            }
            let entries = try await store.auditEntries(matching: AuditFilter(), after: nil, limit: 1000).elements
            #expect(entries.reversed().map(\.action.description) == Self.expected, "the actions in their order")
            #expect(entries.allSatisfy { $0.origin == Self.origin }, "who made the changes")
            // A command rotates the master key, and a crash quarantines work.
            let seen = Set(entries.map(\.action.resource))
            let all = Set(AuditResource.allCases).subtracting([.masterKey, .quarantinedItem])
            #expect(seen == all, "the kinds of resources")
        }
    }

    private static let expected = [
        "app.created", "app.updated", "credential.created", "credential.deleted", "api_key.created", "api_key.rotated",
        "api_key.created", "api_key.revoked", "credential.created", "platform_application.created",
        "platform_application.updated", "platform_application.deleted", "topic.created", "topic.updated",
        "subscription.created", "subscription.updated", "subscription.deleted", "topic.deleted", "device.reset",
        "device.deleted", "webhook.created", "webhook.updated", "webhook.deleted", "campaign.created",
        "campaign.paused", "campaign.resumed",
        "campaign.cancelled", "job.created", "job.updated", "job.paused", "job.resumed", "job.triggered",
        "job.deleted", "channel.created", "channel.deleted", "activity_type.created", "activity_type.updated",
        "activity_type.deleted", "app.deleted",
    ]

    private static func changeAccounts(_ store: any PushStore) async throws {
        let (app, now) = (StoreFixtures.app, StoreFixtures.now)
        try await store.createApp(App(id: app, createdAt: now))
        for _ in 1...2 { #expect(try await store.updateApp(App(id: app, name: "Shop", createdAt: now))) }
        let credential = Credential(
            id: "apns",
            app: app,
            kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
            environments: [.sandbox],
            secret: .sealed(Array("sealed secret".utf8)),
            createdAt: now
        )
        try await store.addCredential(credential)
        try await store.removeCredential("apns")
        // Repeated, they change nothing.
        #expect(try await !store.removeCredential("apns"))
        let key = Self.key("key", app: app)
        try await store.createKey(key)
        let next = key.successor(
            "next",
            secretHash: APIKeySecret.generate().hash,
            sealedSigningSecret: nil,
            createdBy: "admin",
            expiresAt: nil,
            now: now
        )
        _ = try await store.rotateKey("key", to: next, endingAt: StoreFixtures.after(60), now: now)
        for _ in 1...2 { #expect(try await store.revokeKey("next", now: now)) }
        let application = PlatformFixtures.application("shop", attributes: ["Note": "1"])
        try await store.putApplication(application, credential: PlatformFixtures.credential("credential"))
        for _ in 1...2 {
            _ = try await store.changeApplication(application.name, attributes: ["Note": "2"], credential: nil)
        }
        _ = try await store.removeApplication(application.name)
    }

    private static func changeTopics(_ store: any PushStore) async throws {
        let topic = TopicFixtures.topic
        for _ in 1...2 {
            _ = try await store.createTopic(
                topic,
                attributes: [:],
                tags: [:],
                for: StoreFixtures.app,
                sharing: false,
                now: StoreFixtures.now,
                checking: nil
            )
        }
        _ = try await store.changeTopic(topic) { $0.tags = ["team": "a"] }
        // Devices register and subscribe in large numbers.
        _ = try await store.register(StoreFixtures.registration(1), now: StoreFixtures.now)
        _ = try await store.subscribe(TopicFixtures.device(1), policyLimit: 10, urlLimit: 10)
        let url = TopicFixtures.subscription(.url("https://user:pass@example.com/secret?token=1"))
        _ = try await store.subscribe(url, policyLimit: 10, urlLimit: 10)
        _ = try await store.changeSubscription(url.id, policyLimit: 10) { $0.filter = TopicFixtures.filter("a") }
        _ = try await store.unsubscribe(url.id)
        #expect(try await store.deleteTopic(topic, of: StoreFixtures.app))
        #expect(try await store.resetSecret(of: "device 1", app: StoreFixtures.app))
        #expect(try await store.removeDevice("device 1", of: StoreFixtures.app))
        #expect(try await !store.removeDevice("device 1", of: StoreFixtures.app))
    }

    private static func changeWork(_ store: any PushStore) async throws {
        let (app, now) = (StoreFixtures.app, StoreFixtures.now)
        try await store.createWebhook(StoreFixtures.webhook())
        for _ in 1...2 { _ = try await store.changeWebhook("wh_1", [.pause], now: now) }
        #expect(try await store.deleteWebhook("wh_1"))
        let campaign = try CampaignFixtures.campaign()
        try await store.createCampaign(campaign, noting: nil)
        for _ in 1...2 { _ = try await store.pauseCampaign(campaign.id, now: now) }
        _ = try await store.resumeCampaign(campaign.id, now: now)
        for _ in 1...2 { _ = try await store.cancelCampaign(campaign.id, now: now) }
        let job = JobSamples.id
        for _ in 1...2 { _ = try await store.put(JobSamples.greeting()) }
        _ = try await store.put(JobSamples.ending())
        _ = try await store.pauseJob(job, of: app, now: now)
        _ = try await store.resumeJob(job, of: app, now: now)
        _ = try await store.runJob(job, of: app, now: now)
        #expect(try await store.deleteJob(job, of: app))
        let channel = ChannelFixtures.draft("final").made(as: ChannelFixtures.id(1))
        #expect(try await store.keep(channel))
        guard case .begun(let deleted) = try await store.beginDeletion(ofChannel: "final", of: app) else { return }
        #expect(try await store.forget(deleted))
        let type = try ActivityFixtures.registered(#"{"type":"object"}"#)
        for _ in 1...2 { _ = try await store.keep(type) }
        #expect(try await store.deleteActivityType(type.name, of: app))
    }

    @Test("an entry has the states before and after, and no secret", arguments: TestStoreBackend.allCases)
    func states(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await Self.changeAccounts(store)
            try await Self.changeTopics(store)
            try await Self.changeWork(store)
            let entries = try await store.auditEntries(matching: AuditFilter(), after: nil, limit: 1000).elements
            let rotated = try #require(entries.first { $0.action.verb == .rotated }, "the rotation")
            #expect(rotated.before?["expiresAt"] == .null, "the end before")
            #expect(rotated.after?["replacedBy"] == "next", "the successor")
            let created = try #require(entries.first { $0.action.description == "webhook.created" }, "the webhook")
            #expect(created.before == nil && created.after?["url"] == "https://hooks.example.com", "its origin")
            #expect(created.app == StoreFixtures.app && created.id == "wh_1", "its app and ID")
            let texts = try entries.flatMap { [$0.before, $0.after] }.compactMap { $0 }
                .map { String(decoding: try $0.json(), as: UTF8.self) }
            for secret in ["sealed secret", "pass", "token=1", "secret?", "a=b", "secretHash"] {
                #expect(!texts.contains { $0.contains(secret) }, "\(secret)")
            }
        }
    }

    @Test(
        "a change that fails has no entry, and a change without a caller is the server's",
        arguments: TestStoreBackend.allCases
    )
    func failure(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.createKey(Self.key("key"))
            try await expectError(.conflict, "the same ID") { try await store.createKey(Self.key("key")) }
            try await expectError(.notFound, "no app") { try await store.createWebhook(StoreFixtures.webhook()) }
            let entries = try await store.auditEntries(matching: AuditFilter(), after: nil, limit: 10).elements
            #expect(entries.map(\.id) == ["key"], "the entries")
            #expect(entries.first?.origin.actor == .server, "the actor")
        }
    }

    @Test("entries are listed page by page and filtered", arguments: TestStoreBackend.allCases)
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for (number, id) in (["a", "b", "c"] as [APIKeyID]).enumerated() {
                let actor: AuditActor = id == "b" ? .commandLine(user: "root") : .consoleSession("admin", name: "x")
                let origin = AuditOrigin(actor: actor, time: StoreFixtures.after(Double(number)))
                try await AuditOrigin.binding(origin) {
                    try await store.createKey(Self.key(id, app: id == "c" ? StoreFixtures.app : nil))
                }
            }
            func ids(_ change: (inout AuditFilter) -> Void) async throws -> [String] {
                var filter = AuditFilter()
                filter.resource = .apiKey
                change(&filter)
                return try await store.auditEntries(matching: filter, after: nil, limit: 10).elements.map(\.id)
            }
            #expect(try await ids { _ in } == ["c", "b", "a"], "all keys")
            #expect(try await ids { $0.app = StoreFixtures.app } == ["c"], "an app")
            #expect(try await ids { $0.actor = "root" } == ["b"], "a user")
            #expect(try await ids { $0.actor = "admin" } == ["c", "a"], "a key")
            #expect(try await ids { $0.id = "a" } == ["a"], "a resource")
            #expect(try await ids { $0.verb = .revoked } == [], "another action")
            #expect(try await ids { ($0.resource, $0.verb) = (nil, .created) }.count == 4, "all creations")
            #expect(try await ids { $0.from = StoreFixtures.after(1) } == ["c", "b"], "from a time")
            #expect(try await ids { $0.until = StoreFixtures.after(1) } == ["a"], "until a time")
            let first = try await store.auditEntries(matching: AuditFilter(), after: nil, limit: 2)
            #expect(first.elements.map(\.id) == ["c", "b"], "the first page")
            let second = try await store.auditEntries(matching: AuditFilter(), after: first.next, limit: 2)
            #expect(second.elements.map(\.id) == ["a", StoreFixtures.app.rawValue], "the second page")
            #expect(second.next == nil, "the end")
        }
    }

    @Test("old entries are pruned in parts, the oldest first", arguments: TestStoreBackend.allCases)
    func prune(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for number in 0..<5 {
                let origin = AuditOrigin(actor: .server, time: StoreFixtures.after(Double(number)))
                let id = "\(number)"
                let action = AuditAction(.masterKey, .rotated)
                try await store.recordAudit(action, of: id, after: ["n": 1], origin: origin)
            }
            let first = try await store.pruneAuditLog(before: StoreFixtures.after(3), limit: 2)
            #expect(first == PrunedItems(count: 2, hasMore: true), "the first part")
            let second = try await store.pruneAuditLog(before: StoreFixtures.after(3), limit: 2)
            #expect(second == PrunedItems(count: 1, hasMore: false), "the last part")
            let left = try await store.auditEntries(matching: AuditFilter(), after: nil, limit: 10).elements
            #expect(left.map(\.id) == ["4", "3"], "the entries that are left")
            #expect(try await store.pruneAuditLog(before: StoreFixtures.now, limit: 2) == PrunedItems(), "nothing")
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
