// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A topic as it is written.
struct TopicBody: Encodable {
    /// How many of the app's devices and users are subscribed to it.
    struct Subscriptions: Encodable {
        let count: Int
    }

    let name: String
    let displayName: String?
    let tags: [String: String]
    let createdAt: Date
    var subscriptions: Subscriptions?

    init(_ topic: PushTopic, counts: SubscriptionCounts? = nil) {
        self.name = topic.name.rawValue
        self.displayName = topic.attributes[TopicRequest.displayName]
        self.tags = topic.tags
        self.createdAt = topic.createdAt
        self.subscriptions = counts.map { Subscriptions(count: $0.confirmed) }
    }
}

/// A part of an app's topics as it is written.
struct TopicListBody: Encodable {
    let topics: [TopicBody]
    let next: String?
}
