// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore: PublicationStore {
    public func outline(of name: TopicName, app: AppID?) async throws -> TopicOutline? {
        try await self.readSnapshot { connection in
            guard let topic = try connection.topic(name, of: app) else { return nil }
            let number = PostgresValue.integer(topic.id.rawValue)
            let apps = try connection.rows(
                """
                SELECT apps.id FROM topic_shares JOIN apps ON apps.number = topic_shares.app
                WHERE topic_shares.topic = $1 ORDER BY apps.id
                """,
                [number]
            ).mapReadable(in: "apps") { try $0.identifier("id", AppID.self) }
            // A subscription whose policy is missing receives nothing, because its filter is unknown.
            let policies = try connection.rows("SELECT * FROM topic_policies WHERE topic = $1", [number])
                .mapReadable(in: "topic_policies") { (try $0.int64("number"), try SubscriptionFilter(stored: $0)) }
            var urls: [Subscription] = []
            if app == nil, let share = try connection.share(of: topic.id, app: 0) {
                urls = try connection.subscriptionRows(
                    "share = $1 AND state > 0 ORDER BY subscriptions.id LIMIT \(TopicOutline.maximumURLs)",
                    [.integer(share)]
                ).mapReadable(in: "subscriptions") { try Subscription(stored: $0) }
            }
            return TopicOutline(
                topic: topic,
                apps: app.map { [$0] } ?? apps,
                policies: Dictionary(policies) { first, _ in first },
                urls: urls
            )
        }
    }

    @discardableResult
    public func publish(_ publication: Publication, noting record: IdempotencyRecord?) async throws -> Int {
        let parts = try publication.parts.map(PublicationDraft.init)
        let ids = parts.map(\.id)
        return try await self.write(
            isStored: { connection, _ in
                guard let id = ids.first else {
                    guard let message = publication.message?.id else { return false }
                    return try connection.row("SELECT 1 FROM topic_messages WHERE id = $1", [.id(message)]) != nil
                }
                return try connection.row("SELECT 1 FROM notifications WHERE id = $1", [.id(id)]) != nil
            }
        ) { connection, changes in
            var told: [StoreChange] = []
            var news = FeedNews()
            // In one order, since whoever removes an app waits for those who hold it.
            var apps: [AppID: Int64] = [:]
            for app in Set(parts.map(\.app) + [record?.slot.app].compactMap(\.self)).sorted() {
                apps[app] = try connection.lockedNumber(of: app)
            }
            // First, since it decides whether this is a repetition.
            if let record, let app = apps[record.slot.app] { try connection.insert(record, app: app) }
            for part in parts {
                guard let app = apps[part.app] else { throw StoreError.noApp(part.app) }
                switch part {
                case .campaign(let campaign):
                    try connection.create(campaign, app: app, telling: &news)
                    told.append(.campaignChanged(campaign.id))
                case .notification(let notification, let drafts, let lanes):
                    try connection.insert(notification, app: app)
                    for draft in drafts { try connection.insertContent(of: draft) }
                    try connection.insert(drafts, app: app)
                    news.add(.accepted(notification, time: notification.createdAt), app: app)
                    told += lanes.map { .batchReady($0) }
                }
            }
            var full = 0
            if let message = publication.message, !publication.recipients.isEmpty {
                try connection.insert(message)
                full = try connection.deliver(message, to: publication.recipients)
                told.append(.topicDeliveriesReady)
            }
            changes = try told + connection.append(news)
            return full
        }
    }
}

/// What is sent for one app, its batches encoded.
private enum PublicationDraft: Sendable {
    case notification(PushModel.Notification, [BatchDraft], Set<Lane>)
    case campaign(Campaign)

    init(_ part: Publication.Part) throws {
        switch part {
        case .campaign(let campaign): self = .campaign(campaign)
        case .notification(let notification, let batches):
            try notification.check(batches)
            // Encoded before the transaction, which keeps a connection and a lock.
            let drafts = batches.map { BatchDraft(PlannedBatch(batch: $0)) }
            self = .notification(notification, drafts, Set(batches.map(\.lane)))
        }
    }

    var app: AppID {
        switch self {
        case .notification(let notification, _, _): notification.app
        case .campaign(let campaign): campaign.app
        }
    }

    var id: APNsID {
        switch self {
        case .notification(let notification, _, _): notification.id.value
        case .campaign(let campaign): campaign.id.value
        }
    }
}

extension PostgresConnection {
    /// Queues that a message is kept until it was posted to all to whom it is to be.
    func insert(_ message: TopicMessage) throws {
        try self.queue(
            "INSERT INTO topic_messages (id, topic, content, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            [
                .id(message.id), .text(message.topic.rawValue), .bytes(message.content),
                .integer(message.createdAt.millisecondsSince1970),
            ]
        )
    }

    /// Has a message posted to subscribers that have a URL, and forgotten when none is left.
    ///
    /// - Returns: how many of them have a full queue, and are not posted to.
    fileprivate func deliver(_ message: TopicMessage, to subscriptions: [SubscriptionID]) throws -> Int {
        let row = try self.row(
            """
            WITH recipients AS MATERIALIZED (
                SELECT id, url, (
                    SELECT count(*) FROM (
                        SELECT FROM topic_deliveries WHERE topic_deliveries.subscription = subscriptions.id LIMIT $4
                    ) AS waiting
                ) AS count
                FROM subscriptions WHERE id = ANY($3::uuid[]) AND url IS NOT NULL
            ), added AS (
                INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
                SELECT $1, id, url, 0, $2 FROM recipients WHERE count < $4
            )
            SELECT count(*) AS count FROM recipients WHERE count >= $4
            """,
            [
                .id(message.id), .integer(message.createdAt.millisecondsSince1970),
                .ids(subscriptions.map(\.value)), .number(TopicQueue.maximumDeliveries),
            ]
        )
        try self.forgetIfDelivered(message.id)
        return try row?.number("count") ?? 0
    }

    /// Queues that a message is removed that is to be posted to nobody any more.
    func forgetIfDelivered(_ message: APNsID) throws {
        try self.queue(
            """
            DELETE FROM topic_messages WHERE id = $1 AND NOT EXISTS (SELECT FROM topic_deliveries WHERE message = $1)
            """,
            [.id(message)]
        )
    }
}
