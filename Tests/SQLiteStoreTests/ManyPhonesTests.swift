// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("Activities that very many phones show", .timeLimit(.minutes(20)))
struct ManyPhonesTests {
    private static let count = 10_050

    /// Lets phones join that nobody has told of, which would take long one by one.
    private func addPhones(_ path: String) async throws {
        let now = StoreFixtures.milliseconds(after: 0)
        try await Intruder(path: path).execute(
            """
            WITH RECURSIVE numbers (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM numbers WHERE i < \(Self.count))
            INSERT INTO activity_participants (number, activity, installation, state, environment, token, sent_version,
                position, origin, joined_at, started_at)
            SELECT activities.number << 24 | i, activities.number, 'phone ' || i, 1, 1, randomblob(32), 1, 0, 0,
                \(now), \(now)
            FROM activities CROSS JOIN numbers;
            UPDATE activities SET joined = \(Self.count);
            """
        )
    }

    private func claimAll(_ store: SQLiteStore) async throws -> [ClaimedBatch] {
        try await store.claim(.bulk) + store.claim(.urgent)
    }

    @Test("are sent on in parts, and no phone is passed over or sent to twice")
    func parts() async throws {
        try await withTemporaryStore { store, path in
            try await store.addLesson()
            try await self.addPhones(path)
            let receipt = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            #expect([receipt.sent, receipt.pending] == [10_000, 50])
            #expect(try await store.sendOnActivities(now: StoreFixtures.now))
            #expect(try await !store.sendOnActivities(now: StoreFixtures.now))
            let targets = try await self.claimAll(store).flatMap(\.batch.targets)
            #expect(targets.count == Self.count)
            #expect(Set(targets).count == Self.count)
        }
    }

    @Test("that change while they are sent on go on where that is, until every phone was sent what is newest")
    func changes() async throws {
        try await withTemporaryStore { store, path in
            try await store.addLesson()
            try await self.addPhones(path)
            _ = try await store.change(ActivityFixtures.state(#"{"n":1}"#))
            _ = try await store.change(ActivityFixtures.state(#"{"n":2}"#))
            try await store.sendOn()
            for claimed in try await self.claimAll(store) { try await store.settleAll(claimed) }
            for claimed in try await self.claimAll(store) { try await store.settleAll(claimed) }
            #expect(try await self.claimAll(store).isEmpty)
            var cursor: Int64?
            var versions: Set<Int> = []
            repeat {
                let page = try await store.participants(
                    of: ActivityFixtures.lesson,
                    app: StoreFixtures.app,
                    after: cursor,
                    limit: 1000
                )
                versions.formUnion(page.elements.map(\.lastSentVersion))
                cursor = page.next
            } while cursor != nil
            #expect(versions == [3])
        }
    }
}
