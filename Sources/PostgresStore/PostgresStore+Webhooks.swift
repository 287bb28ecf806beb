// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: WebhookStore {
    public func createWebhook(_ webhook: Webhook) async throws {
        try await self.write { connection, changes in
            let app = try connection.lockedNumber(of: webhook.app)
            let added = try connection.queue(
                """
                INSERT INTO webhooks (id, app, url, secret, created_at, state, event, failures, next_attempt, lost)
                VALUES ($1, $2, $3, $4, $5, 0, 0, 0, 0, 0) ON CONFLICT DO NOTHING
                """,
                [
                    .text(webhook.id.rawValue), .integer(app), .text(webhook.url.text), .bytes(webhook.sealedSecret),
                    .integer(webhook.createdAt.millisecondsSince1970),
                ]
            )
            try connection.receive()
            guard added.changes == 1 else { throw StoreError.taken("a webhook '\(webhook.id)'") }
            try connection.update(webhook)
            changes = [.webhooksChanged]
        }
    }

    public func webhook(_ id: WebhookID) async throws -> Webhook? {
        try await self.read { try $0.webhooks("webhooks.id = $1", [.text(id.rawValue)]).first }
    }

    public func webhooks(of app: AppID) async throws -> [Webhook] {
        try await self.read {
            try $0.webhookRows("apps.id = $1 ORDER BY webhooks.created_at, webhooks.id", [.text(app.rawValue)])
                .mapReadable(in: "webhooks") { try Webhook(stored: $0) }
        }
    }

    public func changeWebhook(_ id: WebhookID, _ change: [WebhookChange], now: Date) async throws -> Webhook? {
        let now = now.keptToMilliseconds
        return try await self.write { connection, changes in
            let found = try connection.webhooks("webhooks.id = $1 FOR UPDATE OF webhooks", [.text(id.rawValue)])
            guard var webhook = found.first else { return nil }
            for change in change { webhook.apply(change, now: now) }
            try connection.update(webhook)
            changes = [.webhooksChanged]
            return webhook
        }
    }

    @discardableResult
    public func deleteWebhook(_ id: WebhookID) async throws -> Bool {
        try await self.write { connection in
            let reply = try connection.queue("DELETE FROM webhooks WHERE id = $1", [.text(id.rawValue)])
            try connection.commit()
            return reply.changes > 0
        }
    }

    public func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] {
        try await self.read { connection in
            try connection.rows(
                "SELECT * FROM webhook_deliveries WHERE webhook = $1 ORDER BY number DESC LIMIT $2",
                [.text(webhook.rawValue), .number(min(PageLimit.clamp(limit), WebhookDelivery.keptCount))]
            ).mapReadable(in: "webhook_deliveries") { try WebhookDelivery(stored: $0) }
        }
    }
}

extension PostgresStore {
    /// Takes the time and how many.
    private static let claimable = """
        webhooks.state = 0 AND webhooks.next_attempt <= $1
        AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= $1)
        AND EXISTS (SELECT FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
        ORDER BY webhooks.next_attempt, webhooks.id LIMIT $2
        """

