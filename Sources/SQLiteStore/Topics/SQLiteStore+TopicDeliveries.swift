// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: TopicDeliveryStore {
    public func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws {
        try await self.write { database, changes in
            let waiting = try database.row(
                "SELECT 1 FROM topic_deliveries WHERE subscription = ? LIMIT 1",
                [subscription.value.stored]
            )
            guard waiting == nil else { return }
            try database.insert(message)
            try database.run(
                "INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at) VALUES (?, ?, ?, 0, ?)",
                [message.id.stored, subscription.value.stored, url, now.millisecondsSince1970]
            )
            changes = [.topicDeliveriesReady]
        }
    }

    public func claimDeliveries(
        limit: Int,
        each: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery] {
        let time = now.millisecondsSince1970
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let (limit, each) = (PageLimit.clamp(limit), PageLimit.clamp(each))
        // Mostly there is none: found out without a change, which would wait for the disk.
        let isIdle = try await self.read { try $0.dueQueues(now: time, limit: 1).isEmpty }
        if isIdle { return [] }
        let later = now.addingTimeInterval(SetAside.seconds).millisecondsSince1970
        return try await self.write { database in
            var deliveries: [TopicDelivery] = []
            for queue in try database.dueQueues(now: time, limit: limit) {
                let rows = try database.rows(
                    """
                    SELECT topic_deliveries.*, topic, content, created_at
                    FROM topic_deliveries CROSS JOIN topic_messages ON topic_messages.id = topic_deliveries.message
                    WHERE subscription = ? AND due_at <= ? ORDER BY due_at, number LIMIT ?
                    """,
                    [queue, time, each]
                )
                var subscription: Subscription??
                deliveries += try rows.compactMap { row -> TopicDelivery? in
                    let delivery = try row.readable(in: "topic_deliveries") { row in
                        try TopicDelivery(stored: row) { id in
                            if let subscription { return subscription }
                            let found = try database.subscription(id)
                            subscription = .some(found)
                            return found
                        }
                    }
                    let isReadable = delivery != nil
                    if !isReadable {
                        let key = String(try row.int64("number"))
                        try LeaseSQL(database: database)
                            .list(.topicDelivery, key, as: .unreadable, now: now)
                    }
                    try database.run(
                        "UPDATE topic_deliveries SET worker = ?, due_at = ? WHERE number = ?",
                        [isReadable ? worker.rawValue : nil, isReadable ? until : later, try row.int64("number")]
                    )
                    return delivery
                }
            }
            return deliveries
        }
    }

    public func settleDelivery(_ id: TopicDeliveryID, worker: WorkerID, as end: TopicDeliveryEnd) async throws {
        try await self.write { database, changes in
            let row = try database.row(
                "SELECT message FROM topic_deliveries WHERE number = ? AND worker = ?",
                [id.rawValue, worker.rawValue]
            )
            guard let message = try row?.blob("message") else { return }
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
}

extension Database {
    /// The subscriptions of which something is due and nothing leased, those first that have waited longest.
    fileprivate func dueQueues(now: Int64, limit: Int) throws -> [[UInt8]] {
        // Goes from one subscription to the next by the index, however much waits for each.
        try self.rows(
            """
            WITH RECURSIVE queues (subscription) AS (
                SELECT min(subscription) FROM topic_deliveries
                UNION ALL
                SELECT (SELECT min(subscription) FROM topic_deliveries WHERE subscription > queues.subscription)
                FROM queues WHERE queues.subscription IS NOT NULL
            ), due (subscription, due_at) AS (
                SELECT subscription,
                    (SELECT min(due_at) FROM topic_deliveries WHERE subscription = queues.subscription)
                FROM queues WHERE subscription IS NOT NULL
            )
            SELECT subscription FROM due
            WHERE due_at <= ?1 AND NOT EXISTS (
                SELECT 1 FROM topic_deliveries
                WHERE subscription = due.subscription AND worker IS NOT NULL AND due_at > ?1
            )
            ORDER BY due_at LIMIT ?2
            """,
            [now, limit]
        ).map { try $0.blob("subscription") }
    }
}

extension SQLiteStore: DeliveryIdentityStore {
    public func deliveryIdentity() async throws -> StoredDeliveryIdentity? {
        try await self.read { try $0.deliveryIdentity() }
    }

    public func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity {
        try await self.write { database in
            let known = try database.deliveryIdentity()
            if let known, known != former { return known }
            try database.run(
                "INSERT OR REPLACE INTO delivery_identity (number, certificate, sealed_key) VALUES (1, ?, ?)",
                [identity.certificate, identity.sealedKey]
            )
            return identity
        }
    }
}

extension Database {
    fileprivate func deliveryIdentity() throws -> StoredDeliveryIdentity? {
        try self.row("SELECT certificate, sealed_key FROM delivery_identity").map { row in
            StoredDeliveryIdentity(certificate: try row.string("certificate"), sealedKey: try row.blob("sealed_key"))
        }
    }
}
