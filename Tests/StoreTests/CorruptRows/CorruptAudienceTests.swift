// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

@Suite("Stores: audiences with corrupt devices", .timeLimit(.minutes(20)))
struct CorruptAudienceTests {
    /// Adds 6 devices of a user and of a topic, and returns audiences that each have all of them.
    private static func fill(_ store: any PushStore) async throws -> [Audience] {
        try await store.addSampleApp()
        let topic = try await store.makeTopic(for: StoreFixtures.app)
        try await store.addDevices(0..<6, profile: DeviceProfile(userID: "anna", tags: ["city": "vienna"]))
        for number in 0..<6 { try await store.subscribe(TopicFixtures.device(number)) }
        let rule = TopicAudience(topic: topic.id, policies: [TopicAudience.noPolicy])
        return [.all, .users(["anna"]), .subscribers(rule), .and([.subscribers(rule), .users(["anna"])])]
    }

    @Test("a part ends before the audience does only if it is full", arguments: TestStoreBackend.allCases)
    func members(kind: TestStoreBackend) async throws {
        let metrics = MetricsRegistry()
        try await withStoreAndDatabase(kind, metrics: metrics) { store, damage in
            let audiences = try await Self.fill(store)
            for number in ["0", "2", "3", "5"] {
                let token = kind.bytes(String(repeating: number, count: 200))
                try await damage("UPDATE @devices SET token = \(token) WHERE installation = 'device \(number)'")
            }
            let expected = try [1, 4].map { try StoreFixtures.token($0) }
            for audience in audiences {
                for limit in [1, 2, 3, 100] {
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
                    #expect(found.map(\.target.token) == expected, "\(audience), \(limit) at a time")
                }
            }
            let text = try PrometheusText(metrics.text())
            #expect((text.value("apus_store_corrupt_rows_total", ["table": "devices"]) ?? 0) >= 4, "the metric")
        }
    }

    @Test("the names of devices are read without a corrupt one", arguments: TestStoreBackend.allCases)
    func installations(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            _ = try await Self.fill(store)
            try await damage("UPDATE @devices SET installation = '' WHERE installation = 'device 1'")
            let range = AudienceRange()
            let part = try await store.installations(of: .all, app: StoreFixtures.app, in: range, limit: 2)
            #expect(part.map(\.installation) == ["device 0", "device 2"], "the first part")
            let place = try #require(part.last?.place, "its last place")
            let rest = try await store.installations(
                of: .all,
                app: StoreFixtures.app,
                in: AudienceRange(after: place),
                limit: 100
            )
            #expect(rest.map(\.installation) == ["device 3", "device 4", "device 5"], "the rest")
        }
    }

    /// PostgreSQL stores JSON only if it can be read.
    @Test("tags that are no JSON stop no audience that asks for a tag")
    func tags() async throws {
        try await withStoreAndDatabase(.sqlite) { store, damage in
            _ = try await Self.fill(store)
            try await damage(#"UPDATE devices SET tags = '{"city":' WHERE installation = 'device 1'"#)
            let audience = Audience.tag(TagCondition(name: "city", match: .equals("vienna")))
            for audience in [audience, .tag(TagCondition(name: "city"))] {
                let found = try await store.members(
                    of: audience,
                    app: StoreFixtures.app,
                    in: AudienceRange(),
                    limit: 10,
                    depth: .none
                )
                #expect(found.count == 5, "the devices")
            }
        }
    }

    @Test("a corrupt device does not keep its batch from being settled", arguments: TestStoreBackend.allCases)
    func settling(kind: TestStoreBackend) async throws {
        let metrics = MetricsRegistry()
        try await withStoreAndDatabase(kind, metrics: metrics) { store, damage in
            _ = try await Self.fill(store)
            let plan = try StoreFixtures.plan(targets: 2)
            try await store.accept(plan)
            try await damage("UPDATE @devices SET installation = '' WHERE installation = 'device 0'")
            let claimed = try #require(try await store.claim().first, "the batch")
            let failures = (0..<2).map { index in
                Settlement.Failure(index: index, outcome: StoreFixtures.rejection(.unregistered))
            }
            let settlement = Settlement(of: claimed, range: 0..<2, failures: failures)
            let receipt = try await store.settle(settlement, now: StoreFixtures.now)
            #expect(receipt.notificationSettled, "whether all is sent")
            let other = try await store.device("device 1", of: StoreFixtures.app)
            #expect(other?.status.isReachable == false, "whether the other device can be reached")
            let text = try PrometheusText(metrics.text())
            #expect(text.value("apus_store_corrupt_rows_total", ["table": "devices"]) == 1, "the metric")
        }
    }
}
