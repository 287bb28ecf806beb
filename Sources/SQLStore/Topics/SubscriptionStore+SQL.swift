// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension SubscriptionStore where Self: SQLBacked {
    public func subscribe(
        _ subscription: Subscription,
        policyLimit: Int,
        urlLimit: Int
    ) async throws -> SubscribeResult {
        var subscription = subscription
        subscription.createdAt = subscription.createdAt.keptToMilliseconds
        let attributes = try subscription.storedAttributes
        do {
            return try await self.sql.write(retriesConflicts: true) { [subscription] transaction in
                // All transactions lock the app before the topic. If both are missing, the result names the topic.
                let place = try transaction.place(of: subscription.subscriber, isLocked: true)
                guard let topic = try transaction.topic(subscription.topic, for: subscription.filter) else {
                    return .noTopic
                }
                guard let place else { return .noSubscriber }
                if let share = try transaction.share(of: topic.id, app: place.app) {
                    if let known = try transaction.subscription(of: place, share: share) { return .existing(known) }
                    if place.url != nil {
                        try transaction.lock("SELECT 1 FROM topic_shares WHERE number = \(share) FOR NO KEY UPDATE")
                        let last = try transaction.first(
                            "SELECT 1 FROM subscriptions WHERE share = \(share) LIMIT 1 OFFSET \(urlLimit - 1)"
                        )
                        if last != nil { return .tooManyURLs }
                    }
                }
                // First, since it may throw.
                let policy = try transaction.policy(subscription.filter, of: topic.id, limit: policyLimit)
                let share = try transaction.requiredShare(of: topic.id, app: place.app)
                // The rows of a deleted topic are pruned step by step, and those of a deleted endpoint stay. A copy of
                // a subscription has the same ID.
                try transaction.run(
                    """
                    DELETE FROM subscriptions WHERE id = \(subscription.id.value)
                        AND (endpoint IS NOT NULL OR NOT EXISTS (
                            SELECT 1 FROM topic_shares WHERE topic_shares.number = subscriptions.share
                        ))
                    """
                )
                // From the share, because PostgreSQL repeats its app in each subscription.
                try transaction.run(
                    """
                    INSERT INTO subscriptions (id, share, \(postgres: "app, ")device, user_id, url, policy, state,
                        attributes, confirmation, sealed_user, created_at)
                    SELECT \(subscription.id.value), number, \(postgres: "app, ")\(place.device), \(place.user),
                        \(place.url), \(policy), \(subscription.state.stored), \(attributes),
                        \(subscription.confirmation), \(subscription.sealedUser), \(subscription.createdAt)
                    FROM topic_shares WHERE number = \(share)
                    """
                )
                if subscription.isAudited { try transaction.audit(created: subscription) }
                return .created(subscription)
            }
        } catch is TooManyPoliciesError {
            return .tooManyPolicies
        }
    }

    public func confirmSubscription(
        to topic: TopicName,
        token: [UInt8],
        isAuthenticated: Bool
    ) async throws -> Subscription? {
        // Any client may ask. A token that changes nothing takes no transaction that locks or waits for the disk.
        let seen = try await self.sql.read { try $0.subscription(to: topic, token: token, isLocked: false) }
        guard let seen, !seen.isConfirmed else { return seen }
        return try await self.sql.write { transaction in
            guard var found = try transaction.subscription(to: topic, token: token, isLocked: true) else { return nil }
            guard !found.isConfirmed else { return found }
            found.state = .confirmed(isAuthenticated: isAuthenticated)
            try transaction.run("UPDATE subscriptions SET state = \(found.state.stored) WHERE id = \(found.id.value)")
            return found
        }
    }

    public func subscription(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.sql.read { try $0.subscription(id) }
    }

    public func subscription(of subscriber: Subscriber, to topic: TopicName) async throws -> Subscription? {
        try await self.sql.read { reader in
            guard let topic = try reader.topic(topic),
                let place = try reader.place(of: subscriber, isLocked: false),
                let share = try reader.share(of: topic.id, app: place.app)
            else { return nil }
            return try reader.subscription(of: place, share: share)
        }
    }

    public func subscriptions(
        to topic: TopicName?,
        of app: AppID?,
        after cursor: SubscriptionID?,
        limit: Int
    ) async throws -> Page<Subscription, SubscriptionID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor?.value ?? APNsID(high: 0, low: 0)
        return try await self.sql.read { reader in
            var number: Int64?
            if let app {
                number = try reader.number(of: app)
                guard number != nil else { return Page(elements: [], next: nil) }
            }
            var conditions: [SQL] = ["(\(number) IS NULL OR \(SQL.subscriptionApp) = \(number))"]
            if let topic {
                guard let found = try reader.topic(topic) else { return Page(elements: [], next: nil) }
                conditions = try reader.shares(of: found.id, app: number).map { "share = \($0.number)" }
            }
            let results = try conditions.map { condition in
                try reader.run(
                    """
                    \(SQL.subscriptions) \(condition) AND subscriptions.id > \(start)
                    ORDER BY subscriptions.id LIMIT \(limit + 1)
                    """
                )
            }
            // Merges the lists of the shares of a topic.
            let rows = try results.flatMap { try $0.rows }.map { (id: try $0.blob("id"), row: $0) }
                .sorted { $0.id.lexicographicallyPrecedes($1.id) }.prefix(limit + 1).map(\.row)
            return try Page(
                overfull: rows,
                in: "subscriptions",
                limit: limit,
                cursor: { SubscriptionID(try $0.apnsID("id", of: "subscription")) }
            ) { try Subscription(stored: $0) }
        }
    }

    public func changeSubscription(
        _ id: SubscriptionID,
        policyLimit: Int,
        _ change: @escaping @Sendable (inout Subscription) throws -> Void
    ) async throws -> Subscription? {
        try await self.sql.write(retriesConflicts: true) { transaction in
            guard let seen = try transaction.subscription(id) else { return nil }
            var wanted = seen
            try change(&wanted)
            // The topic before the subscription, like a transaction that deletes unused policies.
            guard let topic = try transaction.topic(seen.topic, for: wanted.filter),
                let former = try transaction.subscriptions(
                    where: "subscriptions.id = \(id.value)\(lock: " FOR UPDATE OF subscriptions")"
                ).first
            else { return nil }
            var changed = former
            try change(&changed)
            var subscription = former
            subscription.filter = changed.filter
            subscription.attributes = changed.attributes
            guard subscription != former else { return former }
            let policy = try transaction.policy(subscription.filter, of: topic.id, limit: policyLimit)
            let attributes = try subscription.storedAttributes
            try transaction.run(
                "UPDATE subscriptions SET policy = \(policy), attributes = \(attributes) WHERE id = \(id.value)"
            )
            if subscription.isAudited { try transaction.audit(former, to: subscription) }
            return subscription
        }
    }

    public func unsubscribe(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.sql.write { transaction in
            guard let former = try transaction.subscription(id) else { return nil }
            let removed = try transaction.run("DELETE FROM subscriptions WHERE id = \(id.value)")
            guard try removed.changes > 0 else { return nil }
            try transaction.run("UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = \(former.topic)")
            if former.isAudited { try transaction.audit(deleted: former) }
            return former
        }
    }
}

