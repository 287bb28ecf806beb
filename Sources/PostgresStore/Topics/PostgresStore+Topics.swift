// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: TopicStore {
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
        return try await self.read { connection in
            var values: [PostgresValue] = [.text(cursor?.rawValue ?? ""), .number(limit + 1)]
            var condition = "name > $1"
            if let app {
                guard let number = try connection.number(of: app) else { return Page(elements: [], next: nil) }
                values.append(.integer(number))
                condition += " AND EXISTS (SELECT FROM topic_shares WHERE topic = topics.number AND app = $3)"
            }
            let rows = try connection.rows("SELECT * FROM topics WHERE \(condition) ORDER BY name LIMIT $2", values)
            return Page(overfull: try rows.map(PushTopic.init(stored:)), limit: limit, cursor: \.name)
        }
    }

    /// Changes attributes and tags of a topic; see `TopicStore`.
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

    /// Deletes a topic; see `TopicStore`.
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

    /// How many subscriptions a topic has; see `TopicStore`.
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

    /// Removes what is left of topics that were deleted; see `TopicStore`.
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
