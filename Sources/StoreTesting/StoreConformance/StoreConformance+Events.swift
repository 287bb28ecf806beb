// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

extension StoreConformance {
    static let events = [
        Check("events are read in their order, page by page, with everything that they tell") { store in
            try await store.addSampleApp()
            try await store.addSampleApp(StoreSamples.otherApp)
            try await store.append((0..<25).map { StoreSamples.event($0, after: Double($0)) })
            try await store.append([StoreSamples.event(99, app: StoreSamples.otherApp)])
            let events = try await store.allEvents(limit: 10)
            try expectEqual(events.compactMap(\.number), Array(0..<25), "the events")
            try expectEqual(events.map(\.cursor).sorted(), events.map(\.cursor), "the order of the cursors")
            try expectEqual(Set(events.map(\.cursor)).count, 25, "how many cursors there are")
            try expectEqual(events.map(\.time), (0..<25).map { StoreSamples.after(Double($0)) }, "the times")
            try expectEqual(Set(events.map(\.kind)), [StoreSamples.newKind], "the kinds")
            try expectEqual(Set(events.map(\.app)), [StoreSamples.app], "the apps")
            for event in events {
                try expectEqual(EventCursor(event.cursor.description), event.cursor, "a cursor handed around as text")
            }
        },
        Check("a cursor at the end gets what comes later, and nothing twice") { store in
            try await store.addSampleApp()
            let start = try await store.latestEvent(of: StoreSamples.app)
            try await store.append([StoreSamples.event(1)])
            let first = try await store.events(of: StoreSamples.app, after: start, limit: 10, kinds: nil)
            try expectEqual(first.events.compactMap(\.number), [1], "the first page")
            try expectEqual(first.hasMore, false, "whether more follows")
            let none = try await store.events(of: StoreSamples.app, after: first.next, limit: 10, kinds: nil)
            try expectEqual(none.events, [], "what follows the end")
            try expectEqual(none.next, first.next, "the cursor at the end")
            try expectEqual(try await store.latestEvent(of: StoreSamples.app), first.next, "the newest place")
            try await store.append([StoreSamples.event(2)])
            let second = try await store.events(of: StoreSamples.app, after: none.next, limit: 10, kinds: nil)
            try expectEqual(second.events.compactMap(\.number), [2], "the second page")
        },
        Check("a filter answers its kinds alone, and its cursor passes over the others") { store in
            try await store.addSampleApp()
            let kind = EventKind(rawValue: "other.kind")
            try await store.append(
                (0..<30).map { StoreSamples.event($0, kind: $0 % 10 == 9 ? kind : StoreSamples.newKind) }
            )
            let events = try await store.allEvents(kinds: [kind], limit: 2)
            try expectEqual(events.compactMap(\.number), [9, 19, 29], "the events of the kind")
            let both = try await store.allEvents(kinds: [kind, StoreSamples.newKind], limit: 7)
            try expectEqual(both.compactMap(\.number), Array(0..<30), "the events of both kinds")
            let none = try await store.events(
                of: StoreSamples.app,
                after: nil,
                limit: 5,
                kinds: [EventKind(rawValue: "no.kind")]
            )
            try expectEqual(none.events, [], "the events of a kind that there is not")
            try expectEqual(
                none.next,
                try await store.latestEvent(of: StoreSamples.app),
                "the cursor behind the others"
            )
        },
        Check("a filter looks through many events in several answers") { store in
            try await store.addSampleApp()
            let kind = EventKind(rawValue: "other.kind")
            for start in stride(from: 0, to: 12_000, by: 4000) {
                try await store.append((start..<start + 4000).map { StoreSamples.event($0) })
            }
            try await store.append([StoreSamples.event(1, kind: kind)])
            let events = try await store.allEvents(kinds: [kind])
            try expectEqual(events.compactMap(\.number), [1], "the events of the kind")
        },
        Check("events of an app that does not exist are not appended, none of them") { store in
            try await store.addSampleApp()
            try await expectError(.notFound, "an event of no app") {
                try await store.append([StoreSamples.event(1), StoreSamples.event(2, app: StoreSamples.otherApp)])
            }
            try expectEqual(try await store.allEvents(), [], "the events")
            let page = try await store.events(of: StoreSamples.otherApp, after: nil, limit: 10, kinds: nil)
            try expectEqual(page.events, [], "the events of no app")
            try expectEqual(page.hasMore, false, "whether more of these follow")
        },
        Check("readers that follow while others write see every event once and in one order") { store in
            try await store.addSampleApp()
            let writers = 4
            let each = 50
            let seen = try await withThrowingTaskGroup(of: [Event].self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<each { try await store.append([StoreSamples.event(writer * 1000 + number)]) }
                        return []
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        var events: [Event] = []
                        var cursor: EventCursor?
                        while events.count < writers * each {
                            let page = try await store.events(of: StoreSamples.app, after: cursor, limit: 7, kinds: nil)
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
            try expectEqual(stored.count, writers * each, "how many events there are")
            for events in seen { try expectEqual(events, stored, "what a reader saw") }
            for writer in 0..<writers {
                let own = stored.compactMap(\.number).filter { $0 / 1000 == writer }
                try expectEqual(own, (0..<each).map { writer * 1000 + $0 }, "the order of a writer's events")
            }
        },
        Check("appended events are signalled once they can be read") { store in
            try await store.addSampleApp()
            var changes = store.changes().makeAsyncIterator()
            try await store.append([StoreSamples.event(1)])
            try expectEqual(await changes.next(), .eventsAppended(StoreSamples.app), "the signal")
            try expectEqual(try await store.allEvents().count, 1, "how many events there are")
        },
        Check("an app that is deleted takes its events with it") { store in
            try await store.addSampleApp()
            try await store.append([StoreSamples.event(1)])
            try await store.deleteApp(StoreSamples.app)
            try await store.addSampleApp()
            try expectEqual(try await store.allEvents(), [], "the events of the app created anew")
        },
    ]
}
