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

@Suite("Stores: publications", .timeLimit(.minutes(20)))
struct PublicationTests {
    @Test(
        "the devices of a publication are exactly those that are subscribed with one of its policies",
        arguments: TestStoreBackend.allCases
    )
    func devices(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            let topic = try await store.makeTopic()
            var world = PublicationFixtures()
            try await world.populate(store)
            let outline = try #require(try await store.outline(of: "news", app: nil), "an outline")
            #expect(outline.apps == [StoreFixtures.app], "the apps")
            #expect(outline.topic == topic, "the topic")
            let numbers = Dictionary(uniqueKeysWithValues: outline.policies.map { ($1, $0) })
            let filters = world.filters
            #expect(Set(numbers.keys) == Set(filters), "the policies")
            for choice in 0..<8 {
                var chosen: Set<SubscriptionFilter?> = choice & 1 == 0 ? [] : [nil]
                for (place, filter) in filters.enumerated() where choice & (2 << place) != 0 { chosen.insert(filter) }
                let rule = TopicAudience(
                    topic: topic.id,
                    policies: chosen.map { $0.flatMap { numbers[$0] } ?? TopicAudience.noPolicy }
                )
                // So many policies have one list.
                let many = TopicAudience(topic: topic.id, policies: rule.policies + Array(1000..<1040))
                let expected = world.devices(for: chosen)
                for audience in [
                    Audience.subscribers(rule), .subscribers(many),
                    .and([.subscribers(rule), .environment(.production)]),
                    .or([.subscribers(rule), .users(["nobody"])]),
                ] {
                    for limit in [3, 1000] {
                        var found: [AudienceDevice] = []
                        while true {
                            let part = try await store.members(
                                of: audience,
                                app: StoreFixtures.app,
                                in: AudienceRange(after: found.last?.place ?? 0),
                                limit: limit,
                                depth: .all
                            )
                            found += part
                            if part.count < limit { break }
                        }
                        let isEverywhere = audience != .and([.subscribers(rule), .environment(.production)])
                        let wanted = expected.filter { isEverywhere || $0.environment == .production }
                        #expect(found.map(\.target) == wanted.map(\.target), "the devices for choice \(choice)")
                        #expect(found.map(\.details.locale) == wanted.map(\.profile.locale), "what they told")
                        let count = try await store.count(of: audience, app: StoreFixtures.app, through: nil)
                        #expect(count == wanted.count, "their number for choice \(choice)")
                    }
                }
            }
            let all = TopicAudience(topic: topic.id, policies: [0] + numbers.values)
            let others = try await store.members(
                of: .subscribers(all),
                app: StoreFixtures.otherApp,
                in: AudienceRange(),
                limit: 10,
                depth: .none
            )
            #expect(others == [], "the devices of an app that does not have the topic")
        }
    }

    @Test("a publication has no devices any more once its topic was deleted", arguments: TestStoreBackend.allCases)
    func deletedTopic(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let topic = try await store.makeTopic(for: StoreFixtures.app)
            try await store.addDevices(0..<2, profile: DeviceProfile(topics: ["news"]))
            try await store.subscribe(TopicFixtures.device(0))
            let rule = TopicAudience(topic: topic.id, policies: [0])
            let audience = Audience.subscribers(rule)
            let before = try await store.count(of: audience, app: StoreFixtures.app, through: nil)
            #expect(before == 2, "the number of devices before")
            let zones = try await store.timeZones(of: audience, app: StoreFixtures.app, through: .max)
            #expect(zones == [nil: 2], "their time zones")
            try await store.deleteTopic("news", of: StoreFixtures.app)
            try await store.makeTopic(for: StoreFixtures.app)
            for audience in [audience, .not(.not(audience))] {
                let after = try await store.count(of: audience, app: StoreFixtures.app, through: nil)
                #expect(after == 0, "the number of devices after")
            }
        }
    }

    @Test("all that a publication comes to is stored at once, or nothing", arguments: TestStoreBackend.allCases)
    func allOrNothing(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.makeTopic()
            let url = TopicFixtures.subscription(.url("http://example.com"))
            try await store.subscribe(url)
            let plan = try StoreFixtures.plan()
            let campaign = Campaign(
                id: CampaignID(now: StoreFixtures.now),
                app: StoreFixtures.otherApp,
                name: "news",
                audience: .subscribers(TopicAudience(topic: TopicID(rawValue: 1), policies: [0, 3])),
                message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"x"}}"#))),
                createdAt: StoreFixtures.now
            )
            let publication = Publication(
                parts: [.notification(plan.notification, plan.batches), .campaign(campaign)],
                message: PublicationFixtures.message(1),
                recipients: [url.id]
            )
            let changes = store.changes()
            try await store.publish(publication, noting: nil)
            var told: Set<StoreChange> = []
            let expected: Set<StoreChange> = [
                .batchReady(.urgent), .campaignChanged(campaign.id), .topicDeliveriesReady,
            ]
            for await change in changes {
                told.insert(change)
                if told.isSuperset(of: expected) { break }
            }
            let status = try await store.notification(plan.notification.id)
            #expect(status?.notification == plan.notification, "the notification")
            let campaignThen = try await store.campaign(campaign.id)?.campaign
            #expect(campaignThen == campaign, "the campaign")
            let second = try StoreFixtures.plan()
            var repeated = publication
            repeated.parts.insert(.notification(second.notification, second.batches), at: 0)
            repeated.message = PublicationFixtures.message(2)
            let error = try await storeError { try await store.publish(repeated, noting: nil) }
            #expect(error?.code == .conflict, "what is said of an id that is taken")
            #expect(try await store.notification(second.notification.id) == nil, "whether nothing is stored")
            let due = try await store.claimDeliveries(
                limit: 10,
                each: 10,
                worker: StoreFixtures.worker,
                leaseDuration: .seconds(10),
                now: StoreFixtures.after(1)
            )
            #expect(due.map(\.message) == [PublicationFixtures.message(1)], "what is to be posted")
        }
    }
}

