// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: PublicationStore {
    public func outline(of name: TopicName, app: AppID?) async throws -> TopicOutline? {
        try await self.read { database in
            guard let topic = try database.topic(name, of: app) else { return nil }
            let apps = try database.rows(
                """
                SELECT apps.id AS id FROM topic_shares CROSS JOIN apps ON apps.number = topic_shares.app
                WHERE topic_shares.topic = ? ORDER BY apps.id
                """,
                [topic.id.rawValue]
            ).mapReadable(in: "apps") { try $0.identifier("id", AppID.self) }
            // A subscription whose policy is missing receives nothing, because its filter is unknown.
            let policies = try database.rows("SELECT * FROM topic_policies WHERE topic = ?", [topic.id.rawValue])
                .mapReadable(in: "topic_policies") { (try $0.int64("number"), try SubscriptionFilter(stored: $0)) }
            var urls: [Subscription] = []
            if app == nil, let share = try database.share(of: topic.id, app: nil) {
                urls = try database.subscriptionRows(
                    "share = ? AND state > 0 ORDER BY subscriptions.id LIMIT \(TopicOutline.maximumURLs)",
                    [share]
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
        var drafts: [NotificationDraft] = []
        var campaigns: [Campaign] = []
        for part in publication.parts {
            switch part {
            case .campaign(let campaign): campaigns.append(campaign)
            case .notification(let notification, let batches):
                try notification.check(batches)
                // Encoded before the transaction, which others wait for.
                let contents = batches.map { (batch: $0, kind: $0.kind, payload: $0.payload.encoded) }
                drafts.append(NotificationDraft(notification: notification, contents: contents))
            }
        }
        let batches = drafts.flatMap { $0.contents.map(\.batch) }
        let handOver = self.handOvers.offer(batches, now: drafts.first?.notification.createdAt ?? .distantPast)
        let isBulk = campaigns.isEmpty && !batches.isEmpty && batches.allSatisfy { $0.lane == .bulk }
        let claims: [BatchID: ClaimedBatch]
        let full: Int
        do {
            (claims, full) = try await self.write(in: isBulk ? .bulk : .urgent) {
                [drafts, campaigns] database, changes in
                // First, since it decides whether this is a repetition.
                if let record { try database.insert(record, app: database.requiredNumber(of: record.slot.app)) }
                // Not before the transaction has its turn, for which it may have waited long.
                let claims = handOver.lease()
                for draft in drafts {
                    try database.accept(
                        draft.notification,
                        draft.contents,
                        claims,
                        noting: nil,
                        signalling: &changes
                    )
                }
                for campaign in campaigns {
                    let app = try database.requiredNumber(of: campaign.app)
                    try database.create(campaign, app: app, signalling: &changes)
                }
                var full = 0
                if let message = publication.message, !publication.recipients.isEmpty {
                    try database.insert(message)
                    for recipient in publication.recipients {
                        if try database.deliver(message, to: recipient) { full += 1 }
                    }
                    // All may have been removed meanwhile.
                    try database.forgetIfDelivered(message.id.stored)
                    changes.append(.topicDeliveriesReady)
                }
                return (claims, full)
            }
        } catch {
            handOver.withdraw()
            throw error
        }
        handOver.complete(claims)
        return full
    }
}

/// A notification that is to be stored, its batches encoded.
private struct NotificationDraft: Sendable {
    let notification: PushModel.Notification
    let contents: [Database.EncodedBatch]
}

extension Database {
    /// Keeps a message until it was posted to all to whom it is to be; one that is kept already stays as it is.
    func insert(_ message: TopicMessage) throws {
        try self.run(
            "INSERT INTO topic_messages (id, topic, content, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                message.id.stored, message.topic.rawValue, message.content,
                message.createdAt.millisecondsSince1970,
            ]
        )
    }

    /// Removes a message that is to be posted to nobody any more.
    func forgetIfDelivered(_ message: [UInt8]) throws {
        try self.run(
            """
            DELETE FROM topic_messages WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM topic_deliveries WHERE message = ?1)
            """,
            [message]
        )
    }

    /// Has a message posted to a subscriber that has a URL, unless its queue is full.
    ///
    /// - Returns: whether its queue is full.
    fileprivate func deliver(_ message: TopicMessage, to subscription: SubscriptionID) throws -> Bool {
        let id = subscription.value.stored
        let waiting = try self.row(
            "SELECT count(*) AS count FROM (SELECT 1 FROM topic_deliveries WHERE subscription = ? LIMIT ?)",
            [id, TopicQueue.maximumDeliveries]
        )
        guard try waiting?.number("count") ?? 0 < TopicQueue.maximumDeliveries else { return true }
        try self.run(
            """
            INSERT INTO topic_deliveries (message, subscription, url, attempts, due_at)
            SELECT ?, id, url, 0, ? FROM subscriptions WHERE id = ? AND url IS NOT NULL
            """,
            [message.id.stored, message.createdAt.millisecondsSince1970, id]
        )
        return false
    }
}
