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
        now: Date,
        checking check: @escaping @Sendable (PushTopic) throws -> Void
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        let attributes = try StoredJSON.encode(attributes)
        let tags = try StoredJSON.encode(tags)
        return try await self.sql.write(retriesConflicts: true) { transaction in
            let number = try app.map { try transaction.lockedNumber(of: $0) }
            let known = try transaction.topic(name, lock: " FOR KEY SHARE")
            if let known { try check(known) }
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
        try await self.sql.read { reader in
            var condition: SQL = "name > \(cursor?.rawValue ?? "")"
            if let app {
                guard let number = try reader.number(of: app) else { return Page(elements: [], next: nil) }
                condition = "\(condition) AND \(SQL.isShared(with: "\(number)"))"
            }
            return try reader.page(
                "SELECT * FROM topics WHERE \(condition) ORDER BY name",
                in: "topics",
                limit: limit,
                cursor: { TopicName(unchecked: try $0.string("name")) }
            ) { try PushTopic(stored: $0) }
        }
    }

    public func changeTopic(
        _ name: TopicName,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws -> PushTopic? {
        try await self.sql.write { transaction in
            guard var topic = try transaction.topic(name, lock: " FOR NO KEY UPDATE") else { return nil }
            try change(&topic)
            let attributes = try StoredJSON.encode(topic.attributes)
            let tags = try StoredJSON.encode(topic.tags)
            try transaction.run(
                "UPDATE topics SET attributes = \(attributes), tags = \(tags) WHERE number = \(topic.id.rawValue)"
            )
            return topic
        }
    }

    @discardableResult
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
            let shares = try reader.shares(of: topic.id).filter { number == nil || $0.app == number }
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
