// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceNote?
    ) async throws {
        try notification.check(batches)
        let acceptance = Acceptance(notification, batches, note)
        guard acceptance.isSmall else {
            for result in try await self.sql.accept([acceptance]) { try result.get() }
            return
        }
        try await self.sql.driver.groups.acceptances.run(acceptance) { try await self.sql.accept($0) }.get()
    }

    public func beginHandOver(to taker: any BatchTaker) {
        self.sql.driver.batchHandOvers?.add(taker)
    }

    public func endHandOver(to taker: any BatchTaker) {
        self.sql.driver.batchHandOvers?.remove(taker)
    }
}

extension SQLTransaction {
    /// Stores a notification with its batches, signals those that are not handed over, and appends its event.
    func accept(
        _ notification: PushModel.Notification,
        _ drafts: [BatchDraft],
        claimed: [BatchID: ClaimedBatch] = [:],
        app: Int64
    ) throws {
        try self.insert(notification, app: app)
        try self.insert(drafts, claimed: claimed, app: app)
        self.report(notification, drafts, claimed: claimed, app: app)
    }

    func report(
        _ notification: PushModel.Notification,
        _ drafts: [BatchDraft],
        claimed: [BatchID: ClaimedBatch],
        app: Int64
    ) {
        let waiting = drafts.filter { claimed[$0.planned.batch.id] == nil }
        for lane in Set(waiting.map(\.planned.batch.lane)) { self.signal(.batchReady(lane)) }
        self.append(.accepted(notification), app: app)
    }
}

/// A batch to store, encoded before the transaction, because other writers wait for it.
package struct BatchDraft: Sendable {
    package let planned: PlannedBatch
    let environments: Int
    let payload: [UInt8]
    fileprivate let isActivity: Bool

    package init(_ planned: PlannedBatch, isActivity: Bool = false) {
        self.planned = planned
        self.environments = planned.batch.targets.environments.stored
        self.payload = planned.batch.payload.encoded
        self.isActivity = isActivity
    }

    /// The lifecycle in which the batch is stored.
    func lifecycle(_ claimed: ClaimedBatch?) -> BatchLifecycle {
        let planned = self.planned.lifecycle
        return claimed.map { planned.leased(to: $0.worker, until: $0.leasedUntil) } ?? planned
    }
}

/// A kind of batches, by the values of its columns.
struct StoredKind: Hashable {
    let app: Int64
    let environments: Int
    let pushType: PushType
}

extension SQLTransaction {
    package func insert(_ notification: PushModel.Notification, app: Int64) throws {
        try self.run(
            SQLStatement.insertNotification([
                .id(notification.id.value), .integer(app), .time(notification.createdAt),
                .number(notification.targetCount), .number(notification.batchCount),
                .id(notification.resendOf?.value), .id(notification.resendThrough),
            ])
        )
    }

    /// Stores batches with their contents, and leases those that are handed over.
    ///
    /// With `hasContents`, PostgreSQL has the contents already; see ``insertContents(of:)``.
    package func insert(
        _ drafts: [BatchDraft],
        claimed: [BatchID: ClaimedBatch] = [:],
        app: Int64,
        hasContents: Bool = false
    ) throws {
        for draft in drafts { try self.insertKind(of: draft, app: app) }
        for draft in drafts {
            if !hasContents || self.dialect == .sqlite { try self.insertContent(of: draft) }
            let batch = draft.planned.batch
            let lifecycle = draft.lifecycle(claimed[batch.id])
            try self.run(
                SQLStatement.insertBatch([
                    .id(batch.id.value), .id(batch.notification.value), .number(batch.ordinal),
                    .number(batch.lane.stored), .number(lifecycle.state.number),
                    .integer(lifecycle.state.claimableAt), .text(lifecycle.state.failure),
                    .number(batch.targets.count), .text(lifecycle.lastWorker?.rawValue),
                    .time(batch.createdAt), .time(batch.expiresAt), .number(draft.isActivity ? 1 : 0), .integer(app),
                    .number(draft.environments), .text(batch.headers.pushType.rawValue),
                ])
            )
            guard let code = draft.planned.failure else { continue }
            try self.add(OutcomeCounts(failed: [code: batch.targets.count]), to: batch.id)
        }
    }

    func insertKind(of draft: BatchDraft, app: Int64) throws {
        let pushType = draft.planned.batch.headers.pushType
        let kind = StoredKind(app: app, environments: draft.environments, pushType: pushType)
        guard self.kinds.insert(kind).inserted else { return }
        let values: [SQLValue] = [.integer(app), .number(draft.environments), .text(pushType.rawValue)]
        try self.run(SQLStatement.insertKind(values))
    }

    /// Stores contents before the transaction locks rows for which others wait; SQLite stores them with the batches.
    package func insertContents(of drafts: [BatchDraft]) throws {
        guard self.dialect == .postgres else { return }
        for draft in drafts { try self.insertContent(of: draft) }
    }

    private func insertContent(of draft: BatchDraft) throws {
        let batch = draft.planned.batch
        let headers = batch.headers
        var values: [SQLValue] = [
            .text(headers.topic.rawValue), .text(headers.pushType.rawValue), .number(headers.priority?.rawValue),
            .integer(headers.expiration?.rawValue), .text(headers.collapseID?.rawValue), .bytes(draft.payload),
            .bytes(batch.targets.encoded),
        ]
        if self.dialect == .postgres { values.append(.id(batch.id.value)) }
        try self.run(SQLStatement.insertContent(values))
    }
}

extension SQLStatement {
    /// PostgreSQL counts the batches that are not final.
    fileprivate static let insertNotification = SQLStatement(
        """
        INSERT INTO notifications (id, app, created_at, target_count, batch_count, is_open, resend_of, resend_through\
        \(postgres: ", open_batches"))
        VALUES ($1, $2, $3, $4, $5, false, $6, $7\(postgres: ", $5"))
        """
    )

    /// Adds a kind of batches; most often it is known, and then PostgreSQL must not use up a number.
    fileprivate static let insertKind = SQLStatement(
        """
        INSERT INTO batch_kinds (app, environments, push_type) SELECT $1, $2, $3
        WHERE NOT EXISTS (SELECT 1 FROM batch_kinds WHERE app = $1 AND environments = $2 AND push_type = $3)
        ON CONFLICT DO NOTHING
        """
    )

    /// On PostgreSQL, contents that were stored before stay as they are.
    fileprivate static let insertContent = SQLStatement(
        """
        INSERT INTO batch_contents (topic, push_type, priority, expiration, collapse_id, payload, targets\
        \(postgres: ", batch"))
        VALUES ($1, $2, $3, $4, $5, $6, $7\(sqlite: ")", postgres: ", $8) ON CONFLICT DO NOTHING")
        """
    )

    /// SQLite stores the contents immediately before the batch, which refers to them by their number.
    fileprivate static let insertBatch = SQLStatement(
        """
        INSERT INTO batches (id, notification, ordinal, lane, state, claimable_at, failure, next_target, target_count,
            delivered, setbacks, worker, created_at, expires_at, is_activity, app, kind\(sqlite: ", content"))
        SELECT $1, $2, $3, $4, $5, $6, $7, 0, $8, 0, 0, $9, $10, $11, $12, app, number\
        \(sqlite: ", last_insert_rowid()")
        FROM batch_kinds WHERE app = $13 AND environments = $14 AND push_type = $15
        """
    )
}
