// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// A notification to store, encoded before the transaction, because other writers wait for it.
struct Acceptance: Sendable {
    let notification: PushModel.Notification
    fileprivate let drafts: [BatchDraft]
    fileprivate let note: AcceptanceNote?

    init(_ notification: PushModel.Notification, _ batches: [Batch], _ note: AcceptanceNote?) {
        self.notification = notification
        self.drafts = batches.map { BatchDraft(PlannedBatch(batch: $0)) }
        self.note = note
    }

    fileprivate var batches: [Batch] { self.drafts.map(\.planned.batch) }

    /// Whether it shares its transaction with others.
    ///
    /// Resends and chunks do not: callers that repeat them cause conflicts, and a conflict fails the group.
    var isSmall: Bool {
        if case .chunk = self.note { return false }
        return self.notification.targetCount <= WriteGroups.maximumTargets && self.notification.resendOf == nil
            && self.batches.allSatisfy { $0.lane == .urgent }
    }
}

extension SQLDatabase {
    /// Stores notifications in one transaction.
    ///
    /// - Returns: a result for each. A notification that is rejected does not affect the others.
    /// - Throws: an error if nothing was stored.
    func accept(
        _ items: [Acceptance],
        operation: StaticString = #function
    ) async throws -> [Result<Void, any Error>] {
        let batches = items.flatMap(\.batches)
        return try await self.write(
            handingOver: batches,
            in: batches.contains { $0.lane == .urgent } ? .urgent : .bulk,
            // One transaction stores all of them.
            isStored: { reader in
                let ids = items.map(\.notification.id.value)
                return try reader.first("SELECT 1 FROM notifications WHERE id \(each: ids)") != nil
            },
            operation: operation
        ) { transaction, claims in try transaction.accept(items, claims: &claims) }
    }
}

extension SQLTransaction {
    fileprivate func accept(
        _ items: [Acceptance],
        claims: inout [BatchID: ClaimedBatch]
    ) throws -> [Result<Void, any Error>] {
        let apps = try self.lockedNumbers(of: Set(items.map(\.notification.app)))
        var records: [(record: IdempotencyRecord, app: Int64)] = []
        for item in items {
            guard case .answer(let record) = item.note, let app = apps[item.notification.app] else { continue }
            records.append((record, app))
        }
        // First, because the records decide which requests are repetitions.
        var added = try self.insertUnused(records)
        var accepted: [(item: Acceptance, app: Int64)] = []
        var results: [Result<Void, any Error>] = []
        for item in items {
            do {
                guard let app = apps[item.notification.app] else { throw StoreError.noApp(item.notification.app) }
                if case .answer(let record) = item.note, added.remove(record.notification) == nil {
                    throw StoreError.taken("a response under this idempotency key")
                }
                accepted.append((item, app))
                results.append(.success(()))
            } catch {
                for batch in item.batches { claims[batch.id] = nil }
                results.append(.failure(error))
            }
        }
        try self.store(accepted, claimed: claims)
        return results
    }

    private func store(_ items: [(item: Acceptance, app: Int64)], claimed: [BatchID: ClaimedBatch]) throws {
        for case (let item, let app) in items {
            if case .chunk(let chunk) = item.note { try self.append(chunk, app: app) }
        }
        // SQLite executes prepared statements for each row anyway, and they cost less than statements over rows.
        let isGroup = self.dialect == .postgres && items.count > 1
        if isGroup { try self.insertRows(of: items, claimed: claimed) }
        for (item, app) in items {
            if isGroup {
                self.report(item.notification, item.drafts, claimed: claimed, app: app)
            } else {
                try self.accept(item.notification, item.drafts, claimed: claimed, app: app)
            }
            if case .endpoint(let publication) = item.note { try self.insert(publication, of: item.notification.id) }
        }
    }

    /// The numbers of the apps that exist; nothing can remove these before the transaction ends.
    private func lockedNumbers(of apps: Set<AppID>) throws -> [AppID: Int64] {
        let found = try self.rows(
            "SELECT id, number FROM apps WHERE id \(each: Array(apps))\(lock: " ORDER BY id FOR KEY SHARE")"
        )
        let numbers = try found.map { (try $0.identifier("id", AppID.self), try $0.int64("number")) }
        return Dictionary(numbers) { first, _ in first }
    }

    /// Stores notifications of small batches on PostgreSQL, by one statement for each table.
    private func insertRows(of items: [(item: Acceptance, app: Int64)], claimed: [BatchID: ClaimedBatch]) throws {
        let notifications = try SQLRows(
            "new",
            items,
            [
                "id": { .id($0.item.notification.id.value) }, "app": { .integer($0.app) },
                "created_at": { .time($0.item.notification.createdAt) },
                "target_count": { .number($0.item.notification.targetCount) },
                "batch_count": { .number($0.item.notification.batchCount) },
            ]
        )
        let others: KeyValuePairs<StaticString, SQL?> = [
            "is_open": "false", "open_batches": notifications["batch_count"],
        ]
        try self.run("INSERT INTO notifications \(notifications.insert(others))")
        let rows = items.flatMap { item, app in
            item.drafts.map { draft in
                let batch = draft.planned.batch
                return (draft: draft, batch: batch, lifecycle: draft.lifecycle(claimed[batch.id]), app: app)
            }
        }
        for row in rows { try self.insertKind(of: row.draft, app: row.app) }
        let contents = try SQLRows(
            "new",
            rows,
            [
                "batch": { .id($0.batch.id.value) }, "topic": { .text($0.batch.headers.topic.rawValue) },
                "push_type": { .text($0.batch.headers.pushType.rawValue) },
                "priority": { .number($0.batch.headers.priority?.rawValue) },
                "expiration": { .integer($0.batch.headers.expiration?.rawValue) },
                "collapse_id": { .text($0.batch.headers.collapseID?.rawValue) },
                "payload": { .bytes($0.draft.payload) }, "targets": { .bytes($0.batch.targets.encoded) },
            ]
        )
        try self.run("INSERT INTO batch_contents \(contents.insert()) ON CONFLICT DO NOTHING")
        let batches = try SQLRows(
            "new",
            rows,
            [
                "id": { .id($0.batch.id.value) }, "notification": { .id($0.batch.notification.value) },
                "ordinal": { .number($0.batch.ordinal) }, "lane": { .number($0.batch.lane.stored) },
                "state": { .number($0.lifecycle.state.number) },
                "claimable_at": { .integer($0.lifecycle.state.claimableAt) },
                "target_count": { .number($0.batch.targets.count) },
                "worker": { .identifier($0.lifecycle.lastWorker) }, "created_at": { .time($0.batch.createdAt) },
                "expires_at": { .time($0.batch.expiresAt) }, "app": { .integer($0.app) },
                "environments": { .number($0.draft.environments) },
                "push_type": { .text($0.batch.headers.pushType.rawValue) },
            ]
        )
        let kind: SQL = """
            (
                SELECT number FROM batch_kinds WHERE batch_kinds.app = new.app
                    AND batch_kinds.environments = new.environments AND batch_kinds.push_type = new.push_type
            )
            """
        let columns: KeyValuePairs<StaticString, SQL?> = [
            "kind": kind, "environments": nil, "push_type": nil, "next_target": "0", "delivered": "0", "setbacks": "0",
        ]
        try self.run("INSERT INTO batches \(batches.insert(columns))")
    }
}
