// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension WebhookStore where Self: SQLBacked {
    public func createWebhook(_ webhook: Webhook) async throws {
        try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: webhook.app)
            let added = try transaction.run(
                """
                INSERT INTO webhooks (id, app, url, secret, created_at, state, event, failures, next_attempt, lost)
                VALUES (\(webhook.id), \(app), \(webhook.url.text), \(webhook.sealedSecret), \(webhook.createdAt),
                    0, 0, 0, 0, 0)
                ON CONFLICT DO NOTHING
                """
            )
            guard try added.changes == 1 else { throw StoreError.taken("a webhook '\(webhook.id)'") }
            try transaction.update(webhook)
            try transaction.audit(created: webhook)
            transaction.signal(.webhooksChanged)
        }
    }

    public func webhook(_ id: WebhookID) async throws -> Webhook? {
        try await self.sql.first("\(SQL.webhooks) WHERE webhooks.id = \(id)") { try Webhook(stored: $0) }
    }

    public func webhooks(of app: AppID) async throws -> [Webhook] {
        try await self.sql.list(
            "\(SQL.webhooks) WHERE apps.id = \(app) ORDER BY webhooks.created_at, webhooks.id",
            in: "webhooks"
        ) { try Webhook(stored: $0) }
    }

    public func changeWebhook(_ id: WebhookID, _ changes: [WebhookUpdate], now: Date) async throws -> Webhook? {
        let now = now.keptToMilliseconds
        return try await self.sql.write { transaction in
            let row = try transaction.first(
                "\(SQL.webhooks) WHERE webhooks.id = \(id)\(lock: " FOR UPDATE OF webhooks")"
            )
            guard var webhook = try row.map(Webhook.init(stored:)) else { return nil }
            let former = webhook
            for change in changes { webhook.apply(change, now: now) }
            try transaction.update(webhook)
            try transaction.audit(former, to: webhook)
            transaction.signal(.webhooksChanged)
            return webhook
        }
    }

    public func deleteWebhook(_ id: WebhookID) async throws -> Bool {
        try await self.sql.write { transaction in
            let row = try transaction.first("\(SQL.webhooks) WHERE webhooks.id = \(id)")
            guard let row, try transaction.run("DELETE FROM webhooks WHERE id = \(id)").changes > 0 else {
                return false
            }
            // A corrupt webhook can be removed too.
            if let webhook = try? Webhook(stored: row) { try transaction.audit(deleted: webhook) }
            return true
        }
    }

    public func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDeliveryAttempt] {
        let limit = min(PageLimit.clamp(limit), WebhookDeliveryAttempt.keptCount)
        return try await self.sql.list(
            "SELECT * FROM webhook_deliveries WHERE webhook = \(webhook) ORDER BY number DESC LIMIT \(limit)",
            in: "webhook_deliveries"
        ) { try WebhookDeliveryAttempt(stored: $0) }
    }

    public func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] {
        let limit = PageLimit.clamp(limit)
        // Events cause many calls, and most calls find none. A read finds that out without a lock or a disk flush.
        guard try await self.sql.finds(SQL.claimableWebhooks(limit: 1, now: now)) else { return [] }
        let (until, later) = (now.lease(of: leaseDuration), now.addingTimeInterval(QuarantinedActivity.seconds))
        return try await self.sql.write { transaction in
            try transaction.rows(
                "\(SQL.claimableWebhooks(limit: limit, now: now))\(lock: " FOR UPDATE OF webhooks SKIP LOCKED")"
            ).compactMap { row -> Webhook? in
                let id = try row.string("id")
                let webhook = try row.readable(in: "webhooks") { try Webhook(stored: $0) }
                let (holder, time): (WorkerID?, Date) = webhook == nil ? (nil, later) : (worker, until)
                try transaction.run("UPDATE webhooks SET worker = \(holder), leased_until = \(time) WHERE id = \(id)")
                if webhook == nil {
                    try transaction.list(.webhook, id, app: row.integer("app"), as: .unreadable, now: now)
                }
                return webhook
            }
        }
    }

    public func settleWebhook(_ settlement: WebhookDeliveryUpdate, now: Date) async throws -> Webhook {
        let now = now.keptToMilliseconds
        return try await self.sql.write { transaction in
            let row = try transaction.first(
                """
                \(SQL.webhooks) WHERE webhooks.id = \(settlement.webhook) AND webhooks.worker = \(settlement.worker)
                \(lock: "FOR UPDATE OF webhooks")
                """
            )
            guard let row else {
                throw StoreError.leaseLost("webhook '\(settlement.webhook)'", holder: settlement.worker)
            }
            var webhook = try Webhook(stored: row)
            var reason: WebhookState.Reason?
            switch settlement.result {
            case .advanced(let cursor): webhook.advance(to: cursor, now: now)
            case .failed(let failure): reason = webhook.fail(failure, now: now)
            }
            try transaction.update(webhook)
            if let delivery = settlement.delivery { try transaction.insert(delivery, of: webhook.id) }
            if let duration = settlement.leaseDuration {
                try transaction.run(
                    "UPDATE webhooks SET leased_until = \(now.lease(of: duration)) WHERE id = \(webhook.id)"
                )
            } else {
                try transaction.run(SQL.release(webhook.id, worker: settlement.worker))
                transaction.signal(.webhooksChanged)
            }
            if let reason {
                transaction.append(.disabled(webhook, reason: reason, time: now), app: try row.int64("app"))
            }
            return webhook
        }
    }

    public func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws {
        try await self.sql.write { transaction in
            let released = try transaction.run(SQL.release(id, worker: worker))
            try transaction.commit()
            if try released.changes > 0 { transaction.signal(.webhooksChanged) }
        }
    }
}

