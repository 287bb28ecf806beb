// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import Foundation
public import PushModel
public import PushStore

extension PublicationStore where Self: SQLBacked {
    public func outline(of name: TopicName, app: AppID?) async throws -> TopicSummary? {
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
                    """
                    \(SQL.subscriptions) share = \(share) AND state > 0
                    ORDER BY subscriptions.id LIMIT \(TopicSummary.maximumURLs)
                    """
                ).mapReadable(in: "subscriptions") { try Subscription(stored: $0) }
            }
            let known = try apps.rows.mapReadable(in: "apps") { try $0.identifier("id", AppID.self) }
            // A subscription whose policy is missing receives nothing, because its filter is unknown.
            let filters = try policies.rows.mapReadable(in: "topic_policies") {
                (try $0.int64("number"), try SubscriptionFilter(stored: $0))
            }
            return TopicSummary(
                topic: topic,
                apps: app.map { [$0] } ?? known,
                policies: Dictionary(filters) { first, _ in first },
                urls: urls
            )
        }
    }

    public func publish(_ publication: Publication, noting record: IdempotencyRecord?) async throws -> Int {
        let parts = publication.parts
        let drafts = try parts.map { part -> [NewBatch] in
            guard case .notification(let notification, let batches) = part else { return [] }
            try notification.check(batches)
            return batches.map { NewBatch(ScheduledBatch(batch: $0)) }
        }
        let batches = drafts.joined().map(\.planned.batch)
        let isBulk = !batches.isEmpty && drafts.allSatisfy { !$0.isEmpty } && batches.allSatisfy { $0.lane == .bulk }
        return try await self.sql.writeHandingOver(
            in: isBulk ? .bulk : .urgent,
            storedRow: { _ in
                switch (parts.first, publication.message) {
                case (.notification(let notification, _)?, _):
                    "SELECT 1 FROM notifications WHERE id = \(notification.id.value)"
                case (.campaign(let campaign)?, _): "SELECT 1 FROM notifications WHERE id = \(campaign.id.value)"
                case (nil, let message?): "SELECT 1 FROM topic_messages WHERE id = \(message.id)"
                case (nil, nil): nil
                }
            }
        ) { transaction in
            // All transactions lock several apps in one order.
            var apps: [AppID: Int64] = [:]
            for app in Set(parts.map(\.app) + [record?.slot.app].compactMap(\.self)).sorted() {
                apps[app] = try transaction.lockedNumber(of: app)
            }
            // First, because it decides whether the request is a repetition.
            if let record, let app = apps[record.slot.app] { try transaction.insert(record, app: app) }
            for (part, drafts) in zip(parts, drafts) {
                guard let app = apps[part.app] else { throw StoreError.noApp(part.app) }
                switch part {
                case .campaign(let campaign): try transaction.create(campaign, app: app)
                case .notification(let notification, _):
                    try transaction.accept([(notification, drafts, app)])
                }
            }
            guard let message = publication.message, !publication.recipients.isEmpty else { return 0 }
            try transaction.insert(message)
            transaction.signal(.topicDeliveriesReady)
            return try transaction.deliver(message, to: publication.recipients)
        }
    }
}

extension SQLExecutor {
    package func insert(_ message: TopicMessage) throws {
        try self.run(
            """
            INSERT INTO topic_messages (id, topic, content, created_at)
            VALUES (\(message.id), \(message.topic), \(SQLValue.content(message.content)), \(message.createdAt)) ON CONFLICT DO NOTHING
            """
        )
    }

    package func removeIfDelivered(_ message: APNsID) throws {
        try self.run(
            """
            DELETE FROM topic_messages WHERE id = \(message)
                AND NOT EXISTS (SELECT 1 FROM topic_deliveries WHERE message = \(message))
            """
        )
    }
}

extension Publication.Part {
    fileprivate var app: AppID {
        switch self {
        case .notification(let notification, _): notification.app
        case .campaign(let campaign): campaign.app
        }
    }
}

extension SQLTransaction {
    /// Adds deliveries to the subscriptions whose queues are not full; returns the number of the others.
    fileprivate func deliver(_ message: TopicMessage, to subscriptions: [SubscriptionID]) throws -> Int {
        let ids = subscriptions.map(\.value)
        let limit = TopicDelivery.maximumQueued
        let added = try self.run(
            """
            INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
            SELECT \(message.id), id, url, 0, \(message.createdAt) FROM subscriptions
            WHERE id \(each: ids) AND url IS NOT NULL AND (
                SELECT count(*) FROM (
                    SELECT 1 FROM topic_deliveries WHERE topic_deliveries.subscription = subscriptions.id LIMIT \(limit)
                ) AS waiting
            ) < \(limit)
            """
        )
        // After the insertion: a subscription that is removed meanwhile is in neither number, or only in the first one.
        let known = try self.run("SELECT 1 FROM subscriptions WHERE id \(each: ids) AND url IS NOT NULL")
        // The subscriptions may all have been removed.
        try self.removeIfDelivered(message.id)
        return max(0, try known.rows.count - added.changes)
    }
}
