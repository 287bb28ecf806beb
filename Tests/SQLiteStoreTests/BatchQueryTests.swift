// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Testing

@testable import SQLStore

@Suite("Queries for batches", .timeLimit(.minutes(20)))
struct BatchQueryTests {
    @Test("one query finds the counts of all batches of a notification by index")
    func counts() async throws {
        try await withTemporaryStore { store, _ in
            let id = try StoreFixtures.plan().notification.id
            let plan = try await store.sql.read { reader in
                try reader.rows("EXPLAIN QUERY PLAN \(SQL.batchCounts(of: id))").map { try $0.string("detail") }
            }
            #expect(plan.count == 2)
            #expect(plan.first?.contains("INDEX batches_by_notification (notification=?)") == true, "\(plan)")
            #expect(plan.last == "SEARCH batch_counts USING PRIMARY KEY (batch=?)")
        }
    }
}
