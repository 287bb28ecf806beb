// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import PushStore
import SQLite

extension SQLiteStore {
    private static let claimable = """
        webhooks.state = 0 AND webhooks.next_attempt <= ?
        AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= ?)
        AND EXISTS (SELECT 1 FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
        ORDER BY webhooks.next_attempt, webhooks.id LIMIT ?
        """

    /// Leases webhooks that have events to get; see `WebhookStore`.
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
        guard try await !self.lookUp({ try $0.webhooks(Self.claimable, [time, time, 1]).isEmpty }) else { return [] }
        return try await self.write { database in
            let webhooks = try database.webhooks(Self.claimable, [time, time, limit])
            for webhook in webhooks {
                try database.run(
                    "UPDATE webhooks SET worker = ?, leased_until = ? WHERE id = ?",
                    [worker.rawValue, until, webhook.id.rawValue]
                )
            }
            return webhooks
        }
    }

    /// Books what became of a request; see `WebhookStore`.
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

    /// Gives the lease of a webhook back; see `WebhookStore`.
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
