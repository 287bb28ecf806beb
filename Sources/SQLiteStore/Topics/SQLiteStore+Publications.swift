// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: PublicationStore {
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
                    try database.removeIfDelivered(message.id)
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