/// Devices that are subscribed in every way, for tests.
struct PublicationFixtures {
    let filters = [TopicFixtures.filter("a"), TopicFixtures.filter("b")]
    private var devices: [Device] = []
    private var filtersOfDevices: [[SubscriptionFilter?]] = []

    /// A message of that number.
    static func message(_ number: UInt64) -> TopicMessage {
        TopicMessage(
            id: APNsID(high: 0, low: number),
            topic: "news",
            content: Array("寿司".utf8),
            createdAt: StoreFixtures.now
        )
    }

    /// Registers devices, and subscribes them: by themselves, by their users, by what they told, by all of it and by nothing.
    mutating func populate(_ store: any PushStore) async throws {
        for user in 0..<4 {
            let subscriber = Subscriber.user(StoreFixtures.app, UserID(unchecked: "user \(user)"))
            try await store.subscribe(TopicFixtures.subscription(subscriber, filter: self.filter(user)))
        }
        for number in 0..<48 {
            let user = number % 6
            var registration = try StoreFixtures.registration(
                DeviceID(unchecked: "device \(number)"),
                token: number,
                environment: number % 7 == 0 ? .sandbox : .production
            )
            registration.profile = DeviceProfile(
                locale: "de-\(number)",
                userID: user < 5 ? UserID(unchecked: "user \(user)") : nil,
                topics: number % 5 == 0 ? ["news", "other"] : ["other"]
            )
            let device = try await store.register(registration, now: StoreFixtures.now)
            var own: [SubscriptionFilter?] = user < 4 ? [self.filter(user)] : []
            if number % 5 == 0 { own.append(nil) }
            if number % 4 < 3 {
                let filter = self.filter(number % 3)
                try await store.subscribe(TopicFixtures.device(number, filter: filter))
                own.append(filter)
            }
            self.devices.append(device)
            self.filtersOfDevices.append(own)
        }
        try await store.makeInvalid(8)
        self.devices.remove(at: 8)
        self.filtersOfDevices.remove(at: 8)
    }

    private func filter(_ number: Int) -> SubscriptionFilter? { number < 2 ? self.filters[number] : nil }

    /// The devices that get what passes these policies.
    func devices(for filters: Set<SubscriptionFilter?>) -> [Device] {
        zip(self.devices, self.filtersOfDevices).filter { _, own in own.contains(where: filters.contains) }.map(\.0)
    }
}
