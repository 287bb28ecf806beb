// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("The feed of events in a PostgreSQL database that processes share", .timeLimit(.minutes(20)))
struct SharedFeedTests {
    @Test("readers see what several processes append once and in one order, whatever else is stored meanwhile")
    func order() async throws {
        let each = 60
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                let seen = try await withThrowingTaskGroup(of: [Event].self) { group in
                    for (writer, place) in [store, other, store, other].enumerated() {
                        group.addTask {
                            for number in 0..<each {
                                // Every other one comes with a batch, and with an event that the store makes.
                                if number.isMultiple(of: 2) { try await place.accept(StoreFixtures.plan()) }
                                try await place.append([StoreFixtures.event(writer * 1000 + number)])
                            }
                            return []
                        }
                    }
                    for place in [store, other] {
                        group.addTask { try await Self.follow(place, count: 4 * each * 3 / 2) }
                    }
                    return try await group.reduce(into: [[Event]]()) { if !$1.isEmpty { $0.append($1) } }
                }
                let stored = try await store.allEvents()
                #expect(stored.count == 4 * each * 3 / 2)
                #expect(seen == [stored, stored])
                for writer in 0..<4 {
                    let own = stored.compactMap(\.number).filter { $0 / 1000 == writer }
                    #expect(own == (0..<each).map { writer * 1000 + $0 })
                }
            }
        }
    }

    /// Reads on from cursor to cursor until so many events were read.
    private static func follow(_ store: any PushStore, count: Int) async throws -> [Event] {
        var events: [Event] = []
        var cursor: EventCursor?
        while events.count < count {
            try Task.checkCancellation()
            let page = try await store.events(of: StoreFixtures.app, after: cursor, limit: 7, kinds: nil)
            events += page.events
            cursor = page.next
            await Task.yield()
        }
        return events
    }

    @Test("a slice without events is settled while somebody keeps the feed locked, and one with events waits")
    func settlement() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            _ = try await store.register(StoreFixtures.registration(1, token: 1), now: StoreFixtures.now)
            try await store.accept(StoreFixtures.plan(targets: 4))
            let claimed = try #require(try await store.claim().first)
            let intruder = SQLSession(url: database.url)
            try await intruder.execute("BEGIN; SELECT * FROM apus.event_feeds FOR UPDATE")
            _ = try await store.settle(Settlement(of: claimed, range: 0..<1, failures: []), now: StoreFixtures.now)
            let time = StoreFixtures.milliseconds(after: 1)
            let dead = Settlement.Failure(
                index: 1,
                outcome: StoreFixtures.rejection(.unregistered, inactiveSince: time)
            )
            async let receipt = store.settle(
                Settlement(of: claimed, range: 1..<3, failures: [dead]),
                now: StoreFixtures.after(2)
            )
            var waiting: [String] = []
            while waiting.isEmpty {
                waiting = try await database.execute(
                    """
                    SELECT pid FROM pg_stat_activity WHERE datname = current_database()
                        AND application_name = 'apus' AND wait_event_type = 'Lock'
                    """
                )
            }
            #expect(try await store.allEvents(kinds: [.deviceInvalidated]).isEmpty)
            try await intruder.execute("ROLLBACK")
            #expect(try await receipt.pruned == 1)
            #expect(try await store.allEvents(kinds: [.deviceInvalidated]).count == 1)
        }
    }

    @Test("processes that claim webhooks at the same time never get the same one, and get all of them")
    func webhooks() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let ids = (0..<40).map { WebhookID(unchecked: "wh_\($0)") }
            for id in ids { try await store.createWebhook(StoreFixtures.webhook(id)) }
            try await store.append([StoreFixtures.event(1)])
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                let claimed = try await withThrowingTaskGroup(of: [WebhookID].self) { group in
                    for (number, place) in [store, other, store, other].enumerated() {
                        group.addTask {
                            let worker = WorkerID(unchecked: "worker-\(number)")
                            return try await place.claimWebhooks(limit: 10, by: worker).map(\.id)
                        }
                    }
                    return try await group.reduce(into: [WebhookID]()) { $0 += $1 }
                }
                #expect(Set(claimed).count == claimed.count)
                let rest = try await store.claimWebhooks(limit: 40).map(\.id)
                #expect(Set(claimed + rest) == Set(ids))
                #expect(claimed.count + rest.count == ids.count)
            }
        }
    }

    @Test("processes that remove old events at the same time count what webhooks lose once")
    func pruning() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            try await store.createWebhook(StoreFixtures.webhook())
            try await store.append((0..<5000).map { StoreFixtures.event($0) })
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                async let first = store.pruneEvents(before: StoreFixtures.now, keeping: 10)
                async let second = other.pruneEvents(before: StoreFixtures.now, keeping: 10)
                let removed = try await first + second
                #expect(removed == 4990)
            }
            #expect(try await store.webhook("wh_1")?.droppedEvents == 4990)
            #expect(try await store.allEvents().count == 10)
        }
    }
}
