// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    public func accept(
        _ notification: PushModel.Notification,
        batches: [Batch],
        noting note: AcceptanceAttachment?
    ) async throws {
        try notification.check(batches)
        let acceptance = Acceptance(notification, batches, note)
        guard acceptance.isSmall else {
            for result in try await self.sql.accept([acceptance]) { try result.get() }
            return
        }
        try await self.sql.driver.groups.acceptances.run(acceptance) {
            try await self.sql.accept($0, waitsBriefly: $1)
        }.get()
    }

    public func beginHandOver(to taker: any DirectHandoffConsumer) {
        self.sql.driver.batchHandOvers.add(taker)
    }

    public func endHandOver(to taker: any DirectHandoffConsumer) {
        self.sql.driver.batchHandOvers.remove(taker)
    }
}

/// A batch to store, encoded before the transaction, because other writers wait for it.
package struct NewBatch: Sendable {
    package let planned: ScheduledBatch
    fileprivate let environments: Int
    fileprivate let payload: [UInt8]
    fileprivate let isActivity: Bool

    package init(_ planned: ScheduledBatch, isActivity: Bool = false) {
        self.planned = planned
        self.environments = planned.batch.targets.environments.stored
        self.payload = planned.batch.payload.encoded
        self.isActivity = isActivity
    }
}

/// A batch with its state when it is stored.
private struct StoredDraft {
    let draft: NewBatch
    let lifecycle: BatchLifecycle
    let kind: StoredKind

    init(_ draft: NewBatch, _ claimed: ClaimedBatch?, app: Int64) {
        let planned = draft.planned.lifecycle
        self.draft = draft
        self.lifecycle = claimed.map { planned.leased(to: $0.worker, until: $0.leasedUntil) } ?? planned
        self.kind = StoredKind(
            app: app,
            environments: draft.environments,
            pushType: draft.planned.batch.headers.pushType.rawValue
        )
    }

    var batch: Batch { self.draft.planned.batch }
}

/// A kind of batches, by the values of its columns.
struct StoredKind: Hashable {
    let app: Int64
    let environments: Int
    let pushType: String
}

extension SQLTransaction {
    typealias NewNotification = (notification: PushModel.Notification, drafts: [NewBatch], app: Int64)

    /// Stores notifications with their batches, signals those that are not handed over, and appends the events.
    func accept(_ items: [NewNotification]) throws {
        try self.run(SQLStatement.insertNotifications, over: items.map { ($0.notification, $0.app) })
        let claimed = self.handOver?.take(items.flatMap { $0.drafts.map(\.planned.batch) }) ?? [:]
        try self.insert(items.flatMap { item in item.drafts.map { .init($0, claimed[$0.id], app: item.app) } })
        for item in items {
            let waiting = item.drafts.filter { claimed[$0.id] == nil }
            for lane in Set(waiting.map(\.planned.batch.lane)) { self.signal(.batchReady(lane)) }
            self.append(.accepted(item.notification), app: item.app)
        }
    }

    package func insert(_ notification: PushModel.Notification, app: Int64) throws {
        try self.run(SQLStatement.insertNotifications, over: [(notification, app)])
    }

    /// Stores batches with their contents, and leases those that are handed over.
    ///
    /// With `hasContents`, PostgreSQL has the contents already; see ``insertContents(of:)``.
    package func insert(
        _ drafts: [NewBatch],
        claimed: [BatchID: ClaimedBatch] = [:],
        app: Int64,
        hasContents: Bool = false
    ) throws {
        try self.insert(drafts.map { StoredDraft($0, claimed[$0.id], app: app) }, hasContents: hasContents)
    }

    private func insert(_ drafts: [StoredDraft], hasContents: Bool = false) throws {
        // All transactions lock the kinds in the same order.
        let kinds = drafts.compactMap { self.kinds.insert($0.kind).inserted ? $0.kind : nil }.sorted {
            ($0.app, $0.environments, $0.pushType) < ($1.app, $1.environments, $1.pushType)
        }
        for kind in kinds {
            try self.run(
                SQLStatement.insertKind([.integer(kind.app), .number(kind.environments), .text(kind.pushType)])
            )
        }
        // SQLite refers to the contents that were stored immediately before. PostgreSQL gets large ones one by one.
        let isTogether =
            self.dialect == .postgres && drafts.allSatisfy { $0.batch.targets.count <= CallGroups.maximumTargets }
        for part in isTogether ? [drafts] : drafts.map({ [$0] }) {
            if !hasContents || self.dialect == .sqlite {
                try self.run(SQLStatement.insertContents, over: part.map(\.draft))
            }
            try self.run(SQLStatement.insertBatches, over: part)
        }
        for draft in drafts {
            guard let code = draft.draft.planned.failure else { continue }
            try self.add(OutcomeCounts(failed: [code: draft.batch.targets.count]), to: draft.batch.id)
        }
    }

