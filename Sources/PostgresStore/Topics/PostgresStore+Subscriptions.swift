// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension PostgresStore: SubscriptionStore {
    public func subscribe(
        _ subscription: Subscription,
        policyLimit: Int,
        urlLimit: Int
    ) async throws -> SubscribeOutcome {
        let subscription = subscription.kept
        let attributes = try subscription.storedAttributes
        do {
            return try await self.write(retriesDuplicates: true) { connection in
                // The app before the topic, as by all others; which of both is missing is told in this order.
                let place = try connection.place(of: subscription.subscriber, isLocked: true)
                guard let topic = try connection.topic(subscription.topic, for: subscription.filter) else {
                    return .noTopic
                }
                guard let place else { return .noSubscriber }
                if let share = try connection.share(of: topic.id, app: place.app) {
                    if let known = try connection.subscription(of: place, share: share) { return .existing(known) }
                    if place.url != nil, try connection.hasSubscriptions(urlLimit, share: share) {
                        return .tooManyURLs
                    }
                }
                // First, since it may throw.
                let policy = try connection.policy(subscription.filter, of: topic.id, limit: policyLimit)
                let share = try connection.requiredShare(of: topic.id, app: place.app)
                // The rows of a topic that was deleted go bit by bit; what is copied again has the id that it had.
                try connection.queue(
                    """
                    DELETE FROM subscriptions WHERE id = $1 AND NOT EXISTS (
                        SELECT FROM topic_shares WHERE topic_shares.number = subscriptions.share
                    )
                    """,
                    [.id(subscription.id.value)]
                )
                try connection.queue(
                    """
                    INSERT INTO subscriptions (id, share, app, device, user_id, url, policy, state, attributes, confirmation,
                        created_at, sealed_user) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                    """,
                    [
                        .id(subscription.id.value), .integer(share), .integer(place.app), .integer(place.device),
                        .text(place.user), .text(place.url), .integer(policy), .number(subscription.state.stored),
                        .text(attributes), .bytes(subscription.confirmation),
                        .integer(subscription.createdAt.millisecondsSince1970), .bytes(subscription.sealedUser),
                    ]
                )
                return .created(subscription)
            }
        } catch is TooManyPolicies {
            return .tooManyPolicies
        }
    }

    public func confirmSubscription(
        to topic: TopicName,
        token: [UInt8],
        isAuthenticated: Bool
    ) async throws -> Subscription? {
        // Anyone may ask: a token that changes nothing is found out without a transaction that locks.
        let seen = try await self.read { connection -> Subscription? in
            guard let topic = try connection.topic(topic, .none),
                let share = try connection.share(of: topic.id, app: 0)
            else { return nil }
            return try connection.subscriptions(
                "share = $1 AND confirmation = $2",
                [.integer(share), .bytes(token)]
            ).first
        }
        guard let seen, !seen.isConfirmed else { return seen }
        return try await self.write { connection in
            guard let topic = try connection.topic(topic, .share),
                let share = try connection.share(of: topic.id, app: 0),
                var found = try connection.subscriptions(
                    "share = $1 AND confirmation = $2 FOR UPDATE OF subscriptions",
                    [.integer(share), .bytes(token)]
                ).first
            else { return nil }
            guard !found.isConfirmed else { return found }
            found.state = .confirmed(isAuthenticated: isAuthenticated)
            try connection.queue(
                "UPDATE subscriptions SET state = $2 WHERE id = $1",
                [.id(found.id.value), .number(found.state.stored)]
            )
            return found
        }
    }

    public func subscription(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.read { try $0.subscription(id) }
    }

    public func subscription(of subscriber: Subscriber, to topic: TopicName) async throws -> Subscription? {
        try await self.read { connection in
            guard let topic = try connection.topic(topic, .none),
                let place = try connection.place(of: subscriber, isLocked: false),
                let share = try connection.share(of: topic.id, app: place.app)
            else { return nil }
            return try connection.subscription(of: place, share: share)
        }
    }

    public func subscriptions(
        to topic: TopicName?,
        of app: AppID?,
        after cursor: SubscriptionID?,
        limit: Int
    ) async throws -> Page<Subscription, SubscriptionID> {
        let limit = PageLimit.clamp(limit)
        let start = PostgresValue.id(cursor?.value ?? APNsID(high: 0, low: 0))
        return try await self.read { connection in
            var number: Int64?
            if let app {
                number = try connection.number(of: app)
                guard number != nil else { return Page(elements: [], next: nil) }
            }
            guard let topic else {
                let found = try connection.subscriptionRows(
                    """
                    subscriptions.id > $1 AND ($2 IS NULL OR subscriptions.app = $2) ORDER BY subscriptions.id LIMIT $3
                    """,
                    [start, .integer(number), .number(limit + 1)]
                )
                return try Page(lists: [found], limit: limit)
            }
            guard let topic = try connection.topic(topic, .none) else { return Page(elements: [], next: nil) }
            let shares = try connection.shares(of: topic.id).filter { number == nil || $0.app == number }
            let lists = try shares.map { share in
                try connection.subscriptionRows(
                    "share = $1 AND subscriptions.id > $2 ORDER BY subscriptions.id LIMIT $3",
                    [.integer(share.number), start, .number(limit + 1)]
                )
            }
            return try Page(lists: lists, limit: limit)
        }
    }

    public func subscriptions(of installation: InstallationID, app: AppID) async throws -> [Subscription] {
        try await self.read { connection in
            guard let place = try connection.place(of: .device(app, installation), isLocked: false) else { return [] }
            return try connection.subscriptionRows(
                "subscriptions.app = $1 AND device = $2 ORDER BY subscriptions.id LIMIT 10000",
                [.integer(place.app), .integer(place.device)]
            ).mapReadable(in: "subscriptions") { try Subscription(stored: $0) }
        }
    }

    public func changeSubscription(
        _ id: SubscriptionID,
        policyLimit: Int,
        _ change: @escaping @Sendable (inout Subscription) throws -> Void
    ) async throws -> Subscription? {
        try await self.write(retriesDuplicates: true) { connection in
            guard let seen = try connection.subscription(id) else { return nil }
            var wanted = seen
            try change(&wanted)
            // The topic before the subscription, as by whoever removes policies that nobody has.
            guard let topic = try connection.topic(seen.topic, for: wanted.filter),
                let former = try connection.subscriptions(
                    "subscriptions.id = $1 FOR UPDATE OF subscriptions",
                    [.id(id.value)]
                ).first
            else { return nil }
            var changed = former
            try change(&changed)
            var subscription = former
            subscription.filter = changed.filter
            subscription.attributes = changed.attributes
            guard subscription != former else { return former }
            let policy = try connection.policy(subscription.filter, of: topic.id, limit: policyLimit)
            try connection.queue(
                "UPDATE subscriptions SET policy = $2, attributes = $3 WHERE id = $1",
                [.id(id.value), .integer(policy), .text(try subscription.storedAttributes)]
            )
            return subscription
        }
    }

    @discardableResult
    public func unsubscribe(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.write { connection in
            guard let former = try connection.subscription(id) else { return nil }
            let removed = try connection.row("DELETE FROM subscriptions WHERE id = $1 RETURNING 1", [.id(id.value)])
            guard removed != nil else { return nil }
            try connection.queue(
                "UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = $1",
                [.text(former.topic.rawValue)]
            )
            return former
        }
    }
}

