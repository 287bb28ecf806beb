// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// The targets of some failures, which PostgreSQL reads without the rest of their batches if possible.
struct FailedTargets {
    /// The bytes of a target with a token of the usual length; see ``PushModel/TargetList``.
    private static let usualSize = 34

    /// Reads failures with the bytes of their targets, which SQLite leaves out.
    ///
    /// SQLite would read the list of all targets for each failure; it reads the list once for each batch instead.
    static func query(_ failures: SQL, in dialect: SQLDialect) -> SQL {
        switch dialect {
        case .sqlite: "SELECT failures.*, NULL AS target FROM (\(failures)) AS failures ORDER BY batch, position"
        case .postgres:
            """
            SELECT failures.*,
                CASE WHEN octet_length(batch_contents.targets) = 1 + 34 * batches.target_count::bigint
                        AND position >= 0 AND position < batches.target_count
                    THEN substr(batch_contents.targets, 2 + 34 * position, 34)
                END AS target
            FROM (\(failures)) AS failures
            JOIN batches ON batches.id = failures.batch
            LEFT JOIN batch_contents ON batch_contents.batch = failures.batch
            ORDER BY failures.batch, failures.position
            """
        }
    }

    private var lists: [[UInt8]: TargetList] = [:]

    /// Prepares for the targets of these rows; reads the lists of the batches whose rows have no target.
    init(of rows: [SQLRow], on reader: any SQLExecutor) throws {
        let whole = Set(try rows.filter { try Self.single($0) == nil }.map { try $0.blob("batch") })
        if !whole.isEmpty { self.lists = try reader.targets(of: whole) }
    }

    /// The failure of a row.
    ///
    /// - Throws: `StoreError` `.corrupt` if it has no target.
    func outcome(of row: SQLRow, notification: NotificationID) throws -> TargetOutcome {
        let index = try row.number("position", in: 0...Batch.maximumTargets - 1)
        guard let id = APNsID(stored: try row.blob("batch")).flatMap(BatchID.init) else {
            throw StoreError.damaged("targets of a batch")
        }
        return TargetOutcome(
            apnsID: id.apnsID(at: index),
            notification: notification,
            target: try self.target(of: row, at: index),
            outcome: try Outcome(stored: row)
        )
    }

    private func target(of row: SQLRow, at index: Int) throws -> Target {
        if let target = try Self.single(row) { return target }
        guard let list = self.lists[try row.blob("batch")], list.indices.contains(index) else {
            throw StoreError.damaged("targets of a batch")
        }
        return list[index]
    }

    private static func single(_ row: SQLRow) throws -> Target? {
        guard let bytes = try row.bytes("target"), bytes.count == self.usualSize else { return nil }
        return (try? TargetList(encoded: [1] + bytes)).flatMap { $0.count == 1 ? $0.first : nil }
    }
}
