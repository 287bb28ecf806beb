// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension TopicDeliveryStore where Self: SQLBacked {
    public func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws {
        try await self.sql.write { transaction in
            // Locked, so that a concurrent call for the subscription finds the delivery of this one.
            try transaction.lock("SELECT 1 FROM subscriptions WHERE id = \(subscription.value) FOR NO KEY UPDATE")
            let waiting = try transaction.first(
                "SELECT 1 FROM topic_deliveries WHERE subscription = \(subscription.value) LIMIT 1"
            )
            guard waiting == nil else { return }
            try transaction.insert(message)
            try transaction.run(
                """
                INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
                VALUES (\(message.id), \(subscription.value), \(url), 0, \(now))
                """
            )
            transaction.signal(.topicDeliveriesReady)
        }
    }

    public func claimDeliveries(
        limit: Int,
        each: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [TopicDelivery] {
        let until = now.lease(of: leaseDuration)
        let later = now.addingTimeInterval(QuarantinedActivity.seconds)
        let (limit, each) = (PageLimit.clamp(limit), PageLimit.clamp(each))
        // Most often nothing is due. This read takes no transaction that locks or waits for the disk.
        let isIdle = try await self.sql.read { try $0.dueQueues(now: now, limit: 1).isEmpty }
        if isIdle { return [] }
        return try await self.sql.write { transaction in
            // Claims run one after the other, so that each sees the leases of the others.
            try transaction.lock("SELECT pg_advisory_xact_lock('topic_deliveries'::regclass::oid::bigint)")
            let queues = try transaction.dueQueues(now: now, limit: limit).map { id in
                let deliveries = try transaction.run(
                    """
                    SELECT topic_deliveries.*, topic, content, created_at FROM topic_deliveries
                    \(SQL.orderedJoin) topic_messages ON topic_messages.id = topic_deliveries.message
                    WHERE subscription = \(id) AND due_at <= \(now) ORDER BY due_at, number LIMIT \(each)
                    """
                )
                return (deliveries, try transaction.run("\(SQL.subscriptions) subscriptions.id = \(id)"))
            }
            var deliveries: [TopicDelivery] = []
            for (found, subscriptions) in queues {
                let stored = try subscriptions.rows.first
                // Of a corrupt subscription, each delivery is unreadable.
                let subscription = Result { try stored.map(Subscription.init(stored:)) }
                for row in try found.rows {
                    let delivery = try row.readable(in: "topic_deliveries") { row in
                        try TopicDelivery(stored: row, subscription: subscription.get())
                    }
                    let number = try row.int64("number")
                    let (holder, time): (WorkerID?, Date) = delivery == nil ? (nil, later) : (worker, until)
                    try transaction.run(
                        "UPDATE topic_deliveries SET worker = \(holder), due_at = \(time) WHERE number = \(number)"
                    )
                    if let delivery {
                        deliveries.append(delivery)
                    } else {
                        try transaction.list(.topicDelivery, String(number), app: nil, as: .unreadable, now: now)
                    }
                }
            }
            return deliveries
        }
    }

    public func settleDelivery(_ id: Int64, worker: WorkerID, as end: TopicDeliveryResult) async throws {
        try await self.sql.write { transaction in
            let row = try transaction.first(
                "SELECT message FROM topic_deliveries WHERE number = \(id) AND worker = \(worker)\(lock: " FOR UPDATE")"
            )
            guard let row else { return }
            let message = try row.apnsID("message", of: "delivery")
            switch end {
            case .done:
                // Locked, so that one of two transactions that settle the last deliveries finds that none is left.
                try transaction.lock("SELECT 1 FROM topic_messages WHERE id = \(message) FOR UPDATE")
                try transaction.run("DELETE FROM topic_deliveries WHERE number = \(id)")
                try transaction.removeIfDelivered(message)
            case .again(let time):
                try transaction.run(
                    """
                    UPDATE topic_deliveries SET worker = NULL, attempts = attempts + 1, due_at = \(time)
                    WHERE number = \(id)
                    """
                )
            case .untried:
                try transaction.run("UPDATE topic_deliveries SET worker = NULL, due_at = 0 WHERE number = \(id)")
            }
            if end != .done { transaction.signal(.topicDeliveriesReady) }
        }
    }
}

extension SQLExecutor {
    /// The subscriptions with a delivery that is due and none that is leased, in the order of their oldest due times.
    fileprivate func dueQueues(now: Date, limit: Int) throws -> [SQLValue] {
        // Steps from one subscription to the next in the index, regardless of the number of deliveries of each.
        try self.rows(
            """
            WITH RECURSIVE queues (subscription) AS (
                SELECT (SELECT subscription FROM topic_deliveries ORDER BY subscription LIMIT 1)
                UNION ALL
                SELECT (
                    SELECT subscription FROM topic_deliveries WHERE subscription > queues.subscription
                    ORDER BY subscription LIMIT 1
                )
                FROM queues WHERE queues.subscription IS NOT NULL
            ), due (subscription, due_at) AS (
                SELECT subscription, (
                    SELECT due_at FROM topic_deliveries WHERE subscription = queues.subscription
                    ORDER BY due_at LIMIT 1
                )
                FROM queues WHERE subscription IS NOT NULL
            )
            SELECT subscription FROM due
            WHERE due_at <= \(now) AND NOT EXISTS (
                SELECT 1 FROM topic_deliveries
                WHERE subscription = due.subscription AND worker IS NOT NULL AND due_at > \(now)
            )
            ORDER BY due_at LIMIT \(limit)
            """
        ).map { SQLValue(key: try $0.blob("subscription")) }
    }

    fileprivate func deliveryIdentity() throws -> StoredSigningIdentity? {
        try self.first("SELECT certificate, sealed_key FROM delivery_identity").map { row in
            StoredSigningIdentity(certificate: try row.string("certificate"), sealedKey: try row.blob("sealed_key"))
        }
    }
}

extension SigningIdentityStore where Self: SQLBacked {
    public func deliveryIdentity() async throws -> StoredSigningIdentity? {
        try await self.sql.read { try $0.deliveryIdentity() }
    }

    public func replaceDeliveryIdentity(
        _ former: StoredSigningIdentity?,
        with identity: StoredSigningIdentity
    ) async throws -> StoredSigningIdentity {
        try await self.sql.write { transaction in
            // Concurrent replacements wait here, reads do not.
            try transaction.lock("LOCK TABLE delivery_identity IN SHARE ROW EXCLUSIVE MODE")
            let known = try transaction.deliveryIdentity()
            if let known, known != former { return known }
            try transaction.run(
                """
                INSERT INTO delivery_identity (number, certificate, sealed_key)
                VALUES (1, \(identity.certificate), \(identity.sealedKey))
                ON CONFLICT (number) DO UPDATE SET certificate = excluded.certificate, sealed_key = excluded.sealed_key
                """
            )
            return identity
        }
    }
}
