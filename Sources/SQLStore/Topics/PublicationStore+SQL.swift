// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
public import PushModel
public import PushStore

extension PublicationStore where Self: SQLBacked {
    public func outline(of name: TopicName, app: AppID?) async throws -> TopicOutline? {
        try await self.sql.snapshot { reader in
            guard let topic = try reader.topic(name, of: app) else { return nil }
            let number = topic.id.rawValue
            let apps = try reader.run(
                """
                SELECT apps.id AS id FROM topic_shares \(SQL.orderedJoin) apps ON apps.number = topic_shares.app
                WHERE topic_shares.topic = \(number) ORDER BY apps.id
                """
            )
            let policies = try reader.run("SELECT * FROM topic_policies WHERE topic = \(number)")
            var urls: [Subscription] = []
            if app == nil, let share = try reader.share(of: topic.id, app: nil) {
                urls = try reader.rows(
                    SQL.subscriptions(
                        where: """
                            share = \(share) AND state > 0
                            ORDER BY subscriptions.id LIMIT \(TopicOutline.maximumURLs)
                            """
                    )
                ).mapReadable(in: "subscriptions") { try Subscription(stored: $0) }
            }
            let known = try apps.rows.mapReadable(in: "apps") { try $0.identifier("id", AppID.self) }
            // A subscription whose policy is missing receives nothing, because its filter is unknown.
            let filters = try policies.rows.mapReadable(in: "topic_policies") {
                (try $0.int64("number"), try SubscriptionFilter(stored: $0))
            }
            return TopicOutline(
                topic: topic,
                apps: app.map { [$0] } ?? known,
                policies: Dictionary(filters) { first, _ in first },
                urls: urls
            )
        }
    }
}

extension SQLExecutor {
    /// Adds a message that is posted to URLs, unless it is stored already.
    package func insert(_ message: TopicMessage) throws {
        try self.run(
            """
            INSERT INTO topic_messages (id, topic, content, created_at)
            VALUES (\(message.id), \(message.topic), \(message.content), \(message.createdAt)) ON CONFLICT DO NOTHING
            """
        )
    }

    /// Removes a message that has no deliveries.
    package func removeIfDelivered(_ message: APNsID) throws {
        try self.run(
            """
            DELETE FROM topic_messages WHERE id = \(message)
                AND NOT EXISTS (SELECT 1 FROM topic_deliveries WHERE message = \(message))
            """
        )
    }
}
