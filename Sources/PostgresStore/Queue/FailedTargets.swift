// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The targets of some failures, read without the rest of their batches wherever that can be.
struct FailedTargets {
    /// A target with a token of the usual length: see ``PushModel/TargetList``.
    private static let usualSize = 34

    /// What a query has to select beside `batch` and `position`: from the contents of the failure's batch, where all
    /// tokens seem to be of the usual length, the bytes of the target.
    static let column = """
        CASE WHEN octet_length(batch_contents.targets) = 1 + \(FailedTargets.usualSize) * batches.target_count::bigint
                AND position >= 0 AND position < batches.target_count
            THEN substr(batch_contents.targets, 2 + \(FailedTargets.usualSize) * position, \(FailedTargets.usualSize))
        END AS target
        """

    private var lists: [[UInt8]: TargetList] = [:]

    /// Prepares for the targets of these rows; reads whole lists of those batches whose rows have no target.
    init(of rows: [PostgresRow], on connection: PostgresConnection) throws {
        let whole = Set(try rows.filter { try Self.single($0) == nil }.map { try $0.blob("batch") })
        if !whole.isEmpty { self.lists = try connection.targets(ofBatches: whole) }
    }

    /// The target of a row.
    ///
    /// - Throws: `StoreError` `.corrupt` when there is none.
    func target(of row: PostgresRow) throws -> Target {
        if let target = try Self.single(row) { return target }
        let index = try row.number("position")
        guard let list = self.lists[try row.blob("batch")], list.indices.contains(index) else {
            throw StoreError.damaged("targets of a batch")
        }
        return list[index]
    }

    private static func single(_ row: PostgresRow) throws -> Target? {
        guard let bytes = try row.bytes("target"), bytes.count == self.usualSize else { return nil }
        return (try? TargetList(encoded: [1] + bytes)).flatMap { $0.count == 1 ? $0.first : nil }
    }
}