    /// Stores contents before the transaction locks rows that others wait for; SQLite stores them with the batches.
    package func insertContents(of drafts: [NewBatch]) throws {
        guard self.dialect == .postgres else { return }
        for draft in drafts { try self.run(SQLStatement.insertContents, over: [draft]) }
    }
}

extension NewBatch {
    fileprivate var id: BatchID { self.planned.batch.id }
}

extension SQLStatement {
    /// PostgreSQL counts the batches that are not final.
    fileprivate static let insertNotifications = SQLRowStatement<(PushModel.Notification, app: Int64)>(
        "new",
        [
            "id": { .id($0.0.id.value) }, "app": { .integer($0.app) }, "created_at": { .time($0.0.createdAt) },
            "target_count": { .number($0.0.targetCount) }, "batch_count": { .number($0.0.batchCount) },
            "resend_of": { .id($0.0.resendOf?.value) }, "resend_through": { .id($0.0.resendThrough) },
        ]
    ) {
        let openBatches: (SQL, SQL) = ("\(postgres: "open_batches, ")", "\(postgres: "new.batch_count, ")")
        return "INSERT INTO notifications \($0.insert(["is_open": "false"], first: openBatches))"
    }

    /// Adds a kind of batches; most often it is known, and then PostgreSQL must not use up a number.
    fileprivate static let insertKind = SQLStatement(
        """
        INSERT INTO batch_kinds (app, environments, push_type) SELECT $1, $2, $3
        WHERE NOT EXISTS (SELECT 1 FROM batch_kinds WHERE app = $1 AND environments = $2 AND push_type = $3)
        ON CONFLICT DO NOTHING
        """
    )

    /// On PostgreSQL, contents that were stored before stay as they are.
    fileprivate static let insertContents = SQLRowStatement<NewBatch>(
        "new",
        [
            "batch": { .id($0.id.value) }, "topic": { .text($0.planned.batch.headers.topic.rawValue) },
            "push_type": { .text($0.planned.batch.headers.pushType.rawValue) },
            "priority": { .number($0.planned.batch.headers.priority?.rawValue) },
            "expiration": { .integer($0.planned.batch.headers.expiration?.rawValue) },
            "collapse_id": { .text($0.planned.batch.headers.collapseID?.rawValue) },
            "payload": { .content($0.payload) }, "targets": { .content($0.planned.batch.targets.encoded) },
        ]
    ) {
        let batch: (SQL, SQL) = ("\(postgres: "batch, ")", "\(postgres: "new.batch, ")")
        let rows = $0.insert(["batch": nil], first: batch)
        return "INSERT INTO batch_contents \(rows)\(postgres: " ON CONFLICT DO NOTHING")"
    }

    fileprivate static let insertBatches = SQLRowStatement<StoredDraft>(
        "new",
        [
            "id": { .id($0.batch.id.value) }, "notification": { .id($0.batch.notification.value) },
            "ordinal": { .number($0.batch.ordinal) }, "lane": { .number($0.batch.lane.stored) },
            "state": { .number($0.lifecycle.state.number) },
            "claimable_at": { .integer($0.lifecycle.state.claimableAt) },
            "failure": { .text($0.lifecycle.state.failure) }, "target_count": { .number($0.batch.targets.count) },
            "worker": { .identifier($0.lifecycle.lastWorker) }, "created_at": { .time($0.batch.createdAt) },
            "expires_at": { .time($0.batch.expiresAt) }, "is_activity": { .number($0.draft.isActivity ? 1 : 0) },
            "app": { .integer($0.kind.app) }, "environments": { .number($0.kind.environments) },
            "push_type": { .text($0.kind.pushType) },
        ]
    ) { new in
        let kind: SQL = """
            (SELECT number FROM batch_kinds WHERE batch_kinds.app = \(new["app"])
                AND batch_kinds.environments = \(new["environments"]) AND batch_kinds.push_type = \(new["push_type"]))
            """
        let others: KeyValuePairs<StaticString, SQL?> = [
            "kind": kind, "environments": nil, "push_type": nil, "next_target": "0", "delivered": "0", "setbacks": "0",
        ]
        let content: (SQL, SQL) = ("\(sqlite: "content, ")", "\(sqlite: "last_insert_rowid(), ")")
        return "INSERT INTO batches \(new.insert(others, first: content))"
    }
}
