// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A subscription of a device or a user as it is written.
struct SubscriptionBody: Encodable {
    let id: SubscriptionID
    let topic: String
    let device: String?
    let user: String?
    let filter: JSONValue?
    let filterScope: String?
    let createdAt: Date

    init(_ subscription: Subscription) {
        self.id = subscription.id
        self.topic = subscription.topic.rawValue
        switch subscription.subscriber {
        case .device(_, let installation):
            self.device = installation.rawValue
            self.user = nil
        case .user(_, let user):
            self.device = nil
            self.user = user.rawValue
        case .url:
            self.device = nil
            self.user = nil
        }
        self.filter = subscription.filter.flatMap { try? JSONValue(json: Array($0.policy.utf8)) }
        self.filterScope = subscription.filter.map { FilterScopeWord($0.scope).rawValue }
        self.createdAt = subscription.createdAt
    }
}

/// A part of a list of subscriptions as it is written.
struct SubscriptionListBody: Encodable {
    let subscriptions: [SubscriptionBody]
    let next: String?

    init(_ page: [Subscription], next: SubscriptionID?) {
        self.subscriptions = page.map(SubscriptionBody.init)
        self.next = next?.description
    }
}
