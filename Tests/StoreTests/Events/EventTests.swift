// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: events", .timeLimit(.minutes(20)))
struct EventTests {
    @Test(
        "events are read in their order, page by page, with everything that they tell",
        arguments: TestStoreBackend.allCases
    )
    func read(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreFixtures.otherApp)
            try await store.append((0..<25).map { StoreFixtures.event($0, after: Double($0)) })
            try await store.append([StoreFixtures.event(99, app: StoreFixtures.otherApp)])
            let events = try await store.allEvents(limit: 10)
            #expect(events.compactMap(\.number) == Array(0..<25), "the events")
            #expect(events.map(\.cursor).sorted() == events.map(\.cursor), "the order of the cursors")
            #expect(Set(events.map(\.cursor)).count == 25, "how many cursors there are")
            #expect(events.map(\.time) == (0..<25).map { StoreFixtures.after(Double($0)) }, "the times")
            #expect(Set(events.map(\.kind)) == [StoreFixtures.newKind], "the kinds")
            #expect(Set(events.map(\.app)) == [StoreFixtures.app], "the apps")
            for event in events {
                #expect(EventCursor(event.cursor.description) == event.cursor, "a cursor handed around as text")
            }
        }
    }

    @Test("a cursor at the end gets what comes later, and nothing twice", arguments: TestStoreBackend.allCases)
    func cursorAtEnd(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let start = try await store.latestEvent(of: StoreFixtures.app)
            try await store.append([StoreFixtures.event(1)])
            let first = try await store.events(of: StoreFixtures.app, after: start, limit: 10, kinds: nil)
            #expect(first.events.compactMap(\.number) == [1], "the first page")
            #expect(!first.hasMore, "whether more follows")
            let none = try await store.events(of: StoreFixtures.app, after: first.next, limit: 10, kinds: nil)
            #expect(none.events == [], "what follows the end")
            #expect(none.next == first.next, "the cursor at the end")
            let latestEvent = try await store.latestEvent(of: StoreFixtures.app)
            #expect(latestEvent == first.next, "the newest place")
            try await store.append([StoreFixtures.event(2)])
            let second = try await store.events(of: StoreFixtures.app, after: none.next, limit: 10, kinds: nil)
            #expect(second.events.compactMap(\.number) == [2], "the second page")
        }
    }

    @Test(
        "a filter answers its kinds alone, and its cursor passes over the others",
        arguments: TestStoreBackend.allCases
    )
    func filter(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let kind = EventType(rawValue: "other.kind")
            try await store.append(
                (0..<30).map { StoreFixtures.event($0, kind: $0 % 10 == 9 ? kind : StoreFixtures.newKind) }
            )
            let events = try await store.allEvents(kinds: [kind], limit: 2)
            #expect(events.compactMap(\.number) == [9, 19, 29], "the events of the kind")
            let both = try await store.allEvents(kinds: [kind, StoreFixtures.newKind], limit: 7)
            #expect(both.compactMap(\.number) == Array(0..<30), "the events of both kinds")
            let none = try await store.events(
                of: StoreFixtures.app,
                after: nil,
                limit: 5,
                kinds: [EventType(rawValue: "no.kind")]
            )
            #expect(none.events == [], "the events of a kind that there is not")
            let expected = try await store.latestEvent(of: StoreFixtures.app)
            #expect(none.next == expected, "the cursor behind the others")
        }
    }

    @Test("a filter looks through many events in several answers", arguments: TestStoreBackend.allCases)
    func filterInParts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let kind = EventType(rawValue: "other.kind")
            for start in stride(from: 0, to: 12_000, by: 4000) {
                try await store.append((start..<start + 4000).map { StoreFixtures.event($0) })
            }
            try await store.append([StoreFixtures.event(1, kind: kind)])
            let events = try await store.allEvents(kinds: [kind])
            #expect(events.compactMap(\.number) == [1], "the events of the kind")
        }
    }

    @Test("events of an app that does not exist are not appended, none of them", arguments: TestStoreBackend.allCases)
    func unknownApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await expectError(.notFound, "an event of no app") {
                try await store.append([StoreFixtures.event(1), StoreFixtures.event(2, app: StoreFixtures.otherApp)])
            }
            let events = try await store.allEvents()
            #expect(events == [], "the events")
            let page = try await store.events(of: StoreFixtures.otherApp, after: nil, limit: 10, kinds: nil)
            #expect(page.events == [], "the events of no app")
            #expect(!page.hasMore, "whether more of these follow")
        }
    }

    @Test(
        "readers that follow while others write see every event once and in one order",
        arguments: TestStoreBackend.allCases
    )
    func concurrentWriters(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let writers = 4
            let each = 50
            let seen = try await withThrowingTaskGroup(of: [Event].self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<each { try await store.append([StoreFixtures.event(writer * 1000 + number)]) }
                        return []
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        var events: [Event] = []
                        var cursor: EventCursor?
                        while events.count < writers * each {
                            let page = try await store.events(
                                of: StoreFixtures.app,
                                after: cursor,
                                limit: 7,
                                kinds: nil
                            )
                            events += page.events
                            cursor = page.next
                            await Task.yield()
                        }
                        return events
                    }
                }
                return try await group.reduce(into: [[Event]]()) { if !$1.isEmpty { $0.append($1) } }
            }
            let stored = try await store.allEvents()
            #expect(stored.count == writers * each, "how many events there are")
            for events in seen { #expect(events == stored, "what a reader saw") }
            for writer in 0..<writers {
                let own = stored.compactMap(\.number).filter { $0 / 1000 == writer }
                #expect(own == (0..<each).map { writer * 1000 + $0 }, "the order of a writer's events")
            }
        }
    }

    @Test("appended events are signalled once they can be read", arguments: TestStoreBackend.allCases)
    func signals(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            var changes = store.changes().makeAsyncIterator()
            try await store.append([StoreFixtures.event(1)])
            let next = await changes.next()
            #expect(next == .eventsAppended(StoreFixtures.app), "the signal")
            let eventCount = try await store.allEvents().count
            #expect(eventCount == 1, "how many events there are")
        }
    }

    @Test("an app that is deleted takes its events with it", arguments: TestStoreBackend.allCases)
    func deleteApp(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            try await store.append([StoreFixtures.event(1)])
            try await store.deleteApp(StoreFixtures.app)
            try await store.addSampleApp()
            let events = try await store.allEvents()
            #expect(events == [], "the events of the app created anew")
        }
    }
}
