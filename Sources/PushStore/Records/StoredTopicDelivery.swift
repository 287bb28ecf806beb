// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

extension TopicDelivery {
    /// Reads the columns of the table `topic_deliveries`, and `topic`, `content` and `created_at` of its message.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - subscription: finds the subscription that it is about.
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow, subscription: (SubscriptionID) throws -> Subscription?) throws {
        guard let message = APNsID(stored: try row.blob("message")),
            let about = APNsID(stored: try row.blob("subscription")).map({ SubscriptionID($0) })
        else { throw StoreError.damaged("delivery") }
        self.init(
            id: TopicDeliveryID(rawValue: Int64(try row.number("number"))),
            message: TopicMessage(
                id: message,
                topic: try row.identifier("topic"),
                content: try row.blob("content"),
                createdAt: try row.date("created_at")
            ),
            subscriptionID: about,
            subscription: try subscription(about),
            url: try row.string("url"),
            attempts: try row.number("attempts")
        )
    }
}
