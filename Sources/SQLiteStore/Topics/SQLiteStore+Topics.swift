// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: TopicStore {
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
        return try await self.write { database in
            let number = try app.map { try database.requiredNumber(of: $0) }
            let known = try database.topic(name)
            if let known { try check(known) }
            if known == nil {
                try database.run(
                    "INSERT INTO topics (name, attributes, tags, created_at, unsubscribed) VALUES (?, ?, ?, ?, 0)",
                    [name.rawValue, attributes, tags, now.millisecondsSince1970]
                )
            }
            guard let topic = try known ?? database.topic(name) else { throw StoreError.damaged("topic") }
            if let number { try database.requiredShare(of: topic.id, app: number) }
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
        return try await self.read { database in
            let rows: [Row]
            if let app {
                guard let number = try database.number(of: app) else { return Page(elements: [], next: nil) }
                rows = try database.rows(
                    """
                    SELECT topics.* FROM topics WHERE name > ? AND EXISTS (
                        SELECT 1 FROM topic_shares WHERE topic_shares.topic = topics.number AND coalesce(app, 0) = ?
                    ) ORDER BY name LIMIT ?
                    """,
                    [cursor?.rawValue ?? "", number, limit + 1]
                )
            } else {
                rows = try database.rows(
                    "SELECT * FROM topics WHERE name > ? ORDER BY name LIMIT ?",
                    [cursor?.rawValue ?? "", limit + 1]
                )
            }
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
        try await self.write { database in
            guard var topic = try database.topic(name) else { return nil }
            try change(&topic)
            try database.run(
                "UPDATE topics SET attributes = ?, tags = ? WHERE number = ?",
                [try TopicTexts.encode(topic.attributes), try TopicTexts.encode(topic.tags), topic.id.rawValue]
            )
            return topic
        }
    }

    @discardableResult
    public func deleteTopic(_ name: TopicName, of app: AppID?) async throws -> Bool {
        try await self.write { database in
            guard let topic = try database.topic(name, of: app) else { return false }
            let number = try app.map { try database.requiredNumber(of: $0) }
            let shares = try database.shares(of: topic.id, app: number)
            for share in shares { try database.remove(share: share) }
            guard try database.shares(of: topic.id, app: nil).isEmpty else { return true }
            try database.run("DELETE FROM topic_policies WHERE topic = ?", [topic.id.rawValue])
            try database.run("DELETE FROM topics WHERE number = ?", [topic.id.rawValue])
            return true
        }
    }

    public func subscriptionCounts(of name: TopicName, app: AppID?) async throws -> SubscriptionCounts? {
        try await self.read { database in
            guard let topic = try database.topic(name, of: app) else { return nil }
            let number = try app.map { try database.requiredNumber(of: $0) }
            let row = try database.row("SELECT unsubscribed FROM topics WHERE number = ?", [topic.id.rawValue])
            var counts = SubscriptionCounts(deleted: try row?.number("unsubscribed") ?? 0)
            for share in try database.shares(of: topic.id, app: number) {
                let row = try database.row(
                    """
                    SELECT (SELECT count(*) FROM subscriptions WHERE share = ?1) AS count,
                        (SELECT count(*) FROM subscriptions WHERE share = ?1 AND state = 0) AS pending
                    """,
                    [share]
                )
                let pending = try row?.number("pending") ?? 0
                counts.pending += pending
                counts.confirmed += (try row?.number("count") ?? 0) - pending
            }
            return counts
        }
    }

    public func pruneTopics(pendingBefore time: Date, limit: Int) async throws -> Bool {
        let time = time.millisecondsSince1970
        let limit = min(max(100, limit), 10_000)
        let isIdle = try await self.read { database in
            try database.row(
                """
                SELECT 1 FROM topic_remains UNION ALL
                SELECT 1 FROM subscriptions WHERE state = 0 AND created_at < ? LIMIT 1
                """,
                [time]
            ) == nil
        }
        if isIdle { return false }
        return try await self.write(in: .bulk) { database in
            var left = limit
            left -= try database.run(
                """
                DELETE FROM subscriptions WHERE id IN (
                    SELECT id FROM subscriptions WHERE state = 0 AND created_at < ? LIMIT ?
                )
                """,
                [time, left]
            )
            while left > 0, let row = try database.row("SELECT share FROM topic_remains LIMIT 1") {
                let share = try row.int64("share")
                let count = try database.run(
                    "DELETE FROM subscriptions WHERE id IN (SELECT id FROM subscriptions WHERE share = ? LIMIT ?)",
                    [share, left]
                )
                if count < left { try database.run("DELETE FROM topic_remains WHERE share = ?", [share]) }
                left -= max(1, count)
            }
            return left <= 0
        }
    }
}

