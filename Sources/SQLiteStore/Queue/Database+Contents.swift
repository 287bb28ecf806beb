// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLite

extension Database {
    /// Stores the contents of a batch.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - payload: its payloads as `BatchPayload` encodes them.
    /// - Returns: the number by which the batch refers to it.
    /// - Throws: what SQLite throws.
    func insertContent(of batch: Batch, payload: [UInt8]) throws -> Int64 {
        try self.run(
            """
            INSERT INTO batch_contents (topic, push_type, priority, expiration, collapse_id, payload, targets)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                batch.headers.topic.rawValue, batch.headers.pushType.rawValue, batch.headers.priority?.rawValue,
                batch.headers.expiration?.rawValue, batch.headers.collapseID?.rawValue, payload,
                batch.targets.encoded,
            ]
        )
        return self.lastInsertedRowID
    }

    /// The contents of a batch, or `nil` when the batch was removed.
    func content(of batch: BatchRow) throws -> BatchContent? {
        try self.row("SELECT batch_contents.* FROM \(Self.contents)", [batch.id.value.stored]).map {
            try BatchContent(stored: $0, targetCount: batch.lifecycle.targetCount)
        }
    }

    /// The targets of a batch alone.
    func targets(of batch: BatchRow) throws -> TargetList {
        guard let row = try self.row("SELECT targets FROM \(Self.contents)", [batch.id.value.stored]) else {
            throw StoreError.damaged("targets of a batch")
        }
        return try BatchContent.targets(stored: row, count: batch.lifecycle.targetCount)
    }

    /// A batch without contents is a damaged one.
    private static let contents = "batches LEFT JOIN batch_contents ON number = batches.content WHERE batches.id = ?"
}
