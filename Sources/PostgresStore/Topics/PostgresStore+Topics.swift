// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: TopicStore {
    public func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        now: Date,
        checking check: @escaping @Sendable (PushTopic) throws -> Void
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        let attributes = try TopicTexts.encode(attributes)
        let tags = try TopicTexts.encode(tags)
        return try await self.write(retriesDuplicates: true) { connection in
            let number = try app.map { try connection.lockedNumber(of: $0) }
            let known = try connection.topic(name, .share)
            if let known { try check(known) }
            let new =
                try known == nil
                ? connection.row(
                    """
                    INSERT INTO topics (name, attributes, tags, created_at, unsubscribed) VALUES ($1, $2, $3, $4, 0)
                    RETURNING *
                    """,
                    [
                        .text(name.rawValue), .text(attributes), .text(tags), .integer(now.millisecondsSince1970),
                    ]
                ).map(PushTopic.init(stored:)) : nil
            guard let topic = known ?? new else { throw StoreError.damaged("topic") }
            if let number { try connection.requiredShare(of: topic.id, app: number) }
            return (topic, known == nil)
        }
    }

    public func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic? {
        try await self.read { try $0.topic(name, of: app) }
    }

    public func topics(
        of app: AppID?,
        after cursor: TopicName?,
        limit: Int
    ) async throws -> Page<PushTopic, TopicName> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            var values: [PostgresValue] = [.text(cursor?.rawValue ?? ""), .number(limit + 1)]
            var condition = "name > $1"
            if let app {
                guard let number = try connection.number(of: app) else { return Page(elements: [], next: nil) }
                values.append(.integer(number))
                condition += " AND EXISTS (SELECT FROM topic_shares WHERE topic = topics.number AND app = $3)"
            }
            let rows = try connection.rows("SELECT * FROM topics WHERE \(condition) ORDER BY name LIMIT $2", values)
            return try Page(
                overfull: rows,
                in: "topics",
                limit: limit,
                cursor: { TopicName(unchecked: try $0.string("name")) }
            ) {
                try PushTopic(stored: $0)
            }
        }
    }

    public func changeTopic(
        _ name: TopicName,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws -> PushTopic? {
        try await self.write { connection in
            guard var topic = try connection.topic(name, .update) else { return nil }
            try change(&topic)
            try connection.queue(
                "UPDATE topics SET attributes = $2, tags = $3 WHERE number = $1",
                [
                    .integer(topic.id.rawValue), .text(try TopicTexts.encode(topic.attributes)),
                    .text(try TopicTexts.encode(topic.tags)),
                ]
            )
            return topic
        }
    }

    @discardableResult
    public func deleteTopic(_ name: TopicName, of app: AppID?) async throws -> Bool {
        try await self.write { connection in
            let app = try app.map { try connection.lockedNumber(of: $0) }
            // Who subscribes holds this row: the lock waits for them, and they find no topic, or no share, afterwards.
            guard let topic = try connection.topic(name, .alone) else { return false }
            let shares = try connection.shares(of: topic.id)
            let removed = shares.filter { app == nil || $0.app == app }
            guard app == nil || !removed.isEmpty else { return false }
            try connection.remove(shares: removed.map(\.number))
            guard removed.count == shares.count else { return true }
            try connection.queue("DELETE FROM topic_policies WHERE topic = $1", [.integer(topic.id.rawValue)])
            try connection.queue("DELETE FROM topics WHERE number = $1", [.integer(topic.id.rawValue)])
            return true
        }
    }

    public func subscriptionCounts(of name: TopicName, app: AppID?) async throws -> SubscriptionCounts? {
        try await self.readSnapshot { connection in
            guard let topic = try connection.topic(name, of: app) else { return nil }
            let number = try app.flatMap { try connection.number(of: $0) }
            let shares = try connection.shares(of: topic.id).filter { number == nil || $0.app == number }
            let row = try connection.row(
                """
                SELECT unsubscribed, (SELECT count(*) FROM subscriptions WHERE share = ANY($2::bigint[])) AS count,
                    (SELECT count(*) FROM subscriptions WHERE share = ANY($2::bigint[]) AND state = 0) AS pending
                FROM topics WHERE number = $1
                """,
                [.integer(topic.id.rawValue), .integers(shares.map(\.number))]
            )
            guard let row else { return nil }
            let pending = try row.number("pending")
            return SubscriptionCounts(
                confirmed: try row.number("count") - pending,
                pending: pending,
                deleted: try row.number("unsubscribed")
            )
        }
    }

    public func pruneTopics(pendingBefore time: Date, limit: Int) async throws -> Bool {
        let limit = min(max(100, limit), 10_000)
        return try await self.write { connection in
            let waiting = try connection.queue(
                """
                DELETE FROM subscriptions WHERE id IN (
                    SELECT id FROM subscriptions WHERE state = 0 AND created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
                )
                """,
                [.integer(time.millisecondsSince1970), .number(limit)]
            )
            // Whoever removes the rows of a share holds it; others take another one.
            let shares = try connection.queue(
                "SELECT share FROM topic_remains ORDER BY share LIMIT 100 FOR UPDATE SKIP LOCKED"
            )
            try connection.receive()
            var left = limit - waiting.changes
            for row in shares.rows where left > 0 {
                let share = PostgresValue.integer(try row.integer("share"))
                let removed = try connection.queue(
                    "DELETE FROM subscriptions WHERE id IN (SELECT id FROM subscriptions WHERE share = $1 LIMIT $2)",
                    [share, .number(left)]
                )
                try connection.receive()
                if removed.changes < left {
                    try connection.queue("DELETE FROM topic_remains WHERE share = $1", [share])
                }
                left -= max(1, removed.changes)
            }
            return left <= 0 || shares.rows.count == 100
        }
    }
}

extension PostgresConnection {
    /// How a topic's row is held until the transaction ends.
    enum TopicLock: String {
        case none = ""
        /// Nobody deletes it.
        case share = "FOR KEY SHARE"
        /// Nobody else changes it.
        case update = "FOR NO KEY UPDATE"
        /// Nobody else holds it at all.
        case alone = "FOR UPDATE"
    }

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

    func shares(of topic: TopicID) throws -> [(number: Int64, app: Int64)] {
        try self.rows("SELECT number, app FROM topic_shares WHERE topic = $1", [.integer(topic.rawValue)]).map { row in
            (number: try row.int64("number"), app: try row.int64("app"))
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
