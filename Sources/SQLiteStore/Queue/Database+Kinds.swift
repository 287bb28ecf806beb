// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLite

extension Database {
    /// The number of a kind of batches; it is added when it is new.
    func number(of kind: BatchKind, app: Int64) throws -> Int64 {
        let values: StatementArguments = [app, kind.environments.stored, kind.pushType.rawValue]
        try self.run("INSERT OR IGNORE INTO batch_kinds (app, environments, push_type) VALUES (?, ?, ?)", values)
        let row = try self.row(
            "SELECT number FROM batch_kinds WHERE app = ? AND environments = ? AND push_type = ?",
            values
        )
        guard let row else { throw StoreError.damaged("kind of a batch") }
        return try row.int64("number")
    }

    /// The kinds of which a lane has batches that are not final.
    ///
    /// Takes one step of the index for each kind, however many batches these have.
    func openKinds(in lane: Lane) throws -> [(number: Int64, kind: BatchKind)] {
        try self.rows(Self.openKindsQuery, [lane.stored, lane.stored]).map { row in
            (try Int64(row.number("number")), try BatchKind(stored: row))
        }
    }

    /// Takes the number of the lane twice.
    static let openKindsQuery = """
        WITH RECURSIVE open (kind) AS (
            SELECT (
                SELECT kind FROM batches INDEXED BY batches_open WHERE lane = ? AND claimable_at IS NOT NULL
                ORDER BY kind LIMIT 1
            )
            UNION ALL
            SELECT (
                SELECT batches.kind FROM batches INDEXED BY batches_open
                WHERE batches.lane = ? AND batches.kind > open.kind AND batches.claimable_at IS NOT NULL
                ORDER BY batches.kind LIMIT 1
            ) FROM open WHERE open.kind IS NOT NULL
        )
        SELECT batch_kinds.number, batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM open
        CROSS JOIN batch_kinds ON batch_kinds.number = open.kind
        CROSS JOIN apps ON apps.number = batch_kinds.app
        """
}