extension SQLExecutor {
    /// Moves webhooks past events that are removed next, and counts the dropped events of each; locks them before the
    /// feed.
    package func moveWebhooks(ofApp app: Int64, pastEvent last: Int64) throws {
        let rows = try self.rows(
            """
            \(SQL.webhooks) WHERE webhooks.app = \(app) AND webhooks.event < \(last)
            ORDER BY webhooks.id\(lock: " FOR UPDATE OF webhooks")
            """
        )
        for var webhook in try rows.mapReadable(in: "webhooks", { try Webhook(stored: $0) }) {
            let counts = try self.rows(
                """
                SELECT kind, count(*) AS count FROM events
                WHERE app = \(app) AND number > \(webhook.cursor.sequence) AND number <= \(last) GROUP BY kind
                """
            )
            let lost = try counts.reduce(0) { lost, row in
                let isWanted = try webhook.kinds?.contains(EventType(rawValue: row.string("kind"))) ?? true
                return isWanted ? lost + (try row.number("count")) : lost
            }
            webhook.lose(to: EventCursor(sequence: last), count: lost)
            try self.update(webhook)
        }
    }

    fileprivate func update(_ webhook: Webhook) throws {
        let state = webhook.state.stored
        try self.run(
            """
            UPDATE webhooks SET url = \(webhook.url.text), kinds = \(webhook.storedKinds), state = \(state.number),
                disabled_reason = \(state.reason), disabled_at = \(state.since), event = \(webhook.cursor.sequence),
                retry_to = \(webhook.retryTo?.sequence), failures = \(webhook.consecutiveFailures),
                failing_since = \(webhook.failingSince), next_attempt = \(webhook.nextAttemptAt), lost = \(webhook.droppedEvents)
            WHERE id = \(webhook.id)
            """
        )
    }

    fileprivate func insert(_ delivery: WebhookDeliveryAttempt, of webhook: WebhookID) throws {
        let answer = delivery.response
        try self.run(
            """
            INSERT INTO webhook_deliveries (webhook, message, time, first, last, count, attempt, status, failure,
                excerpt, milliseconds)
            VALUES (\(webhook), \(delivery.message), \(delivery.time), \(delivery.first.sequence),
                \(delivery.last.sequence), \(delivery.count), \(delivery.attempt), \(answer.status),
                \(answer.failure?.rawValue), \(answer.excerpt), \(delivery.storedMilliseconds))
            """
        )
        try self.run(
            """
            DELETE FROM webhook_deliveries WHERE webhook = \(webhook) AND number <= (
                SELECT number FROM webhook_deliveries WHERE webhook = \(webhook)
                ORDER BY number DESC LIMIT 1 OFFSET \(WebhookDeliveryAttempt.keptCount)
            )
            """
        )
    }
}

extension SQL {
    fileprivate static let webhooks: SQL = """
        SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app
        """

    /// Reads webhooks that are active, due, not leased and not at the end of their feed, the longest waiting first.
    fileprivate static func claimableWebhooks(limit: Int, now: Date) -> SQL {
        """
        \(SQL.webhooks) WHERE webhooks.state = 0 AND webhooks.next_attempt <= \(now)
            AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= \(now))
            AND EXISTS (SELECT 1 FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
        ORDER BY webhooks.next_attempt, webhooks.id LIMIT \(limit)
        """
    }

    fileprivate static func release(_ id: WebhookID, worker: WorkerID) -> SQL {
        "UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = \(id) AND worker = \(worker)"
    }
}
