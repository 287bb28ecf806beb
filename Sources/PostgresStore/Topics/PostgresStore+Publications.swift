// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore: PublicationStore {
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
                    let row = CampaignRow(campaign)
                    try connection.insert(row, app: app)
                    news.add(row, from: nil, app: app, now: campaign.createdAt)
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
        try self.removeIfDelivered(message.id)
        return try row?.number("count") ?? 0
    }
}
