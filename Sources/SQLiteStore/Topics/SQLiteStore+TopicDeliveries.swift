// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import GRDB
public import PushModel
public import PushStore

extension SQLiteStore: TopicDeliveryStore {
    /// Has a message posted to one URL; see `TopicDeliveryStore`.
    public func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws {
        try await self.write { database, changes in
            try database.insert(message)
            try database.run(
                "INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at) VALUES (?, ?, ?, 0, ?)",
                [message.id.blob, subscription.value.blob, url, now.millisecondsSince1970]
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
        let time = now.millisecondsSince1970
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a change, which would wait for the disk.
        let isIdle = try await self.read { database in
            try database.row("SELECT 1 FROM topic_deliveries WHERE due_at <= ? LIMIT 1", [time]) == nil
        }
        if isIdle { return [] }
        return try await self.write { database in
            let rows = try database.rows(
                """
                SELECT topic_deliveries.*, topic, content, created_at
                FROM topic_deliveries CROSS JOIN topic_messages ON topic_messages.id = topic_deliveries.message
                WHERE due_at <= ? ORDER BY due_at, number LIMIT ?
                """,
                [time, limit]
            )
            return try rows.map { row in
                let delivery = try TopicDelivery(stored: row) { try database.subscription($0) }
                try database.run(
                    "UPDATE topic_deliveries SET worker = ?, due_at = ? WHERE number = ?",
                    [worker.rawValue, until, delivery.id.rawValue]
                )
                return delivery
            }
        }
    }

    /// Books what became of a delivery; see `TopicDeliveryStore`.
    public func settleDelivery(_ id: TopicDeliveryID, worker: WorkerID, as end: TopicDeliveryEnd) async throws {
        try await self.write { database, changes in
            let row = try database.row(
                "SELECT message FROM topic_deliveries WHERE number = ? AND worker = ?",
                [id.rawValue, worker.rawValue]
            )
            guard let message = row?["message"] as Data? else { return }
            switch end {
            case .done:
                try database.run("DELETE FROM topic_deliveries WHERE number = ?", [id.rawValue])
                try database.forgetIfDelivered(message)
            case .again(let time):
                try database.run(
                    "UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = ? WHERE number = ?",
                    [time.millisecondsSince1970, id.rawValue]
                )
                changes = [.topicDeliveriesReady]
            case .untried:
                try database.run(
                    "UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = ?",
                    [id.rawValue]
                )
                changes = [.topicDeliveriesReady]
            }
        }
    }

    /// When the next delivery is due; see `TopicDeliveryStore`.
    public func nextDeliveryTime() async throws -> Date? {
        try await self.read { database in
            try database.row("SELECT due_at FROM topic_deliveries ORDER BY due_at LIMIT 1")?.optionalDate("due_at")
        }
    }
}
