// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting

extension StatementTests {
    static func audiences(_ store: some AudienceStore, beside other: any PushStore) async throws {
        let app = StoreFixtures.app
        let topic = try await other.makeTopic("audience", for: app)
        let member = DeviceProfile(locale: "de", userID: "anna", tags: ["city": "vienna"], topics: ["audience"])
        try await other.addDevices(0..<2, profile: member)
        let subscribers: [Subscriber] = [.device(app, "device 0"), .user(app, "anna")]
        for subscriber in subscribers {
            try await other.subscribe(TopicFixtures.subscription(subscriber, to: "audience"))
        }
        let rule = TopicAudience(topic: topic.id, policies: [TopicAudience.noPolicy])
        let span = DateRange(after: StoreFixtures.now)
        let conditions: [Audience] = [
            .environment(.production), .platform(.iOS), .timeZone("UTC"), .locale(LocaleRange("de")), .seen(span),
            .registered(DateRange(before: StoreFixtures.now)), .appVersion(AppVersionRange(atLeast: AppVersion("1"))),
            .tag(TagCondition(name: "city")), .tag(TagCondition(name: "city", match: .equals("vienna"))),
            .tag(TagCondition(name: "city", match: .contains("\""))), .topic("audience"), .users(["anna"]),
            .subscribers(rule),
        ]
        // No device reports `nothing`, so PostgreSQL reads the index of topics.
        let audiences: [Audience] = [
            .all, .users(["anna"]), .users(["anna", "ben"]), .topic("nothing"), .and([.topic("audience"), .all]),
            .subscribers(rule), .not(.or(conditions)),
        ]
        let last = try await store.lastPlace(of: app)
        for audience in audiences {
            for depth in [PersonalizationAttributes.Depth.none, .locale, .all] {
                let range = AudienceRange(zones: depth == .locale ? .only(["UTC"]) : .except(["UTC"]))
                _ = try await store.members(of: audience, app: app, in: range, limit: 10, depth: depth)
            }
            _ = try await store.installations(of: audience, app: app, in: AudienceRange(), limit: 1)
            _ = try await store.count(of: audience, app: app, through: last)
            _ = try await store.timeZones(of: audience, app: app, through: last)
        }
    }
}
