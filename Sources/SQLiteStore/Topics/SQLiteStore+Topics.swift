// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: TopicStore {
    /// Makes a topic unless there is one of that name; see `TopicStore`.
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

    /// A topic; see `TopicStore`.
    public func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic? {
        try await self.read { try $0.topic(name, of: app) }
    }

    /// The topics in the order of their names; see `TopicStore`.
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
            return Page(overfull: try rows.map(PushTopic.init(stored:)), limit: limit, cursor: \.name)
        }
    }

    /// Changes attributes and tags of a topic; see `TopicStore`.
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

    /// Deletes a topic; see `TopicStore`.
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

    /// How many subscriptions a topic has; see `TopicStore`.
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

    /// Removes what is left of topics that were deleted; see `TopicStore`.
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
