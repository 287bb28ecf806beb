// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: WebhookStore {
    public func createWebhook(_ webhook: Webhook) async throws {
        try await self.write { database, changes in
            let app = try database.requiredNumber(of: webhook.app)
            guard try database.row("SELECT 1 FROM webhooks WHERE id = ?", [webhook.id.rawValue]) == nil else {
                throw StoreError.taken("a webhook '\(webhook.id)'")
            }
            try database.run(
                """
                INSERT INTO webhooks (id, app, url, secret, created_at, state, event, failures, next_attempt, lost)
                VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0)
                """,
                [
                    webhook.id.rawValue, app, webhook.url.text, webhook.sealedSecret,
                    webhook.createdAt.millisecondsSince1970,
                ]
            )
            try database.update(webhook)
            changes = [.webhooksChanged]
        }
    }

    public func webhook(_ id: WebhookID) async throws -> Webhook? {
        try await self.read { try $0.webhooks("webhooks.id = ?", [id.rawValue]).first }
    }

    public func webhooks(of app: AppID) async throws -> [Webhook] {
        try await self.read {
            try $0.webhookRows("apps.id = ? ORDER BY webhooks.created_at, webhooks.id", [app.rawValue])
                .mapReadable(in: "webhooks") { try Webhook(stored: $0) }
        }
    }

    public func changeWebhook(_ id: WebhookID, _ change: [WebhookChange], now: Date) async throws -> Webhook? {
        let now = now.keptToMilliseconds
        return try await self.write { database, changes in
            guard var webhook = try database.webhooks("webhooks.id = ?", [id.rawValue]).first else { return nil }
            for change in change { webhook.apply(change, now: now) }
            try database.update(webhook)
            changes = [.webhooksChanged]
            return webhook
        }
    }

    @discardableResult
    public func deleteWebhook(_ id: WebhookID) async throws -> Bool {
        try await self.write { try $0.run("DELETE FROM webhooks WHERE id = ?", [id.rawValue]) > 0 }
    }

    public func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] {
        try await self.read { database in
            try database.rows(
                "SELECT * FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT ?",
                [webhook.rawValue, min(PageLimit.clamp(limit), WebhookDelivery.keptCount)]
            ).mapReadable(in: "webhook_deliveries") { try WebhookDelivery(stored: $0) }
        }
    }
}

extension SQLiteStore {
    private static let claimable = """
        webhooks.state = 0 AND webhooks.next_attempt <= ?
        AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= ?)
        AND EXISTS (SELECT 1 FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
        ORDER BY webhooks.next_attempt, webhooks.id LIMIT ?
        """

    public func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] {
        let time = now.millisecondsSince1970
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none, and after each event somebody asks: found out in few steps, without a change that would wait
        // for the disk.
        guard try await !self.lookUp({ try $0.webhookRows(Self.claimable, [time, time, 1]).isEmpty }) else { return [] }
        let later = now.addingTimeInterval(SetAside.seconds).millisecondsSince1970
        return try await self.write { database in
            try database.webhookRows(Self.claimable, [time, time, limit]).compactMap { row -> Webhook? in
                let id = try row.string("id")
                guard let webhook = try row.readable(in: "webhooks", { try Webhook(stored: $0) }) else {
                    try database.run("UPDATE webhooks SET worker = NULL, leased_until = ? WHERE id = ?", [later, id])
                    try LeaseSQL(database: database)
                        .list(.webhook, id, as: .unreadable, now: now)
                    return nil
                }
                try database.run(
                    "UPDATE webhooks SET worker = ?, leased_until = ? WHERE id = ?",
                    [worker.rawValue, until, id]
                )
                return webhook
            }
        }
    }

    public func settleWebhook(_ settlement: WebhookSettlement, now: Date) async throws -> Webhook {
        let now = now.keptToMilliseconds
        return try await self.write { database, changes in
            let found = try database.webhooks(
                "webhooks.id = ? AND webhooks.worker = ?",
                [settlement.webhook.rawValue, settlement.worker.rawValue]
            )
            guard var webhook = found.first else { throw StoreError.leaseLost(settlement) }
            var reason: WebhookState.Reason?
            switch settlement.result {
            case .advanced(let cursor): webhook.advance(to: cursor, now: now)
            case .failed(let failure): reason = webhook.fail(failure, now: now)
            }
            try database.update(webhook)
            if let delivery = settlement.delivery { try database.insert(delivery, of: webhook.id) }
            if let duration = settlement.leaseDuration {
                let until = now.lease(of: duration).millisecondsSince1970
                try database.run("UPDATE webhooks SET leased_until = ? WHERE id = ?", [until, webhook.id.rawValue])
            } else {
                try database.release(webhook.id, worker: settlement.worker)
                changes.append(.webhooksChanged)
            }
            if let reason {
                let app = try database.requiredNumber(of: webhook.app)
                try database.append(.disabled(webhook, reason: reason, time: now), app: app, signalling: &changes)
            }
            return webhook
        }
    }

    public func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws {
        try await self.write { database, changes in
            guard try database.release(id, worker: worker) > 0 else { return }
            changes = [.webhooksChanged]
        }
    }
}

extension Database {
    @discardableResult
    fileprivate func release(_ id: WebhookID, worker: WorkerID) throws -> Int {
        try self.run(
            "UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = ? AND worker = ?",
            [id.rawValue, worker.rawValue]
        )
    }

    fileprivate func insert(_ delivery: WebhookDelivery, of webhook: WebhookID) throws {
        let answer = delivery.answer
        try self.run(
            """
            INSERT INTO webhook_deliveries (webhook, message, time, first, last, count, attempt, status, failure, excerpt,
                milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                webhook.rawValue, delivery.message, delivery.time.millisecondsSince1970, delivery.first.sequence,
                delivery.last.sequence, delivery.count, delivery.attempt, answer.status, answer.failure?.rawValue,
                answer.excerpt, delivery.storedMilliseconds,
            ]
        )
        try self.run(
            """
            DELETE FROM webhook_deliveries WHERE webhook = ? AND number <= (
                SELECT number FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT 1 OFFSET \(WebhookDelivery.keptCount)
            )
            """,
            [webhook.rawValue, webhook.rawValue]
        )
    }
}

extension Database {
    func webhooks(_ condition: String, _ arguments: StatementArguments) throws -> [Webhook] {
        try self.webhookRows(condition, arguments).map(Webhook.init(stored:))
    }

    func webhookRows(_ condition: String, _ arguments: StatementArguments) throws -> [Row] {
        try self.rows(
            """
            SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app
            WHERE \(condition)
            """,
            arguments
        )
    }

    /// Writes back what changes about a webhook, but for its lease.
    func update(_ webhook: Webhook) throws {
        let state = webhook.state.stored
        try self.run(
            """
            UPDATE webhooks SET url = ?, kinds = ?, state = ?, disabled_reason = ?, disabled_at = ?, event = ?,
                retry_to = ?, failures = ?, failing_since = ?, next_attempt = ?, lost = ? WHERE id = ?
            """,
            [
                webhook.url.text, webhook.storedKinds, state.number, state.reason, state.since,
                webhook.cursor.sequence, webhook.retryTo?.sequence, webhook.failures,
                webhook.failingSince?.millisecondsSince1970, webhook.nextAttempt.millisecondsSince1970, webhook.lost,
                webhook.id.rawValue,
            ]
        )
    }
}
