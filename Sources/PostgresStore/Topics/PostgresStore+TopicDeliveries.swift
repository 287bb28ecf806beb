// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: TopicDeliveryStore {
    public func enqueue(
        _ message: TopicMessage,
        about subscription: SubscriptionID,
        to url: String,
        now: Date
    ) async throws {
        try await self.write { connection, changes in
            // Held, so that of two who ask at the same time the second one sees what the first one did.
            _ = try connection.row(
                "SELECT 1 FROM subscriptions WHERE id = $1 FOR NO KEY UPDATE",
                [.id(subscription.value)]
            )
            let waiting = try connection.row(
                "SELECT 1 FROM topic_deliveries WHERE subscription = $1 LIMIT 1",
                [.id(subscription.value)]
            )
            guard waiting == nil else { return }
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
        // Mostly there is none: found out without a transaction that locks.
        let isIdle = try await self.read { try $0.dueQueues(now: time, limit: 1).isEmpty }
        if isIdle { return [] }
        let later = now.addingTimeInterval(SetAside.seconds).millisecondsSince1970
        return try await self.write { connection in
            // One after the other, so that each sees what the others have leased.
            try connection.queue("SELECT pg_advisory_xact_lock('topic_deliveries'::regclass::oid::bigint)")
            let queues = try connection.dueQueues(now: time, limit: limit)
            let rows = try connection.rows(
                """
                SELECT taken.*, topic, content, created_at
                FROM unnest($1::uuid[]) WITH ORDINALITY AS queues (id, place)
                CROSS JOIN LATERAL (
                    SELECT * FROM topic_deliveries WHERE subscription = queues.id AND due_at <= $2
                    ORDER BY due_at, number LIMIT $3
                ) AS taken
                JOIN topic_messages ON topic_messages.id = taken.message
                ORDER BY queues.place, taken.due_at, taken.number
                """,
                [.ids(queues), .integer(time), .number(each)]
            )
            var subscriptions: [SubscriptionID: Subscription?] = [:]
            let deliveries = try rows.compactMap { row -> TopicDelivery? in
                let delivery = try row.readable(in: "topic_deliveries") { row in
                    try TopicDelivery(stored: row) { id in
                        if let known = subscriptions[id] { return known }
                        let found = try connection.subscription(id)
                        subscriptions[id] = .some(found)
                        return found
                    }
                }
                if delivery == nil {
                    let number = try row.int64("number")
                    try connection.queue(
                        "UPDATE topic_deliveries SET worker = NULL, due_at = $2 WHERE number = $1",
                        [.integer(number), .integer(later)]
                    )
                    let key = String(number)
                    try LeaseSession(connection: connection)
                        .list(.topicDelivery, key, as: .unreadable, now: now)
                }
                return delivery
            }
            try connection.queue(
                "UPDATE topic_deliveries SET worker = $2, due_at = $3 WHERE number = ANY($1::bigint[])",
                [.integers(deliveries.map(\.id.rawValue)), .text(worker.rawValue), .integer(until)]
            )
            return deliveries
        }
    }

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
}

extension PostgresConnection {
    /// The subscriptions of which something is due and nothing leased, those first that have waited longest.
    fileprivate func dueQueues(now: Int64, limit: Int) throws -> [APNsID] {
        // Goes from one subscription to the next by the index, however much waits for each.
        try self.rows(
            """
            WITH RECURSIVE queues (subscription) AS (
                (SELECT subscription FROM topic_deliveries ORDER BY subscription LIMIT 1)
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
            WHERE due_at <= $1 AND NOT EXISTS (
                SELECT FROM topic_deliveries
                WHERE subscription = due.subscription AND worker IS NOT NULL AND due_at > $1
            )
            ORDER BY due_at LIMIT $2
            """,
            [.integer(now), .number(limit)]
        ).map { row in
            guard let id = APNsID(stored: try row.blob("subscription")) else { throw StoreError.damaged("delivery") }
            return id
        }
    }
}

extension PostgresStore: DeliveryIdentityStore {
    public func deliveryIdentity() async throws -> StoredDeliveryIdentity? {
        try await self.read { try $0.deliveryIdentity() }
    }

    public func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity {
        try await self.write { connection in
            // Others that do the same wait here; whoever only reads does not.
            try connection.queue("LOCK TABLE delivery_identity IN SHARE ROW EXCLUSIVE MODE")
            let known = try connection.deliveryIdentity()
            if let known, known != former { return known }
            try connection.queue("DELETE FROM delivery_identity")
            try connection.queue(
                "INSERT INTO delivery_identity (number, certificate, sealed_key) VALUES (1, $1, $2)",
                [.text(identity.certificate), .bytes(identity.sealedKey)]
            )
            return identity
        }
    }
}

extension PostgresConnection {
    fileprivate func deliveryIdentity() throws -> StoredDeliveryIdentity? {
        try self.row("SELECT certificate, sealed_key FROM delivery_identity").map { row in
            StoredDeliveryIdentity(certificate: try row.string("certificate"), sealedKey: try row.blob("sealed_key"))
        }
    }
}
