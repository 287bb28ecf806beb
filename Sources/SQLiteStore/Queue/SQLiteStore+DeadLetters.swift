// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
import GRDB
public import PushModel
public import PushStore

extension SQLiteStore {
    /// The targets of a notification that came to anything but `delivered` for whatever reason; see `BatchStore`.
    public func deadLetters(
        of notification: NotificationID,
        matching filter: FailureFilter,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor.map(BatchID.locate)
        return try await self.read { database in
            var outcomes: [TargetOutcome] = []
            for batch in try database.batches(of: notification) where outcomes.count <= limit {
                if let start, batch.id < start.batch { continue }
                let position = start.map { $0.batch == batch.id ? $0.index : -1 } ?? -1
                outcomes += try database.deadLetters(
                    of: batch,
                    matching: filter,
                    after: position,
                    limit: limit + 1 - outcomes.count
                )
            }
            return Page(overfull: outcomes, limit: limit, cursor: \.apnsID)
        }
    }

    /// A batch as it was accepted; see `BatchStore`.
    public func batch(_ id: BatchID) async throws -> Batch? {
        try await self.read { database in
            guard let row = try database.batch(id), let content = try database.content(row.content) else { return nil }
            let found = try database.row("SELECT id FROM apps WHERE number = ?", [row.app])
            guard let app = found.flatMap({ AppID(rawValue: $0["id"]) }) else { throw StoreError.damaged("app") }
            return Batch(row, app: app, content: content)
        }
    }

    /// The notification that sends the failed targets of another one again; see `BatchStore`.
    public func resend(of notification: NotificationID) async throws -> NotificationID? {
        try await self.read { database in
            let row = try database.row(
                "SELECT id FROM notifications WHERE resend_of = ?",
                [notification.value.stored]
            )
            guard let row else { return nil }
            guard let id = APNsID(stored: row.bytes("id")) else { throw StoreError.damaged("notification") }
            return NotificationID(id)
        }
    }

    /// How many batches are not final; see `BatchStore`.
    public func openBatches(of app: AppID?) async throws -> [OpenBatches] {
        try await self.read { database in
            try Lane.allCases.flatMap { lane in
                try database.openKinds(in: lane).compactMap { number, kind in
                    guard app == nil || kind.app == app else { return nil }
                    // The index has all of this; the id of a batch begins with the time of its acceptance.
                    let row = try database.row(
                        """
                        SELECT COUNT(*) AS count, MIN(id) AS oldest FROM batches INDEXED BY batches_open
                        WHERE lane = ? AND kind = ? AND claimable_at IS NOT NULL
                        """,
                        [lane.stored, number]
                    )
                    let oldest = (row?["oldest"] as Data?).flatMap { APNsID(stored: [UInt8]($0)) }
                    guard let row, let oldest = oldest.flatMap(BatchID.init) else { return nil }
                    return OpenBatches(lane: lane, kind: kind, count: row["count"], oldest: oldest.createdAt)
                }
            }
        }
    }
}

extension Database {
    /// The failures of a batch behind a position that match, in the order of the targets.
    ///
    /// What has an outcome of its own has a row; of a batch that is final, the rest came to what the batch came to.
    fileprivate func deadLetters(
        of batch: BatchRow,
        matching filter: FailureFilter,
        after position: Int,
        limit: Int
    ) throws -> [TargetOutcome] {
        let own = try self.failures(of: batch, after: position, limit: Batch.maximumTargets)
            .filter { outcome in outcome.outcome.map(filter.matches) ?? false }
        guard let code = batch.lifecycle.remainder, filter.matches(.failed(code)) else {
            return Array(own.prefix(limit))
        }
        let left = ((position + 1)..<max(position + 1, batch.lifecycle.targetCount))
            .filter { !batch.lifecycle.isSettled($0) }
        guard !left.isEmpty else { return Array(own.prefix(limit)) }
        let targets = try self.targets(content: batch.content)
        guard targets.count == batch.lifecycle.targetCount else { throw StoreError.damaged("targets of a batch") }
        let rest = left.map { index in
            TargetOutcome(
                apnsID: batch.id.apnsID(at: index),
                notification: batch.notification,
                target: targets[index],
                outcome: .failed(code)
            )
        }
        return Array((own + rest).sorted { $0.apnsID < $1.apnsID }.prefix(limit))
    }
}

extension Batch {
    /// A batch as it was accepted, from the parts in which it is kept.
    init(_ row: BatchRow, app: AppID, content: BatchContent) {
        self.init(
            id: row.id,
            notification: row.notification,
            ordinal: row.ordinal,
            app: app,
            lane: row.lane,
            headers: content.headers,
            payload: content.payload,
            targets: content.targets,
            createdAt: row.createdAt,
            expiresAt: row.lifecycle.expiresAt
        )
    }
}
