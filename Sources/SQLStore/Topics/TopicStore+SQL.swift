// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension TopicStore where Self: SQLBacked {
    public func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        sharing: Bool,
        now: Date,
        checking check: (@Sendable (PushTopic) throws -> Void)?
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        let attributes = try StoredJSON.encode(attributes)
        let tags = try StoredJSON.encode(tags)
        return try await self.sql.write(retriesConflicts: true) { transaction in
            let number = try app.map { try transaction.lockedNumber(of: $0) }
            let known = try transaction.topic(name, lock: sharing ? " FOR KEY SHARE" : " FOR NO KEY UPDATE")
            if let known, let number, !sharing {
                let shares = try transaction.shares(of: known.id)
                guard shares.isEmpty || shares.contains(where: { $0.app == number }) else {
                    throw ForeignTopicError(topic: name)
                }
            }
            if let known { try check?(known) }
            let topic =
                try known
                ?? transaction.first(
                    """
                    INSERT INTO topics (name, attributes, tags, created_at, unsubscribed)
                    VALUES (\(name), \(attributes), \(tags), \(now), 0) RETURNING *
                    """
                ).map(PushTopic.init(stored:))
            guard let topic else { throw StoreError.damaged("topic") }
            if let number { try transaction.requiredShare(of: topic.id, app: number) }
            if known == nil { try transaction.audit(.created, topic, for: app) }
            return (topic, known == nil)
        }
    }

    public func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic? {
        try await self.sql.read { try $0.topic(name, of: app) }
    }

    public func topics(
        of app: AppID?,
        after cursor: TopicName?,
        limit: Int
    ) async throws -> Page<PushTopic, TopicName> {
        var condition: SQL = "name > \(cursor?.rawValue ?? "")"
        if let app { condition = "\(condition) AND \(SQL.isShared(with: SQL.number(of: app)))" }
        return try await self.sql.page(
            "SELECT * FROM topics WHERE \(condition) ORDER BY name",
            in: "topics",
            limit: limit,
            cursor: { TopicName(unchecked: try $0.string("name")) }
        ) { try PushTopic(stored: $0) }
    }

    public func changeTopic(
        _ name: TopicName,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws -> PushTopic? {
        try await self.sql.write { transaction in
            guard var topic = try transaction.topic(name, lock: " FOR NO KEY UPDATE") else { return nil }
            let former = topic
            try change(&topic)
            try transaction.audit(former, to: topic)
            let attributes = try StoredJSON.encode(topic.attributes)
            let tags = try StoredJSON.encode(topic.tags)
            try transaction.run(
                "UPDATE topics SET attributes = \(attributes), tags = \(tags) WHERE number = \(topic.id.rawValue)"
            )
            return topic
        }
    }

    public func deleteTopic(_ name: TopicName, of app: AppID?) async throws -> Bool {
        try await self.sql.write { transaction in
            var number: Int64?
            if let app {
                number = try transaction.lockedNumberIfFound(of: app)
                guard number != nil else { return false }
            }
            // Transactions that subscribe lock this row, so this waits for them. Later ones find no topic or no share.
            guard let topic = try transaction.topic(name, lock: " FOR UPDATE") else { return false }
            let shares = try transaction.shares(of: topic.id)
            let removed = shares.filter { number == nil || $0.app == number }
            guard app == nil || !removed.isEmpty else { return false }
            var condition: SQL = "topic = \(topic.id.rawValue)"
            if let number { condition = "\(condition) AND \(SQL.shareApp) = \(number)" }
            try transaction.removeShares(where: condition)
            try transaction.audit(.deleted, topic, for: app)
            guard removed.count == shares.count else { return true }
            try transaction.run("DELETE FROM topic_policies WHERE topic = \(topic.id.rawValue)")
            try transaction.run("DELETE FROM topics WHERE number = \(topic.id.rawValue)")
            return true
        }
    }

    public func subscriptionCounts(of name: TopicName, app: AppID?) async throws -> SubscriptionCounts? {
        try await self.sql.snapshot { reader in
            guard let topic = try reader.topic(name, of: app) else { return nil }
            let number = try app.flatMap { try reader.number(of: $0) }
            let shares = try reader.shares(of: topic.id, app: number)
            let deleted = try reader.run("SELECT unsubscribed FROM topics WHERE number = \(topic.id.rawValue)")
            let results = try shares.map { share in
                try reader.run(
                    """
                    SELECT (SELECT count(*) FROM subscriptions WHERE share = \(share.number)) AS count,
                        (SELECT count(*) FROM subscriptions WHERE share = \(share.number) AND state = 0) AS pending
                    """
                )
            }
            var counts = SubscriptionCounts(deleted: try deleted.rows.first?.number("unsubscribed") ?? 0)
            for row in try results.flatMap({ try $0.rows }) {
                let pending = try row.number("pending")
                counts.pending += pending
                counts.confirmed += try row.number("count") - pending
            }
            return counts
        }
    }

    public func pruneTopics(pendingBefore time: Date, limit: Int) async throws -> Bool {
        let limit = min(max(100, limit), 10_000)
        let isDue = try await self.sql.finds(
            """
            SELECT 1 FROM topic_remains UNION ALL
            SELECT 1 FROM subscriptions WHERE state = 0 AND created_at < \(time) LIMIT 1
            """
        )
        guard isDue else { return false }
        return try await self.sql.write(in: .bulk) { transaction in
            let pending = try transaction.run(
                """
                DELETE FROM subscriptions WHERE id IN (
                    SELECT id FROM subscriptions WHERE state = 0 AND created_at < \(time)
                    LIMIT \(limit)\(lock: " FOR UPDATE SKIP LOCKED")
                )
                """
            )
            // The transaction that locks a share deletes its subscriptions. Concurrent ones take other shares.
            let shares = try transaction.rows(
                "SELECT share FROM topic_remains ORDER BY share LIMIT 100\(lock: " FOR UPDATE SKIP LOCKED")"
            )
            var left = try limit - pending.changes
            for row in shares where left > 0 {
                let share = try row.int64("share")
                let removed = try transaction.run(
                    """
                    DELETE FROM subscriptions WHERE id IN (
                        SELECT id FROM subscriptions WHERE share = \(share) LIMIT \(left)
                    )
                    """
                ).changes
                if removed < left { try transaction.run("DELETE FROM topic_remains WHERE share = \(share)") }
                left -= max(1, removed)
            }
            return left <= 0 || shares.count == 100
        }
    }
}

