// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: WebhookStore {
    /// Adds a webhook to its app; see `WebhookStore`.
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

    /// The webhook of that id; see `WebhookStore`.
    public func webhook(_ id: WebhookID) async throws -> Webhook? {
        try await self.read { try $0.webhooks("webhooks.id = ?", [id.rawValue]).first }
    }

    /// An app's webhooks; see `WebhookStore`.
    public func webhooks(of app: AppID) async throws -> [Webhook] {
        try await self.read {
            try $0.webhooks("apps.id = ? ORDER BY webhooks.created_at, webhooks.id", [app.rawValue])
        }
    }

    /// Changes a webhook as its owner wants it; see `WebhookStore`.
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

    /// Removes a webhook; see `WebhookStore`.
    @discardableResult
    public func deleteWebhook(_ id: WebhookID) async throws -> Bool {
        try await self.write { try $0.run("DELETE FROM webhooks WHERE id = ?", [id.rawValue]) > 0 }
    }

    /// The last requests to a webhook's receiver; see `WebhookStore`.
    public func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] {
        try await self.read { database in
            try database.rows(
                "SELECT * FROM webhook_deliveries WHERE webhook = ? ORDER BY number DESC LIMIT ?",
                [webhook.rawValue, min(PageLimit.clamp(limit), WebhookDelivery.keptCount)]
            ).map(WebhookDelivery.init(stored:))
        }
    }
}