extension Database {
    func topic(_ name: TopicName) throws -> PushTopic? {
        try self.row("SELECT * FROM topics WHERE name = ?", [name.rawValue]).map(PushTopic.init(stored:))
    }

    /// The topic of that name if an app has it; `nil` asks for no app.
    func topic(_ name: TopicName, of app: AppID?) throws -> PushTopic? {
        guard let topic = try self.topic(name) else { return nil }
        guard let app else { return topic }
        guard let number = try self.number(of: app), try self.share(of: topic.id, app: number) != nil else {
            return nil
        }
        return topic
    }

    /// The number of an app's share of a topic, or of that of the URLs; `nil` when there is none.
    func share(of topic: TopicID, app: Int64?) throws -> Int64? {
        try self.row(
            "SELECT number FROM topic_shares WHERE topic = ? AND coalesce(app, 0) = ?",
            [topic.rawValue, app ?? 0]
        )?.int64("number")
    }

    /// The number of an app's share of a topic, or of that of the URLs, which is made if need be.
    @discardableResult
    func requiredShare(of topic: TopicID, app: Int64?) throws -> Int64 {
        if let share = try self.share(of: topic, app: app) { return share }
        try self.run("INSERT INTO topic_shares (topic, app) VALUES (?, ?)", [topic.rawValue, app])
        return self.lastInsertedRowID
    }

    /// The numbers of all shares of a topic, or of an app's alone.
    func shares(of topic: TopicID, app: Int64?) throws -> [Int64] {
        guard let app else {
            return try self.rows("SELECT number FROM topic_shares WHERE topic = ?", [topic.rawValue])
                .map { try $0.int64("number") }
        }
        return try self.share(of: topic, app: app).map { [$0] } ?? []
    }

    /// Takes a share away, with all subscriptions that belong to it; their rows are removed later.
    func remove(share: Int64) throws {
        try self.run("INSERT INTO topic_remains (share) VALUES (?)", [share])
        try self.run("DELETE FROM topic_shares WHERE number = ?", [share])
    }

    /// Takes all shares of an app away, since it is removed.
    func removeShares(ofApp app: Int64) throws {
        try self.run("INSERT INTO topic_remains (share) SELECT number FROM topic_shares WHERE app = ?", [app])
        try self.run("DELETE FROM topic_shares WHERE app = ?", [app])
    }

    /// The number of a filter policy of a topic, which is added if need be; 0 for none.
    ///
    /// - Throws: ``TooManyPolicies`` when there is no room for another one, even without those that nobody has.
    func policy(_ filter: SubscriptionFilter?, of topic: TopicID, limit: Int) throws -> Int64 {
        guard let filter else { return SubscriberRule.noPolicy }
        let limit = min(limit, PushTopic.maximumPolicies)
        let digest = filter.digest
        let known = try self.row(
            "SELECT number FROM topic_policies WHERE topic = ? AND digest = ?",
            [topic.rawValue, digest]
        )
        if let known { return try known.int64("number") }
        let count = "SELECT count(*) AS count FROM topic_policies WHERE topic = ?"
        if try self.row(count, [topic.rawValue])?.number("count") ?? 0 >= limit {
            try self.run(
                """
                DELETE FROM topic_policies WHERE topic = ?1 AND NOT EXISTS (
                    SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
                    WHERE topic_shares.topic = ?1 AND subscriptions.policy = topic_policies.number
                )
                """,
                [topic.rawValue]
            )
            let isFull = try self.row(count, [topic.rawValue])?.number("count") ?? 0 >= limit
            if isFull { throw TooManyPolicies(limit: limit) }
        }
        try self.run(
            "INSERT INTO topic_policies (topic, digest, scope, policy) VALUES (?, ?, ?, ?)",
            [topic.rawValue, digest, filter.scope.rawValue, filter.policy]
        )
        return self.lastInsertedRowID
    }
}
