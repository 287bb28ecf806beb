// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
import PushStore

extension SQLExecutor {
    /// The topic of that name, with a lock clause on PostgreSQL.
    func topic(_ name: TopicName, lock: StaticString = "") throws -> PushTopic? {
        try self.first("SELECT * FROM topics WHERE name = \(name)\(lock: lock)").map(PushTopic.init(stored:))
    }

    /// The topic of that name, if the app has it; without an app, any topic.
    func topic(_ name: TopicName, of app: AppID?) throws -> PushTopic? {
        guard let app else { return try self.topic(name) }
        return try self.first(
            "SELECT * FROM topics WHERE name = \(name) AND \(SQL.isShared(with: SQL.number(of: app)))"
        ).map(PushTopic.init(stored:))
    }

    /// The topic of that name, locked for a subscription with a filter.
    ///
    /// Nothing else locks the topic if its policies do not contain the filter.
    func topic(_ name: TopicName, for filter: SubscriptionFilter?) throws -> PushTopic? {
        // The answer selects only the lock, and SQLite has none.
        guard let filter, self.dialect == .postgres else { return try self.topic(name, lock: " FOR KEY SHARE") }
        let known = try self.first(
            """
            SELECT 1 FROM topics JOIN topic_policies ON topic_policies.topic = topics.number
            WHERE topics.name = \(name) AND topic_policies.digest = \(filter.digest)
            """
        )
        // A concurrent transaction may delete unused policies. Under the lock, `policy` checks again.
        return try self.topic(name, lock: known == nil ? " FOR UPDATE" : " FOR KEY SHARE")
    }

    /// The number of an app's share of a topic, without an app that of the URLs; `nil` if there is none.
    package func share(of topic: TopicID, app: Int64?) throws -> Int64? {
        try self.first(
            "SELECT number FROM topic_shares WHERE topic = \(topic.rawValue) AND \(SQL.shareApp) = \(app ?? 0)"
        )?.int64("number")
    }

    /// The number of an app's share of a topic, without an app that of the URLs; adds the share if there is none.
    @discardableResult
    func requiredShare(of topic: TopicID, app: Int64?) throws -> Int64 {
        if let share = try self.share(of: topic, app: app) { return share }
        // The share of the URLs has the app NULL in SQLite, and 0 in PostgreSQL.
        let stored = self.dialect == .sqlite ? app : app ?? 0
        let row = try self.first(
            "INSERT INTO topic_shares (topic, app) VALUES (\(topic.rawValue), \(stored)) RETURNING number"
        )
        guard let row else { throw StoreError.damaged("topic") }
        return try row.int64("number")
    }

    /// All shares of a topic.
    ///
    /// The share of the URLs has no app, or 0, which is the number of no app.
    func shares(of topic: TopicID) throws -> [(number: Int64, app: Int64?)] {
        try self.rows("SELECT number, app FROM topic_shares WHERE topic = \(topic.rawValue)").map { row in
            (number: try row.int64("number"), app: try row.integer("app"))
        }
    }

    /// Removes shares, and with them their subscriptions, whose rows `pruneTopics` deletes.
    package func removeShares(where condition: SQL) throws {
        try self.run("INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE \(condition)")
        try self.run("DELETE FROM topic_shares WHERE \(condition)")
    }

    /// The number of an app in other tables, or `nil` if there is no such app; locks the app.
    func lockedNumberIfFound(of app: AppID) throws -> Int64? {
        try self.first("SELECT number FROM apps WHERE id = \(app)\(lock: " FOR KEY SHARE")")?.int64("number")
    }

    /// The number of a filter policy of a topic, which is added if need be; 0 without a filter.
    ///
    /// `topic(_:for:)` locked the topic.
    /// - Throws: ``TooManyPolicies`` if the topic has `limit` policies with subscriptions.
    func policy(_ filter: SubscriptionFilter?, of topic: TopicID, limit: Int) throws -> Int64 {
        guard let filter else { return SubscriberRule.noPolicy }
        let topic = topic.rawValue
        let limit = min(limit, PushTopic.maximumPolicies)
        let digest = filter.digest
        let known = try self.first(
            "SELECT number FROM topic_policies WHERE topic = \(topic) AND digest = \(digest)"
        )
        if let known { return try known.int64("number") }
        let count: SQL = "SELECT count(*) AS count FROM topic_policies WHERE topic = \(topic)"
        if try self.first(count)?.number("count") ?? 0 >= limit {
            try self.run(
                """
                DELETE FROM topic_policies WHERE topic = \(topic) AND NOT EXISTS (
                    SELECT 1 FROM topic_shares \(SQL.orderedJoin) subscriptions
                    ON subscriptions.share = topic_shares.number
                    WHERE topic_shares.topic = \(topic) AND subscriptions.policy = topic_policies.number
                )
                """
            )
            let isFull = try self.first(count)?.number("count") ?? 0 >= limit
            if isFull { throw TooManyPolicies(limit: limit) }
        }
        let row = try self.first(
            """
            INSERT INTO topic_policies (topic, digest, scope, policy)
            VALUES (\(topic), \(digest), \(filter.scope.rawValue), \(filter.policy)) RETURNING number
            """
        )
        guard let row else { throw StoreError.damaged("filter policy") }
        return try row.int64("number")
    }
}

extension SQL {
    /// A join in whose order SQLite reads the tables.
    static let orderedJoin: SQL = "\(sqlite: "CROSS ")JOIN"

    /// The app of a share in `topic_shares`, as its index has it; 0 for the share of the URLs.
    static let shareApp: SQL = "\(sqlite: "coalesce(topic_shares.app, 0)", postgres: "topic_shares.app")"

    /// A condition of `topics`: the app of that number has the topic.
    static func isShared(with app: SQL) -> SQL {
        "EXISTS (SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND \(SQL.shareApp) = \(app))"
    }
}
