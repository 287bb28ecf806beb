// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel
package import PushStore

extension SQLExecutor {
    package func lockedBatch(_ id: BatchID) throws -> BatchRow? {
        try self.map(SQLStatement.lockedBatch([.id(id.value)])) { try BatchRow(stored: $0) }.first
    }

    /// Locks batches in the order of their IDs; a result is the error of a corrupt row.
    func lockedBatches(_ ids: Set<BatchID>) throws -> [BatchID: Result<BatchRow, any Error>] {
        let rows = try self.rows(
            "SELECT * FROM batches WHERE id \(each: ids.map(\.value))\(lock: " ORDER BY id FOR UPDATE")"
        )
        let batches = try rows.map { row in
            (try row.batchID("id", of: "batch"), Result { try BatchRow(stored: row) })
        }
        return Dictionary(batches) { first, _ in first }
    }

    /// Locks the batches of a notification that are not final, and reads their rows without a wait for them.
    package func lockUnsettledBatches(of notification: NotificationID) throws -> any SQLResult {
        try self.run(
            """
            SELECT * FROM batches WHERE notification = \(notification.value) AND (state < 3 OR state = 7)
            ORDER BY \(sqlite: "ordinal", postgres: "id")\(lock: " FOR UPDATE")
            """
        )
    }

    /// Decodes batches that are not final; corrupt ones become claimable, so that the next claim fails them.
    package func readableBatches(_ rows: [StoredRow]) throws -> [BatchRow] {
        try rows.compactMap { row -> BatchRow? in
            if let batch = try row.readable(in: "batches", { try BatchRow(stored: $0) }) { return batch }
            let key = SQLValue(key: try row.blob("id"))
            try self.run("UPDATE batches SET state = 0, claimable_at = 0 WHERE id = \(key) AND state = 7")
            return nil
        }
    }

    package func update(_ batch: BatchRow) throws {
        let lifecycle = batch.lifecycle
        try self.run(
            SQLStatement.updateBatch([
                .number(lifecycle.state.number), .integer(lifecycle.state.claimableAt),
                .number(lifecycle.cursor), .bytes(batch.storedDeferred), .number(batch.delivered),
                .text(lifecycle.lastWorker?.rawValue), .number(lifecycle.setbacks),
                .text(lifecycle.state.failure), .number(lifecycle.halt?.stored),
                .integer(lifecycle.held.wholeMilliseconds), .number(lifecycle.interruptions.count),
                .id(batch.id.value),
            ])
        )
    }

    /// Adds to the counts of a batch; the delivered targets are counted in its row.
    package func add(_ counts: OutcomeCounts, to batch: BatchID) throws {
        try self.add(counts, toKey: .id(batch.value))
    }

    func add(_ counts: OutcomeCounts, toKey key: SQLValue) throws {
        for entry in counts.stored {
            try self.run(
                SQLStatement.addCount([
                    key, .number(entry.kind), .text(entry.name), .number(entry.count),
                    .number(Batch.maximumTargets),
                ])
            )
        }
    }

    package func insert(_ failures: [Settlement.Failure], of batch: BatchID) throws {
        let outcomes = failures.compactMap { failure in
            failure.outcome.stored.map { (position: failure.index, outcome: $0) }
        }
        guard !outcomes.isEmpty else { return }
        let new = try SQLRows(
            "new",
            outcomes,
            [
                "position": { .number($0.position) }, "kind": { .number($0.outcome.kind) },
                "name": { .text($0.outcome.name) }, "status": { .number($0.outcome.status) },
                "inactive_since": { .integer($0.outcome.inactiveSince) },
            ]
        )
        try self.run("INSERT INTO batch_failures \(new.insert(["batch": "\(batch.value)"]))")
    }

    /// Reads the contents of batches, with the ID of each in the column `batch`, without a wait for them.
    func contents(of batches: [BatchID]) throws -> any SQLResult {
        try self.run(
            """
            SELECT batches.id AS batch, batch_contents.* FROM \(SQL.batchContents)
            WHERE batches.id \(each: batches.map(\.value))
            """
        )
    }

    func targets(of batches: Set<[UInt8]>) throws -> [[UInt8]: TargetList] {
        try self.rows(
            """
            SELECT batches.id AS batch, targets, target_count FROM \(SQL.batchContents)
            WHERE batches.id \(each: batches.compactMap(APNsID.init(stored:)))
            """
        ).reduce(into: [:]) { targets, row in
            targets[try row.blob("batch")] = try BatchContent.targets(stored: row, count: row.number("target_count"))
        }
    }

    package func targets(of batch: BatchRow) throws -> TargetList {
        let id = batch.id.value.stored
        guard let targets = try self.targets(of: [id])[id] else { throw StoreError.damaged("targets of a batch") }
        return targets
    }
}

extension SQLStatement {
    fileprivate static let lockedBatch = SQLStatement("SELECT * FROM batches WHERE id = $1\(lock: " FOR UPDATE")")

    fileprivate static let updateBatch = SQLStatement(
        """
        UPDATE batches SET state = $1, claimable_at = $2, next_target = $3, deferred = $4, delivered = $5, worker = $6,
            setbacks = $7, failure = $8, halt = $9, held = $10, interrupted = $11
        WHERE id = $12
        """
    )

    /// A corrupt count keeps no batch from being settled.
    fileprivate static let addCount = SQLStatement(
        """
        INSERT INTO batch_counts (batch, kind, name, count) VALUES ($1, $2, $3, $4)
        ON CONFLICT (batch, kind, name) DO UPDATE SET count = excluded.count
            + CASE WHEN batch_counts.count < 0 THEN 0 WHEN batch_counts.count > $5 THEN $5 ELSE batch_counts.count END
        """
    )
}

extension SQLValue {
    /// An ID, whose bytes may be corrupt on SQLite.
    init(key bytes: [UInt8]) {
        self = APNsID(stored: bytes).map { .id($0) } ?? .bytes(bytes)
    }
}

extension SQL {
    /// Batches with their contents, to which SQLite refers by a number.
    static let batchContents: SQL = """
        batches JOIN batch_contents
        ON \(sqlite: "batch_contents.number = batches.content", postgres: "batch_contents.batch = batches.id")
        """
}
