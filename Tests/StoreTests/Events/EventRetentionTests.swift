// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: event retention", .timeLimit(.minutes(20)))
struct EventRetentionTests {
    @Test("events that are too old are removed, and the oldest cursor is told", arguments: TestStoreBackend.allCases)
    func removeOld(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.append((0..<10).map { StoreFixtures.event($0, after: Double($0)) })
            let all = try await store.allEvents()
            let before = try await store.events(of: StoreFixtures.app, after: nil, limit: 1, kinds: nil)
            #expect(before.oldest < all[0].cursor, "a cursor is too old before anything was removed")
            let removed = try await store.pruneEvents(before: StoreFixtures.after(4), keeping: 1000)
            #expect(removed == 4, "how many were removed")
            let page = try await store.events(of: StoreFixtures.app, after: nil, limit: 10, kinds: nil)
            #expect(page.events.compactMap(\.number) == Array(4..<10), "what is left")
            #expect(page.oldest > all[2].cursor, "the oldest cursor has events missing behind it")
            #expect(page.oldest <= all[3].cursor, "the oldest cursor is younger than the last removed event")
            let stale = try await store.events(of: StoreFixtures.app, after: all[0].cursor, limit: 10, kinds: nil)
            #expect(stale.events.compactMap(\.number) == Array(4..<10), "what follows a cursor that is too old")
            let again = try await store.pruneEvents(before: StoreFixtures.after(4), keeping: 1000)
            #expect(again == 0, "how many were removed by doing it again")
        }
    }

    @Test("of each app at most so many events are kept", arguments: TestStoreBackend.allCases)
    func maximumCount(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.append((0..<10).map { StoreFixtures.event($0) })
            try await store.append((0..<3).map { StoreFixtures.event($0, app: StoreFixtures.otherApp) })
            let removed = try await store.pruneEvents(before: StoreFixtures.after(-100), keeping: 3)
            #expect(removed == 7, "how many were removed")
            let numbers = try await store.allEvents().compactMap(\.number)
            #expect(numbers == [7, 8, 9], "what is left")
            let eventCount = try await store.allEvents(of: StoreFixtures.otherApp).count
            #expect(eventCount == 3, "what is left of the other")
        }
    }

    @Test("a feed that was emptied goes on behind its last event", arguments: TestStoreBackend.allCases)
    func emptiedFeed(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.append((0..<3).map { StoreFixtures.event($0) })
            let last = try await store.latestEvent(of: StoreFixtures.app)
            let pruned = try await store.pruneEvents(before: StoreFixtures.after(1), keeping: 1000)
            #expect(pruned == 3, "the removed")
            let page = try await store.events(of: StoreFixtures.app, after: last, limit: 10, kinds: nil)
            #expect(page.oldest <= last, "a cursor at the end is too old")
            let latest = try await store.latestEvent(of: StoreFixtures.app)
            #expect(latest >= page.oldest, "the newest place is too old")
            try await store.append([StoreFixtures.event(3)])
            let events = try await store.allEvents(after: last)
            #expect(events.compactMap(\.number) == [3], "what came after")
            #expect(events[0].cursor > last, "a cursor was given twice")
        }
    }

    @Test("many events are removed in one call", arguments: TestStoreBackend.allCases)
    func removeMany(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            for start in stride(from: 0, to: 6000, by: 3000) {
                try await store.append((start..<start + 3000).map { StoreFixtures.event($0) })
            }
            let pruned = try await store.pruneEvents(before: StoreFixtures.now, keeping: 10)
            #expect(pruned == 5990, "the removed")
            let numbers = try await store.allEvents().compactMap(\.number)
            #expect(numbers == Array(5990..<6000), "what is left")
        }
    }

    @Test(
        "a webhook is moved behind events that are removed, and counts those that it would have got",
        arguments: TestStoreBackend.allCases
    )
    func webhooks(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let kind = EventType(rawValue: "other.kind")
            try await store.createWebhook(StoreFixtures.webhook("wh_all"))
            try await store.createWebhook(StoreFixtures.webhook("wh_some", kinds: [kind]))
            try await store.append(
                (0..<10).map { StoreFixtures.event($0, kind: $0 < 3 ? kind : StoreFixtures.newKind) }
            )
            let all = try await store.allEvents()
            try await store.createWebhook(StoreFixtures.webhook("wh_ahead", cursor: all[8].cursor))
            try await store.pruneEvents(before: StoreFixtures.now, keeping: 5)
            let lost = try await store.webhooks(of: StoreFixtures.app).map { [$0.id.rawValue: $0.droppedEvents] }
            #expect(lost == [["wh_ahead": 0], ["wh_all": 5], ["wh_some": 3]], "the lost events")
            let moved = try #require(try await store.webhook("wh_all"), "the webhook")
            let page = try await store.events(of: StoreFixtures.app, after: moved.cursor, limit: 10, kinds: nil)
            #expect(moved.cursor >= page.oldest, "the webhook's cursor is too old")
            #expect(page.events.compactMap(\.number) == Array(5..<10), "what it gets")
            let webhookCursor = try await store.webhook("wh_ahead")?.cursor
            #expect(webhookCursor == all[8].cursor, "the cursor of the other")
        }
    }
}
