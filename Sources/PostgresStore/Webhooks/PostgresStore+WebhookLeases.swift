// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import PushStore

extension PostgresStore {
    /// Takes the time and how many.
    private static let claimable = """
        webhooks.state = 0 AND webhooks.next_attempt <= $1
        AND (webhooks.leased_until IS NULL OR webhooks.leased_until <= $1)
        AND EXISTS (SELECT FROM events WHERE events.app = webhooks.app AND events.number > webhooks.event)
        ORDER BY webhooks.next_attempt, webhooks.id LIMIT $2
        """

    /// Leases webhooks that have events to get; see `WebhookStore`.
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
        guard try await !self.read({ try $0.webhooks(Self.claimable, [time, .number(1)]).isEmpty }) else { return [] }
        return try await self.write { connection in
            let webhooks = try connection.webhooks(
                "\(Self.claimable) FOR UPDATE OF webhooks SKIP LOCKED",
                [time, .number(limit)]
            )
            try connection.queue(
                "UPDATE webhooks SET worker = $2, leased_until = $3 WHERE id = ANY($1::text[])",
                [.texts(webhooks.map(\.id.rawValue)), .text(worker.rawValue), .integer(until)]
            )
            return webhooks
        }
    }

    /// Books what became of a request; see `WebhookStore`.
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

    /// Gives the lease of a webhook back; see `WebhookStore`.
    public func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws {
        try await self.write { connection, changes in
            let released = try connection.release(id, worker: worker)
            try connection.commit()
            if released.changes > 0 { changes = [.webhooksChanged] }
        }
    }
}
