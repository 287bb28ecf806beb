// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Testing

@testable import SQLStore

@Suite("Queries for leases", .timeLimit(.minutes(20)))
struct LeaseQueryTests {
    @Test(
        "the leases of a terminated worker are found by an index of few rows",
        arguments: [
            (WorkKind.batch, "batches_open (lane=? AND kind=? AND state=? AND claimable_at>?)"),
            (.campaign, "campaigns_claimable"), (.rollout, "activity_rollouts_claimable"),
            (.jobRun, "job_runs_claimable"), (.topicDelivery, "topic_deliveries_leased"),
        ]
    )
    func plans(kind: WorkKind, index: String) async throws {
        try await withTemporaryStore { store, _ in
            let table = try #require(LeaseTable.of(kind))
            let plan = try await store.sql.read { reader in
                try reader.rows("EXPLAIN QUERY PLAN \(table.leased(by: "worker"))").map { try $0.string("detail") }
            }
            #expect(plan.contains { $0.contains("INDEX \(index)") }, "\(plan)")
        }
    }
}
