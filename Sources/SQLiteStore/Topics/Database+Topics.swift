// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLite

extension Database {
    /// The topic of that name, or `nil`.
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
