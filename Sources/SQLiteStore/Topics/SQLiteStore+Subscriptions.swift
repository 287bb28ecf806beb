// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: SubscriptionStore {
    public func subscribe(
        _ subscription: Subscription,
        policyLimit: Int,
        urlLimit: Int
    ) async throws -> SubscribeOutcome {
        let subscription = subscription.kept
        let attributes = try subscription.storedAttributes
        do {
            return try await self.write { database in
                guard let topic = try database.topic(subscription.topic) else { return .noTopic }
                guard let place = try database.place(of: subscription.subscriber) else { return .noSubscriber }
                if let share = try database.share(of: topic.id, app: place.app) {
                    if let known = try database.subscription(of: place, share: share) { return .existing(known) }
                    if place.url != nil, try database.hasSubscriptions(urlLimit, share: share) { return .tooManyURLs }
                }
                // First, since it may throw.
                let policy = try database.policy(subscription.filter, of: topic.id, limit: policyLimit)
                let share = try database.requiredShare(of: topic.id, app: place.app)
                // The rows of a topic that was deleted go bit by bit; what is copied again has the id that it had.
                try database.run(
                    """
                    DELETE FROM subscriptions WHERE id = ? AND NOT EXISTS (
                        SELECT 1 FROM topic_shares WHERE topic_shares.number = subscriptions.share
                    )
                    """,
                    [subscription.id.value.stored]
                )
                try database.run(
                    """
                    INSERT INTO subscriptions (id, share, device, user_id, url, policy, state, attributes, confirmation,
                        sealed_user, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        subscription.id.value.stored, share, place.device, place.user, place.url, policy,
                        subscription.state.stored, attributes, subscription.confirmation, subscription.sealedUser,
                        subscription.createdAt.millisecondsSince1970,
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
        // Anyone may ask: a token that changes nothing is found out without a change, which would wait for the disk.
        let seen = try await self.read { try $0.subscription(to: topic, token: token) }
        guard let seen, !seen.isConfirmed else { return seen }
        return try await self.write { database in
            guard var found = try database.subscription(to: topic, token: token) else { return nil }
            guard !found.isConfirmed else { return found }
            found.state = .confirmed(isAuthenticated: isAuthenticated)
            try database.run(
                "UPDATE subscriptions SET state = ? WHERE id = ?",
                [found.state.stored, found.id.value.stored]
            )
            return found
        }
    }

    public func subscription(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.read { try $0.subscription(id) }
    }

    public func subscription(of subscriber: Subscriber, to topic: TopicName) async throws -> Subscription? {
        try await self.read { database in
            guard let topic = try database.topic(topic),
                let place = try database.place(of: subscriber),
                let share = try database.share(of: topic.id, app: place.app)
            else { return nil }
            return try database.subscription(of: place, share: share)
        }
    }

    public func subscriptions(
        to topic: TopicName?,
        of app: AppID?,
        after cursor: SubscriptionID?,
        limit: Int
    ) async throws -> Page<Subscription, SubscriptionID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor?.value.stored ?? []
        return try await self.read { database in
            var number: Int64?
            if let app {
                number = try database.number(of: app)
                guard number != nil else { return Page(elements: [], next: nil) }
            }
            guard let topic else {
                let found = try database.subscriptionRows(
                    """
                    subscriptions.id > ?1 AND (?2 IS NULL OR topic_shares.app = ?2) ORDER BY subscriptions.id LIMIT ?3
                    """,
                    [start, number, limit + 1]
                )
                return try Page(lists: [found], limit: limit)
            }
            guard let topic = try database.topic(topic) else { return Page(elements: [], next: nil) }
            let lists = try database.shares(of: topic.id, app: number).map { share in
                try database.subscriptionRows(
                    "share = ? AND subscriptions.id > ? ORDER BY subscriptions.id LIMIT ?",
                    [share, start, limit + 1]
                )
            }
            return try Page(lists: lists, limit: limit)
        }
    }

    public func subscriptions(of installation: InstallationID, app: AppID) async throws -> [Subscription] {
        try await self.read { database in
            guard let place = try database.place(of: .device(app, installation)) else { return [] }
            return try database.subscriptionRows("device = ? ORDER BY subscriptions.id LIMIT 10000", [place.device])
                .mapReadable(in: "subscriptions") { try Subscription(stored: $0) }
        }
    }

    public func changeSubscription(
        _ id: SubscriptionID,
        policyLimit: Int,
        _ change: @escaping @Sendable (inout Subscription) throws -> Void
    ) async throws -> Subscription? {
        try await self.write { database in
            guard let former = try database.subscription(id), let topic = try database.topic(former.topic) else {
                return nil
            }
            var changed = former
            try change(&changed)
            var subscription = former
            subscription.filter = changed.filter
            subscription.attributes = changed.attributes
            guard subscription != former else { return former }
            let policy = try database.policy(subscription.filter, of: topic.id, limit: policyLimit)
            try database.run(
                "UPDATE subscriptions SET policy = ?, attributes = ? WHERE id = ?",
                [policy, try subscription.storedAttributes, id.value.stored]
            )
            return subscription
        }
    }

    @discardableResult
    public func unsubscribe(_ id: SubscriptionID) async throws -> Subscription? {
        try await self.write { database in
            guard let former = try database.subscription(id) else { return nil }
            try database.run("DELETE FROM subscriptions WHERE id = ?", [id.value.stored])
            try database.run(
                "UPDATE topics SET unsubscribed = unsubscribed + 1 WHERE name = ?",
                [former.topic.rawValue]
            )
            return former
        }
    }
}

/// A subscriber, as the columns of the table `subscriptions` name it.
struct SubscriberPlace {
    var app: Int64?
    var device: Int64?
    var user: String?
    var url: String?
}

extension Database {
    /// How the table names a subscriber; `nil` for a device or an app that does not exist.
    fileprivate func place(of subscriber: Subscriber) throws -> SubscriberPlace? {
        guard let id = subscriber.app else {
            guard case .url(let url) = subscriber else { return nil }
            return SubscriberPlace(url: url)
        }
        guard let app = try self.number(of: id) else { return nil }
        switch subscriber {
        case .url: return nil
        case .user(_, let user): return SubscriberPlace(app: app, user: user.rawValue)
        case .device(_, let installation):
            let row = try self.row(
                "SELECT number FROM devices WHERE app = ? AND installation = ?",
                [app, installation.rawValue]
            )
            return try row.map { SubscriberPlace(app: app, device: try $0.int64("number")) }
        }
    }

    fileprivate func subscription(of place: SubscriberPlace, share: Int64) throws -> Subscription? {
        if let device = place.device {
            return try self.subscriptions("device = ? AND share = ?", [device, share]).first
        }
        if let user = place.user {
            return try self.subscriptions("share = ? AND subscriptions.user_id = ?", [share, user]).first
        }
        return try self.subscriptions("share = ? AND url = ?", [share, place.url]).first
    }

    /// The subscription that a token belongs to, confirmed or not.
    fileprivate func subscription(to name: TopicName, token: [UInt8]) throws -> Subscription? {
        guard let topic = try self.topic(name), let share = try self.share(of: topic.id, app: nil) else { return nil }
        return try self.subscriptions("share = ? AND confirmation = ?", [share, token]).first
    }

    /// Whether a share has so many subscriptions, confirmed or not.
    fileprivate func hasSubscriptions(_ count: Int, share: Int64) throws -> Bool {
        try self.row("SELECT 1 FROM subscriptions WHERE share = ? LIMIT 1 OFFSET ?", [share, count - 1]) != nil
    }

    func subscription(_ id: SubscriptionID) throws -> Subscription? {
        try self.subscriptions("subscriptions.id = ?", [id.value.stored]).first
    }

    /// The subscriptions for which a condition holds, of topics and apps that are there.
    func subscriptions(_ condition: String, _ arguments: StatementArguments) throws -> [Subscription] {
        try self.subscriptionRows(condition, arguments).map(Subscription.init(stored:))
    }

    /// The rows of ``subscriptions(_:_:)``.
    func subscriptionRows(_ condition: String, _ arguments: StatementArguments) throws -> [Row] {
        try self.rows(
            """
            SELECT subscriptions.*, topics.name AS topic_name, apps.id AS app_id, devices.installation AS installation,
                topic_policies.scope AS policy_scope, topic_policies.policy AS policy_text
            FROM subscriptions CROSS JOIN topic_shares ON topic_shares.number = subscriptions.share
            CROSS JOIN topics ON topics.number = topic_shares.topic
            LEFT JOIN apps ON apps.number = topic_shares.app
            LEFT JOIN devices ON devices.number = subscriptions.device
            LEFT JOIN topic_policies ON topic_policies.number = subscriptions.policy
            WHERE \(condition)
            """,
            arguments
        )
    }
}
