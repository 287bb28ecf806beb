// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: TopicDeliveryStore {
    /// Has a message posted to one URL; see `TopicDeliveryStore`.
    public func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws {
        try await self.write { connection, changes in
            try connection.insert(message)
            try connection.queue(
                """
                INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at) VALUES ($1, $2, $3, 0, $4)
                """,
                [.id(message.id), .id(subscription.value), .text(url), .integer(now.millisecondsSince1970)]
            )
            changes = [.topicDeliveriesReady]
        }
    }

    /// Leases deliveries that are due; see `TopicDeliveryStore`.
    public func claimDeliveries(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery] {
        let time = PostgresValue.integer(now.millisecondsSince1970)
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a transaction that locks.
        let isIdle = try await self.read { connection in
            try connection.row("SELECT 1 FROM topic_deliveries WHERE due_at <= $1 LIMIT 1", [time]) == nil
        }
        if isIdle { return [] }
        return try await self.write { connection in
            let rows = try connection.rows(
                """
                SELECT topic_deliveries.*, topic, content, created_at
                FROM topic_deliveries JOIN topic_messages ON topic_messages.id = topic_deliveries.message
                WHERE due_at <= $1 ORDER BY due_at, number LIMIT $2 FOR UPDATE OF topic_deliveries SKIP LOCKED
                """,
                [time, .number(limit)]
            )
            let deliveries = try rows.map { row in
                try TopicDelivery(stored: row) { try connection.subscription($0) }
            }
            try connection.queue(
                "UPDATE topic_deliveries SET worker = $2, due_at = $3 WHERE number = ANY($1::bigint[])",
                [.integers(deliveries.map(\.id.rawValue)), .text(worker.rawValue), .integer(until)]
            )
            return deliveries
        }
    }

    /// Books what became of a delivery; see `TopicDeliveryStore`.
    public func settleDelivery(_ id: TopicDeliveryID, worker: WorkerID, as end: TopicDeliveryEnd) async throws {
        try await self.write { connection, changes in
            let row = try connection.row(
                "SELECT message FROM topic_deliveries WHERE number = $1 AND worker = $2 FOR UPDATE",
                [.integer(id.rawValue), .text(worker.rawValue)]
            )
            guard let row else { return }
            guard let message = APNsID(stored: try row.blob("message")) else { throw StoreError.damaged("delivery") }
            switch end {
            case .done:
                // Held, so that of two who settle its last deliveries the second one sees that there are no others.
                try connection.queue("SELECT 1 FROM topic_messages WHERE id = $1 FOR UPDATE", [.id(message)])
                try connection.queue("DELETE FROM topic_deliveries WHERE number = $1", [.integer(id.rawValue)])
                try connection.forgetIfDelivered(message)
            case .again(let time):
                try connection.queue(
                    "UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = $2 WHERE number = $1",
                    [.integer(id.rawValue), .integer(time.millisecondsSince1970)]
                )
                changes = [.topicDeliveriesReady]
            case .untried:
                try connection.queue(
                    "UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = $1",
                    [.integer(id.rawValue)]
                )
                changes = [.topicDeliveriesReady]
            }
        }
    }

    /// When the next delivery is due; see `TopicDeliveryStore`.
    public func nextDeliveryTime() async throws -> Date? {
        try await self.read { connection in
            try connection.row("SELECT due_at FROM topic_deliveries ORDER BY due_at LIMIT 1")?.optionalDate("due_at")
        }
    }
}
