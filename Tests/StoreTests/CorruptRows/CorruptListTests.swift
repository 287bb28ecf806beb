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

@Suite("Stores: lists of which a row is corrupt", .timeLimit(.minutes(20)))
struct CorruptListTests {
    @Test("campaigns are listed without it, and the list goes on behind it", arguments: TestStoreBackend.allCases)
    func campaigns(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            let campaigns = try (0..<3).map { try CampaignFixtures.campaign(now: StoreFixtures.after(Double($0))) }
            for campaign in campaigns { try await store.createCampaign(campaign) }
            try await damage(
                """
                UPDATE @campaigns SET setbacks = -1
                WHERE id = (SELECT id FROM @campaigns ORDER BY id DESC LIMIT 1 OFFSET 1)
                """
            )
            var pages: [[CampaignID]] = []
            var cursor: CampaignID?
            repeat {
                let page = try await store.campaigns(of: StoreFixtures.app, after: cursor, limit: 1)
                pages.append(page.elements.map(\.campaign.id))
                cursor = page.next
            } while cursor != nil
            #expect(pages == [[campaigns[2].id], [], [campaigns[0].id]], "page by page")
            try await expectError(.corrupt, "asking for it alone") { try await store.campaign(campaigns[1].id) }
        }
    }

    @Test("campaigns are claimed without one that is paused and claimable", arguments: TestStoreBackend.allCases)
    func claimableCampaigns(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            let campaigns = try (0..<2).map { try CampaignFixtures.campaign(now: StoreFixtures.after(Double($0))) }
            for campaign in campaigns { try await store.createCampaign(campaign) }
            try await damage(
                "UPDATE @campaigns SET state = 2 WHERE id = (SELECT id FROM @campaigns ORDER BY id LIMIT 1)"
            )
            let claimed = try await store.claimCampaigns(now: StoreFixtures.after(2))
            #expect(claimed.map(\.campaign.id) == [campaigns[1].id], "the campaigns")
            let status = try await store.resumeCampaign(campaigns[0].id, now: StoreFixtures.after(3))
            #expect(status?.lifecycle.state == .scheduled, "the other campaign once it is resumed")
        }
    }

    @Test("devices are listed without it, and it can be registered anew", arguments: TestStoreBackend.allCases)
    func devices(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            for number in 0..<3 {
                _ = try await store.register(StoreFixtures.registration(number), now: StoreFixtures.now)
            }
            try await damage(
                "UPDATE @devices SET created_at = 9223372036854775807 WHERE installation = 'device 1'"
            )
            var pages: [[DeviceID]] = []
            var cursor: Int64?
            repeat {
                let page = try await store.devices(of: StoreFixtures.app, in: nil, after: cursor, limit: 1)
                pages.append(page.elements.map(\.installation))
                cursor = page.next
            } while cursor != nil
            #expect(pages == [["device 0"], [], ["device 2"]], "page by page")
            let device = try await store.register(StoreFixtures.registration(1), now: StoreFixtures.after(1))
            #expect(device.registeredAt == StoreFixtures.after(1), "when it is registered anew")
        }
    }

    @Test("events are read without it, and the feed goes on behind it", arguments: TestStoreBackend.allCases)
    func events(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            try await store.append((1...4).map { StoreFixtures.event($0) })
            try await damage("UPDATE @events SET data = '[' WHERE data LIKE '%2}' OR data LIKE '%4}'")
            for limit in [1, 100] {
                let numbers = try await store.allEvents(kinds: [StoreFixtures.newKind], limit: limit).map(\.number)
                #expect(numbers == [1, 3], "the events, \(limit) at a time")
            }
        }
    }

    @Test("webhooks are claimed without it; it is looked at again an hour later", arguments: TestStoreBackend.allCases)
    func webhooks(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addSampleApp()
            for id in ["wh_1", "wh_2"] as [WebhookID] { try await store.createWebhook(StoreFixtures.webhook(id)) }
            try await store.append([StoreFixtures.event(1)])
            try await damage("UPDATE @webhooks SET failures = -1 WHERE id = 'wh_1'")
            let listed = try await store.webhooks(of: StoreFixtures.app).map(\.id)
            #expect(listed == ["wh_2"], "the webhooks")
            for seconds in [0.0, 61] {
                let claimed = try await store.claimWebhooks(now: StoreFixtures.after(seconds)).map(\.id)
                #expect(claimed == ["wh_2"], "what can be claimed after \(seconds) seconds")
            }
            try await damage("UPDATE @webhooks SET failures = 0 WHERE id = 'wh_1'")
            let early = try await store.claimWebhooks(now: StoreFixtures.after(3599)).map(\.id)
            #expect(early == ["wh_2"], "what can be claimed within the hour")
            let late = try await store.claimWebhooks(now: StoreFixtures.after(3600)).map(\.id)
            #expect(late == ["wh_1"], "what can be claimed behind it")
        }
    }

    @Test(
        "deliveries are claimed without it; it is looked at again an hour later",
        arguments: TestStoreBackend.allCases
    )
    func deliveries(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.makeTopic()
            let subscriptions = [1, 2].map { TopicFixtures.subscription(.url("http://example.com/\($0)")) }
            for subscription in subscriptions { try await store.subscribe(subscription) }
            let publication = Publication(message: PublicationFixtures.message(1), recipients: subscriptions.map(\.id))
            try await store.publish(publication, noting: nil)
            try await damage("UPDATE @topic_deliveries SET attempts = -1 WHERE url LIKE '%1'")
            for seconds in [0.0, 11] {
                let claimed = try await store.claimURLs(now: StoreFixtures.after(seconds))
                #expect(claimed == ["http://example.com/2"], "where to after \(seconds) seconds")
            }
            try await damage("UPDATE @topic_deliveries SET attempts = 0 WHERE url LIKE '%1'")
            let early = try await store.claimURLs(now: StoreFixtures.after(3599))
            #expect(early == ["http://example.com/2"], "where to within the hour")
            let late = try await store.claimURLs(now: StoreFixtures.after(3600))
            #expect(late == ["http://example.com/1"], "where to behind it")
        }
    }

    @Test("deliveries are claimed without one whose subscription has a corrupt ID")
    func deliveriesOfCorruptID() async throws {
        // PostgreSQL has no such ID.
        try await withStoreAndDatabase(.sqlite) { store, damage in
            try await store.makeTopic()
            let subscriptions = [1, 2].map { TopicFixtures.subscription(.url("http://example.com/\($0)")) }
            for subscription in subscriptions { try await store.subscribe(subscription) }
            let publication = Publication(message: PublicationFixtures.message(1), recipients: subscriptions.map(\.id))
            try await store.publish(publication, noting: nil)
            try await damage("UPDATE @topic_deliveries SET subscription = X'00' WHERE url LIKE '%1'")
            for seconds in [0.0, 11] {
                let claimed = try await store.claimURLs(now: StoreFixtures.after(seconds))
                #expect(claimed == ["http://example.com/2"], "where to after \(seconds) seconds")
            }
        }
    }

    @Test("jobs are listed and run without one whose numbers are out of range", arguments: TestStoreBackend.allCases)
    func jobs(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            for id in ["a", "b"] as [JobID] { try await store.addJob(JobSamples.code(), id) }
            try await damage(
                """
                UPDATE @jobs SET definition = replace(definition, '"maxRetries":0', '"maxRetries":9223372036854775807')
                WHERE id = 'a'
                """
            )
            let listed = try await store.jobs(of: StoreFixtures.app, after: nil, limit: 10)
            #expect(listed.elements.map(\.job.id) == ["b"], "the jobs")
            let claimed = try await store.claimRuns(after: 60, scope: .code(StoreFixtures.app, ["a", "b"]))
            #expect(claimed.map(\.job.id) == ["b"], "whose runs can be claimed")
        }
    }
}

extension TopicDeliveryStore {
    /// The URLs of what can be claimed, with a lease of 10 seconds.
    fileprivate func claimURLs(now: Date) async throws -> [String] {
        try await self.claimDeliveries(
            limit: 10,
            each: 10,
            worker: StoreFixtures.worker,
            leaseDuration: .seconds(10),
            now: now
        ).map(\.url)
    }
}