/// A subscriber, as the columns of the table `subscriptions` name it.
struct SubscriberPlace {
    /// 0 for a URL.
    var app: Int64
    var device: Int64?
    var user: String?
    var url: String?
}

extension PostgresConnection {
    /// How the table names a subscriber; `nil` for a device or an app that does not exist.
    fileprivate func place(of subscriber: Subscriber, isLocked: Bool) throws -> SubscriberPlace? {
        guard let id = subscriber.app else {
            guard case .url(let url) = subscriber else { return nil }
            return SubscriberPlace(app: 0, url: url)
        }
        let lock = isLocked ? " FOR KEY SHARE" : ""
        let row = try self.row("SELECT number FROM apps WHERE id = $1\(lock)", [.text(id.rawValue)])
        guard let app = try row?.integer("number") else { return nil }
        switch subscriber {
        case .url: return nil
        case .user(_, let user): return SubscriberPlace(app: app, user: user.rawValue)
        case .device(_, let installation):
            let row = try self.row(
                "SELECT number FROM devices WHERE app = $1 AND installation = $2\(lock)",
                [.integer(app), .text(installation.rawValue)]
            )
            return try row.map { SubscriberPlace(app: app, device: try $0.integer("number")) }
        }
    }

    fileprivate func subscription(of place: SubscriberPlace, share: Int64) throws -> Subscription? {
        if let device = place.device {
            return try self.subscriptions(
                "subscriptions.app = $1 AND device = $2 AND share = $3",
                [.integer(place.app), .integer(device), .integer(share)]
            ).first
        }
        if let user = place.user {
            return try self.subscriptions(
                "share = $1 AND subscriptions.user_id = $2",
                [.integer(share), .text(user)]
            ).first
        }
        return try self.subscriptions("share = $1 AND url = $2", [.integer(share), .text(place.url)]).first
    }

    /// Whether a share has so many subscriptions, confirmed or not; it is held, so that nobody else adds one meanwhile.
    fileprivate func hasSubscriptions(_ count: Int, share: Int64) throws -> Bool {
        _ = try self.row("SELECT 1 FROM topic_shares WHERE number = $1 FOR NO KEY UPDATE", [.integer(share)])
        return try self.row(
            "SELECT 1 FROM subscriptions WHERE share = $1 LIMIT 1 OFFSET $2",
            [.integer(share), .number(count - 1)]
        ) != nil
    }

    func subscription(_ id: SubscriptionID) throws -> Subscription? {
        try self.subscriptions("subscriptions.id = $1", [.id(id.value)]).first
    }

    /// The subscriptions for which a condition holds, of topics and apps that are there.
    func subscriptions(_ condition: String, _ values: [PostgresValue]) throws -> [Subscription] {
        try self.subscriptionRows(condition, values).map(Subscription.init(stored:))
    }

    /// The rows of ``subscriptions(_:_:)``.
    func subscriptionRows(_ condition: String, _ values: [PostgresValue]) throws -> [PostgresRow] {
        try self.rows(
            """
            SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
                topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
            FROM subscriptions JOIN topic_shares ON topic_shares.number = subscriptions.share
            JOIN topics ON topics.number = topic_shares.topic
            LEFT JOIN apps ON apps.number = topic_shares.app
            LEFT JOIN devices ON devices.app = subscriptions.app AND devices.number = subscriptions.device
            LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
            WHERE \(condition)
            """,
            values
        )
    }
}