    public func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] {
        let time = PostgresValue.integer(now.millisecondsSince1970)
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a transaction that locks.
        let isIdle = try await self.read { try $0.webhookRows(Self.claimable, [time, .number(1)]).isEmpty }
        if isIdle { return [] }
        let later = now.addingTimeInterval(SetAside.seconds).millisecondsSince1970
        return try await self.write { connection in
            let rows = try connection.webhookRows(
                "\(Self.claimable) FOR UPDATE OF webhooks SKIP LOCKED",
                [time, .number(limit)]
            )
            let webhooks: [Webhook] = try rows.compactMap { row in
                if let webhook = try row.readable(in: "webhooks", { try Webhook(stored: $0) }) { return webhook }
                let id = try row.string("id")
                try connection.queue(
                    "UPDATE webhooks SET worker = NULL, leased_until = $2 WHERE id = $1",
                    [.text(id), .integer(later)]
                )
                try LeaseSession(connection: connection)
                    .list(.webhook, id, as: .unreadable, now: now)
                return nil
            }
            try connection.queue(
                "UPDATE webhooks SET worker = $2, leased_until = $3 WHERE id = ANY($1::text[])",
                [.texts(webhooks.map(\.id.rawValue)), .text(worker.rawValue), .integer(until)]
            )
            return webhooks
        }
    }

    public func settleWebhook(_ settlement: WebhookSettlement, now: Date) async throws -> Webhook {
        let now = now.keptToMilliseconds
        return try await self.write { connection, changes in
            let found = try connection.webhooks(
                "webhooks.id = $1 AND webhooks.worker = $2 FOR UPDATE OF webhooks",
                [.text(settlement.webhook.rawValue), .text(settlement.worker.rawValue)]
            )
            guard var webhook = found.first else { throw StoreError.leaseLost(settlement) }
            var reason: WebhookState.Reason?
            switch settlement.result {
            case .advanced(let cursor): webhook.advance(to: cursor, now: now)
            case .failed(let failure): reason = webhook.fail(failure, now: now)
            }
            try connection.update(webhook)
            if let delivery = settlement.delivery { try connection.insert(delivery, of: webhook.id) }
            if let duration = settlement.leaseDuration {
                try connection.queue(
                    "UPDATE webhooks SET leased_until = $2 WHERE id = $1",
                    [.text(webhook.id.rawValue), .integer(now.lease(of: duration).millisecondsSince1970)]
                )
            } else {
                try connection.release(webhook.id, worker: settlement.worker)
                changes.append(.webhooksChanged)
            }
            if let reason, let app = try connection.number(of: webhook.app) {
                var news = FeedNews()
                news.add(.disabled(webhook, reason: reason, time: now), app: app)
                changes += try connection.append(news)
            }
            return webhook
        }
    }

    public func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws {
        try await self.write { connection, changes in
            let released = try connection.release(id, worker: worker)
            try connection.commit()
            if released.changes > 0 { changes = [.webhooksChanged] }
        }
    }
}

extension PostgresConnection {
    func webhooks(_ condition: String, _ values: [PostgresValue]) throws -> [Webhook] {
        try self.webhookRows(condition, values).map(Webhook.init(stored:))
    }

    func webhookRows(_ condition: String, _ values: [PostgresValue]) throws -> [PostgresRow] {
        try self.rows(
            """
            SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app
            WHERE \(condition)
            """,
            values
        )
    }

    /// Queues that what changes about a webhook is written back, but for its lease.
    func update(_ webhook: Webhook) throws {
        let state = webhook.state.stored
        try self.queue(
            """
            UPDATE webhooks SET url = $2, kinds = $3, state = $4, disabled_reason = $5, disabled_at = $6, event = $7,
                retry_to = $8, failures = $9, failing_since = $10, next_attempt = $11, lost = $12 WHERE id = $1
            """,
            [
                .text(webhook.id.rawValue), .text(webhook.url.text), .text(webhook.storedKinds), .number(state.number),
                .text(state.reason), .integer(state.since), .integer(webhook.cursor.sequence),
                .integer(webhook.retryTo?.sequence), .number(webhook.failures),
                .integer(webhook.failingSince?.millisecondsSince1970),
                .integer(webhook.nextAttempt.millisecondsSince1970), .number(webhook.lost),
            ]
        )
    }

    /// Queues that a request is kept, among the last ones of its webhook.
    func insert(_ delivery: WebhookDelivery, of webhook: WebhookID) throws {
        let answer = delivery.answer
        try self.queue(
            """
            INSERT INTO webhook_deliveries (webhook, message, time, first, last, count, attempt, status, failure, excerpt,
                milliseconds) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            """,
            [
                .text(webhook.rawValue), .text(delivery.message), .integer(delivery.time.millisecondsSince1970),
                .integer(delivery.first.sequence), .integer(delivery.last.sequence), .number(delivery.count),
                .number(delivery.attempt), .number(answer.status), .text(answer.failure?.rawValue),
                .text(answer.excerpt), .integer(delivery.storedMilliseconds),
            ]
        )
        try self.queue(
            """
            DELETE FROM webhook_deliveries WHERE webhook = $1 AND number <= (
                SELECT number FROM webhook_deliveries WHERE webhook = $1 ORDER BY number DESC LIMIT 1 OFFSET $2
            )
            """,
            [.text(webhook.rawValue), .number(WebhookDelivery.keptCount)]
        )
    }

    /// Queues that the lease of a webhook is given back, if the worker holds it.
    @discardableResult
    func release(_ webhook: WebhookID, worker: WorkerID) throws -> PostgresReply {
        try self.queue(
            "UPDATE webhooks SET worker = NULL, leased_until = NULL WHERE id = $1 AND worker = $2",
            [.text(webhook.rawValue), .text(worker.rawValue)]
        )
    }
}