private struct SubscriberColumns {
    /// `nil` for a URL.
    var app: Int64?
    var device: Int64?
    var user: String?
    var url: String?
}

extension SQLExecutor {
    /// The columns of a subscriber; `nil` for a device or an app that does not exist.
    fileprivate func place(of subscriber: Subscriber, isLocked: Bool) throws -> SubscriberColumns? {
        guard let id = subscriber.app else {
            guard case .url(let url) = subscriber else { return nil }
            return SubscriberColumns(url: url)
        }
        let app = try isLocked ? self.lockedNumberIfFound(of: id) : self.number(of: id)
        guard let app else { return nil }
        switch subscriber {
        case .url: return nil
        case .user(_, let user): return SubscriberColumns(app: app, user: user.rawValue)
        case .device(_, let installation):
            let clause: SQL = isLocked ? "\(lock: " FOR KEY SHARE")" : ""
            let row = try self.first(
                "SELECT number FROM devices WHERE app = \(app) AND installation = \(installation)\(clause)"
            )
            return try row.map { SubscriberColumns(app: app, device: try $0.int64("number")) }
        }
    }

    fileprivate func subscription(of place: SubscriberColumns, share: Int64) throws -> Subscription? {
        let condition: SQL =
            if let device = place.device {
                "\(SQL.subscriptionApp) = \(place.app) AND device = \(device) AND share = \(share)"
            } else if let user = place.user {
                "share = \(share) AND subscriptions.user_id = \(user)"
            } else {
                "share = \(share) AND url = \(place.url)"
            }
        return try self.subscriptions(where: condition).first
    }

    /// The subscription of a URL to which a token belongs, confirmed or not.
    fileprivate func subscription(to name: TopicName, token: [UInt8], isLocked: Bool) throws -> Subscription? {
        guard let topic = try self.topic(name, lock: isLocked ? " FOR KEY SHARE" : ""),
            let share = try self.share(of: topic.id, app: nil)
        else { return nil }
        let clause: SQL = isLocked ? "\(lock: " FOR UPDATE OF subscriptions")" : ""
        return try self.subscriptions(where: "share = \(share) AND confirmation = \(token)\(clause)").first
    }

    fileprivate func subscription(_ id: SubscriptionID) throws -> Subscription? {
        try self.subscriptions(where: "subscriptions.id = \(id.value)").first
    }

    fileprivate func subscriptions(where condition: SQL) throws -> [Subscription] {
        try self.rows("\(SQL.subscriptions) \(condition)").map(Subscription.init(stored:))
    }
}

extension SQL {
    /// Reads subscriptions of existing topics; a condition follows.
    static let subscriptions: SQL = """
        SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
            topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
        FROM subscriptions \(SQL.orderedJoin) topic_shares ON topic_shares.number = subscriptions.share
        \(SQL.orderedJoin) topics ON topics.number = topic_shares.topic
        LEFT JOIN apps ON apps.number = topic_shares.app
        LEFT JOIN devices ON devices.app = \(SQL.subscriptionApp) AND devices.number = subscriptions.device
        LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
        WHERE
        """

    /// The app of a subscription: PostgreSQL finds the subscriptions of a device by an index that has it.
    fileprivate static let subscriptionApp: SQL = "\(sqlite: "topic_shares.app", postgres: "subscriptions.app")"
}
