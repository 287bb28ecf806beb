// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushModel
import PushStore

/// The part of a batch that never changes.
struct BatchContent {
    let headers: NotificationHeaders
    let payload: BatchPayload
    let targets: TargetList
}

extension Database {
    /// Stores the contents of a batch.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - payload: its payloads as `BatchPayload` encodes them.
    /// - Returns: the number by which the batch refers to it.
    /// - Throws: what SQLite throws.
    func insertContent(of batch: Batch, payload: Data) throws -> Int64 {
        try self.run(
            """
            INSERT INTO batch_contents (topic, push_type, priority, expiration, collapse_id, payload, targets)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                batch.headers.topic.rawValue, batch.headers.pushType.rawValue, batch.headers.priority?.rawValue,
                batch.headers.expiration?.rawValue, batch.headers.collapseID?.rawValue, payload,
                Data(batch.targets.encoded),
            ]
        )
        return self.lastInsertedRowID
    }

    /// The contents of a batch, or `nil` when the batch was removed.
    func content(_ number: Int64) throws -> BatchContent? {
        try self.row("SELECT * FROM batch_contents WHERE number = ?", [number]).map(BatchContent.init(row:))
    }

    /// The targets of a batch alone; none when the batch was removed.
    func targets(content number: Int64) throws -> TargetList {
        let row = try self.row("SELECT targets FROM batch_contents WHERE number = ?", [number])
        return try row.map(BatchContent.targets(row:)) ?? []
    }
}

extension BatchContent {
    fileprivate init(row: Row) throws {
        guard
            let topic = Topic(rawValue: row["topic"]),
            let payload = try? BatchPayload(encoded: row.bytes("payload"))
        else { throw StoreError.damaged("content of a batch") }
        var headers = NotificationHeaders(topic: topic, pushType: PushType(rawValue: row["push_type"]))
        headers.priority = (row["priority"] as Int?).map { Priority(rawValue: $0) }
        headers.expiration = (row["expiration"] as Int64?).map { APNsExpiration(rawValue: $0) }
        headers.collapseID = (row["collapse_id"] as String?).flatMap { CollapseID(rawValue: $0) }
        let targets = try Self.targets(row: row)
        guard payload.fits(targets: targets.count) else { throw StoreError.damaged("payloads of a batch") }
        self.init(headers: headers, payload: payload, targets: targets)
    }

    fileprivate static func targets(row: Row) throws -> TargetList {
        do {
            return try TargetList(encoded: row.bytes("targets"))
        } catch {
            throw StoreError(
                code: .corrupt,
                message: "The stored targets of a batch cannot be read: \(error). Restore the database from a backup.",
                cause: error
            )
        }
    }
}
