// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension PostgresConnection {
    /// How a topic's row is held until the transaction ends.
    enum TopicLock: String {
        /// It is not.
        case none = ""
        /// Nobody deletes it.
        case share = "FOR KEY SHARE"
        /// Nobody else changes it.
        case update = "FOR NO KEY UPDATE"
        /// Nobody else holds it at all.
        case alone = "FOR UPDATE"
    }

    /// The topic of that name, or `nil`.
    func topic(_ name: TopicName, _ lock: TopicLock) throws -> PushTopic? {
        try self.row("SELECT * FROM topics WHERE name = $1 \(lock.rawValue)", [.text(name.rawValue)])
            .map(PushTopic.init(stored:))
    }

    /// The topic of that name if an app has it; `nil` asks for no app.
    func topic(_ name: TopicName, of app: AppID?) throws -> PushTopic? {
        guard let topic = try self.topic(name, .none) else { return nil }
        guard let app else { return topic }
        guard let number = try self.number(of: app), try self.share(of: topic.id, app: number) != nil else {
            return nil
        }
        return topic
    }

    /// The number of an app's share of a topic, or of that of the URLs, whose app is 0; `nil` when there is none.
    func share(of topic: TopicID, app: Int64) throws -> Int64? {
        try self.row(
            "SELECT number FROM topic_shares WHERE topic = $1 AND app = $2",
            [.integer(topic.rawValue), .integer(app)]
        )?.integer("number")
    }

    /// The number of an app's share of a topic, or of that of the URLs, which is made if need be.
    @discardableResult
    func requiredShare(of topic: TopicID, app: Int64) throws -> Int64 {
        if let share = try self.share(of: topic, app: app) { return share }
        let row = try self.row(
            "INSERT INTO topic_shares (topic, app) VALUES ($1, $2) RETURNING number",
            [.integer(topic.rawValue), .integer(app)]
        )
        guard let number = try row?.integer("number") else { throw StoreError.damaged("topic") }
        return number
    }

    /// All shares of a topic.
    func shares(of topic: TopicID) throws -> [(number: Int64, app: Int64)] {
        try self.rows("SELECT number, app FROM topic_shares WHERE topic = $1", [.integer(topic.rawValue)]).map { row in
            (number: Int64(try row.number("number")), app: Int64(try row.number("app")))
        }
    }

    /// Queues that shares are taken away, with all subscriptions that belong to them; their rows are removed later.
    func remove(shares: [Int64]) throws {
        try self.queue(
            "INSERT INTO topic_remains (share) SELECT unnest($1::bigint[])",
            [.integers(shares)]
        )
        try self.queue("DELETE FROM topic_shares WHERE number = ANY($1::bigint[])", [.integers(shares)])
    }

    /// Queues that all shares of an app are taken away, since it is removed.
    func removeShares(ofApp app: Int64) throws {
        try self.queue(
            "INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE app = $1",
            [.integer(app)]
        )
        try self.queue("DELETE FROM topic_shares WHERE app = $1", [.integer(app)])
        try self.queue("DELETE FROM subscriptions WHERE app = $1 AND device IS NOT NULL", [.integer(app)])
    }

    /// The topic of that name, held for a subscription with a filter: alone if the topic does not have its policy yet.
    func topic(_ name: TopicName, for filter: SubscriptionFilter?) throws -> PushTopic? {
        guard let filter else { return try self.topic(name, .share) }
        let known = try self.row(
            """
            SELECT 1 FROM topics JOIN topic_policies ON topic_policies.topic = topics.number
            WHERE topics.name = $1 AND topic_policies.digest = $2
            """,
            [.text(name.rawValue), .bytes(filter.digest)]
        )
        // Who adds policies may remove those that nobody has; that this one is still there is found out below.
        return try self.topic(name, known == nil ? .alone : .share)
    }

    /// The number of a filter policy of a topic, which is held by `topic(_:for:)`; 0 for none.
    ///
    /// - Throws: ``TooManyPolicies`` when there is no room for another one, even without those that nobody has.
    func policy(_ filter: SubscriptionFilter?, of topic: TopicID, limit: Int) throws -> Int64 {
        guard let filter else { return SubscriberRule.noPolicy }
        let limit = min(limit, PushTopic.maximumPolicies)
        let digest = PostgresValue.bytes(filter.digest)
        let known = try self.row(
            "SELECT number FROM topic_policies WHERE topic = $1 AND digest = $2",
            [.integer(topic.rawValue), digest]
        )
        if let number = try known?.integer("number") { return number }
        let count = "SELECT count(*) AS count FROM topic_policies WHERE topic = $1"
        if try self.row(count, [.integer(topic.rawValue)])?.number("count") ?? 0 >= limit {
            try self.queue(
                """
                DELETE FROM topic_policies WHERE topic = $1 AND NOT EXISTS (
                    SELECT FROM topic_shares JOIN subscriptions ON subscriptions.share = topic_shares.number
                    WHERE topic_shares.topic = $1 AND subscriptions.policy = topic_policies.number
                )
                """,
                [.integer(topic.rawValue)]
            )
            let isFull = try self.row(count, [.integer(topic.rawValue)])?.number("count") ?? 0 >= limit
            if isFull { throw TooManyPolicies(limit: limit) }
        }
        let row = try self.row(
            "INSERT INTO topic_policies (topic, digest, scope, policy) VALUES ($1, $2, $3, $4) RETURNING number",
            [.integer(topic.rawValue), digest, .text(filter.scope.rawValue), .text(filter.policy)]
        )
        guard let number = try row?.integer("number") else { throw StoreError.damaged("filter policy") }
        return number
    }
}
