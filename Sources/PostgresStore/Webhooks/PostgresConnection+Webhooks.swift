// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension PostgresConnection {
    /// The webhooks of which a condition holds.
    func webhooks(_ condition: String, _ values: [PostgresValue]) throws -> [Webhook] {
        try self.rows(
            """
            SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app
            WHERE \(condition)
            """,
            values
        ).map(Webhook.init(stored:))
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