extension SQLExecutor {
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

    /// The topic of that name, locked exclusively if its policies do not contain the filter.
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

    /// The shares of a topic, without an app all; that of the URLs has no app, or 0, which is the number of no app.
    func shares(of topic: TopicID, app: Int64? = nil) throws -> [(number: Int64, app: Int64?)] {
        try self.rows("SELECT number, app FROM topic_shares WHERE topic = \(topic.rawValue)").map { row in
            (number: try row.int64("number"), app: try row.integer("app"))
        }.filter { app == nil || $0.app == app }
    }

    /// Removes shares, and with them their subscriptions, whose rows `pruneTopics` deletes.
    package func removeShares(where condition: SQL) throws {
        try self.run("INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE \(condition)")
        try self.run("DELETE FROM topic_shares WHERE \(condition)")
    }

    /// The number of a filter policy of a topic, which is added if need be; 0 without a filter.
    ///
    /// `topic(_:for:)` locked the topic.
    /// - Throws: ``TooManyPoliciesError`` if the topic has `limit` policies with subscriptions.
    func policy(_ filter: SubscriptionFilter?, of topic: TopicID, limit: Int) throws -> Int64 {
        guard let filter else { return TopicAudience.noPolicy }
        let topic = topic.rawValue
        let limit = min(limit, PushTopic.maximumPolicies)
        let digest = filter.digest
        let known = try self.first("SELECT number FROM topic_policies WHERE topic = \(topic) AND digest = \(digest)")
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
            if try self.first(count)?.number("count") ?? 0 >= limit { throw TooManyPoliciesError(limit: limit) }
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
