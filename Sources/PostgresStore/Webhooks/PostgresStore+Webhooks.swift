// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: WebhookStore {
    /// Adds a webhook to its app; see `WebhookStore`.
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

    /// The webhook of that id; see `WebhookStore`.
    public func webhook(_ id: WebhookID) async throws -> Webhook? {
        try await self.read { try $0.webhooks("webhooks.id = $1", [.text(id.rawValue)]).first }
    }

    /// An app's webhooks; see `WebhookStore`.
    public func webhooks(of app: AppID) async throws -> [Webhook] {
        try await self.read {
            try $0.webhooks("apps.id = $1 ORDER BY webhooks.created_at, webhooks.id", [.text(app.rawValue)])
        }
    }

    /// Changes a webhook as its owner wants it; see `WebhookStore`.
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

    /// Removes a webhook; see `WebhookStore`.
    @discardableResult
    public func deleteWebhook(_ id: WebhookID) async throws -> Bool {
        try await self.write { connection in
            let reply = try connection.queue("DELETE FROM webhooks WHERE id = $1", [.text(id.rawValue)])
            try connection.commit()
            return reply.changes > 0
        }
    }

    /// The last requests to a webhook's receiver; see `WebhookStore`.
    public func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] {
        try await self.read { connection in
            try connection.rows(
                "SELECT * FROM webhook_deliveries WHERE webhook = $1 ORDER BY number DESC LIMIT $2",
                [.text(webhook.rawValue), .number(min(PageLimit.clamp(limit), WebhookDelivery.keptCount))]
            ).map(WebhookDelivery.init(stored:))
        }
    }
}
