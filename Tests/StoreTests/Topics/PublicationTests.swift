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

@Suite("Stores: publications", .timeLimit(.minutes(5)))
struct PublicationTests {
    @Test(
        "the devices of a publication are exactly those that are subscribed with one of its policies",
        arguments: StoreInTest.allCases
    )
    func devices(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            let topic = try await store.makeTopic()
            var world = PublicationSamples()
            try await world.populate(store)
            let outline = try #require(try await store.outline(of: "news", app: nil), "an outline")
            #expect(outline.apps == [StoreSamples.app], "the apps")
            #expect(outline.topic == topic, "the topic")
            let numbers = Dictionary(uniqueKeysWithValues: outline.policies.map { ($1, $0) })
            let filters = world.filters
            #expect(Set(numbers.keys) == Set(filters), "the policies")
            for choice in 0..<8 {
                var chosen: Set<SubscriptionFilter?> = choice & 1 == 0 ? [] : [nil]
                for (place, filter) in filters.enumerated() where choice & (2 << place) != 0 { chosen.insert(filter) }
                let rule = SubscriberRule(
                    topic: topic.id,
                    policies: chosen.map { $0.flatMap { numbers[$0] } ?? SubscriberRule.noPolicy }
                )
                // So many policies have one list.
                let many = SubscriberRule(topic: topic.id, policies: rule.policies + Array(1000..<1040))
                let expected = world.devices(for: chosen)
                for audience in [
                    Audience.subscribers(rule), .subscribers(many),
                    .and([.subscribers(rule), .environment(.production)]),
                    .or([.subscribers(rule), .users(["nobody"])]),
                ] {
                    for limit in [3, 1000] {
                        var found: [AudienceMember] = []
                        while true {
                            let part = try await store.members(
                                of: audience,
                                app: StoreSamples.app,
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
                        let count = try await store.count(of: audience, app: StoreSamples.app, through: nil)
                        #expect(count == wanted.count, "their number for choice \(choice)")
                    }
                }
            }
            let all = SubscriberRule(topic: topic.id, policies: [0] + numbers.values)
            let others = try await store.members(
                of: .subscribers(all),
                app: StoreSamples.otherApp,
                in: AudienceRange(),
                limit: 10,
                depth: .none
            )
            #expect(others == [], "the devices of an app that does not have the topic")
        }
    }

    @Test("a publication has no devices any more once its topic was deleted", arguments: StoreInTest.allCases)
    func deletedTopic(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let topic = try await store.makeTopic(for: StoreSamples.app)
            try await store.addDevices(0..<2, profile: DeviceProfile(topics: ["news"]))
            try await store.subscribe(TopicSamples.device(0))
            let rule = SubscriberRule(topic: topic.id, policies: [0])
            let audience = Audience.subscribers(rule)
            let before = try await store.count(of: audience, app: StoreSamples.app, through: nil)
            #expect(before == 2, "the number of devices before")
            let zones = try await store.timeZones(of: audience, app: StoreSamples.app, through: .max)
            #expect(zones == [nil: 2], "their time zones")
            try await store.deleteTopic("news", of: StoreSamples.app)
            try await store.makeTopic(for: StoreSamples.app)
            for audience in [audience, .not(.not(audience))] {
                let after = try await store.count(of: audience, app: StoreSamples.app, through: nil)
                #expect(after == 0, "the number of devices after")
            }
        }
    }

    @Test("all that a publication comes to is stored at once, or nothing", arguments: StoreInTest.allCases)
    func allOrNothing(kind: StoreInTest) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.makeTopic()
            let url = TopicSamples.subscription(.url("http://example.com"))
            try await store.subscribe(url)
            let plan = try StoreSamples.plan()
            let campaign = Campaign(
                id: CampaignID(now: StoreSamples.now),
                app: StoreSamples.otherApp,
                name: "news",
                audience: .subscribers(SubscriberRule(topic: TopicID(rawValue: 1), policies: [0, 3])),
                message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"x"}}"#))),
                createdAt: StoreSamples.now
            )
            let publication = Publication(
                parts: [.notification(plan.notification, plan.batches), .campaign(campaign)],
                message: PublicationSamples.message(1),
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
            let second = try StoreSamples.plan()
            var repeated = publication
            repeated.parts.insert(.notification(second.notification, second.batches), at: 0)
            repeated.message = PublicationSamples.message(2)
            let error = try await storeError { try await store.publish(repeated, noting: nil) }
            #expect(error?.code == .conflict, "what is said of an id that is taken")
            #expect(try await store.notification(second.notification.id) == nil, "whether nothing is stored")
            let due = try await store.claimDeliveries(
                limit: 10,
                each: 10,
                worker: StoreSamples.worker,
                leaseDuration: .seconds(10),
                now: StoreSamples.after(1)
            )
            #expect(due.map(\.message) == [PublicationSamples.message(1)], "what is to be posted")
        }
    }
}

/// Devices that are subscribed in every way, for tests.
struct PublicationSamples {
    let filters = [TopicSamples.filter("a"), TopicSamples.filter("b")]
    private var devices: [Device] = []
    private var filtersOfDevices: [[SubscriptionFilter?]] = []

    /// A message of that number.
    static func message(_ number: UInt64) -> TopicMessage {
        TopicMessage(
            id: APNsID(high: 0, low: number),
            topic: "news",
            content: Array("寿司".utf8),
            createdAt: StoreSamples.now
        )
    }

    /// Registers devices, and subscribes them: by themselves, by their users, by what they told, by all of it and by nothing.
    mutating func populate(_ store: any PushStore) async throws {
        for user in 0..<4 {
            let subscriber = Subscriber.user(StoreSamples.app, UserID(unchecked: "user \(user)"))
            try await store.subscribe(TopicSamples.subscription(subscriber, filter: self.filter(user)))
        }
        for number in 0..<48 {
            let user = number % 6
            var registration = try StoreSamples.registration(
                InstallationID(unchecked: "device \(number)"),
                token: number,
                environment: number % 7 == 0 ? .sandbox : .production
            )
            registration.profile = DeviceProfile(
                locale: "de-\(number)",
                userID: user < 5 ? UserID(unchecked: "user \(user)") : nil,
                topics: number % 5 == 0 ? ["news", "other"] : ["other"]
            )
            let device = try await store.register(registration, now: StoreSamples.now)
            var own: [SubscriptionFilter?] = user < 4 ? [self.filter(user)] : []
            if number % 5 == 0 { own.append(nil) }
            if number % 4 < 3 {
                let filter = self.filter(number % 3)
                try await store.subscribe(TopicSamples.device(number, filter: filter))
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
