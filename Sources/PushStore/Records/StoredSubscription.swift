// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

/// How subscriptions are written down, alike in all stores: state 0 pending, 1 confirmed by anybody, 2 by a key.
extension Subscription {
    /// Reads the columns of the table `subscriptions`, and `topic_name`, `app_id`, `installation`, `policy_scope` and
    /// `policy_text`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        guard let id = APNsID(stored: try row.blob("id")) else { throw StoreError.damaged("subscription") }
        var filter: SubscriptionFilter?
        if let policy = try row.text("policy_text") {
            guard let scope = SubscriptionFilter.Scope(rawValue: try row.string("policy_scope")) else {
                throw StoreError.damaged("filter policy")
            }
            filter = SubscriptionFilter(policy: policy, scope: scope)
        }
        self.init(
            id: SubscriptionID(id),
            topic: try row.identifier("topic_name"),
            subscriber: try Subscriber(stored: row),
            filter: filter,
            attributes: try row.text("attributes").map(TopicTexts.decode) ?? [:],
            state: try State(stored: try row.number("state")),
            confirmation: try row.bytes("confirmation"),
            createdAt: try row.date("created_at")
        )
    }

    /// What the column `attributes` holds; `nil` for none, as most have.
    package var storedAttributes: String? {
        get throws { self.attributes.isEmpty ? nil : try TopicTexts.encode(self.attributes) }
    }

    /// The subscription as it is stored.
    package var kept: Subscription {
        Subscription(
            id: self.id,
            topic: self.topic,
            subscriber: self.subscriber,
            filter: self.filter,
            attributes: self.attributes,
            state: self.state,
            confirmation: self.confirmation,
            createdAt: self.createdAt.keptToMilliseconds
        )
    }
}

extension Subscriber {
    fileprivate init(stored row: some StoredRow) throws {
        if let url = try row.text("url") {
            self = .url(url)
        } else if try row.text("user_id") != nil {
            self = .user(try row.identifier("app_id"), try row.identifier("user_id"))
        } else {
            self = .device(try row.identifier("app_id"), try row.identifier("installation"))
        }
    }
}

extension Subscription.State {
    /// What the column `state` holds.
    package var stored: Int {
        switch self {
        case .pending: 0
        case .confirmed(isAuthenticated: false): 1
        case .confirmed(isAuthenticated: true): 2
        }
    }

    fileprivate init(stored number: Int) throws {
        switch number {
        case 0: self = .pending
        case 1: self = .confirmed(isAuthenticated: false)
        case 2: self = .confirmed(isAuthenticated: true)
        default: throw StoreError.damaged("subscription")
        }
    }
}

extension Page where Element == Subscription, Cursor == SubscriptionID {
    /// Makes one page of the lists of several shares of a topic, each with up to `limit + 1` subscriptions in their order.
    package init(lists: [[Subscription]], limit: Int) {
        let sorted = lists.count == 1 ? lists[0] : lists.flatMap(\.self).sorted { $0.id < $1.id }
        self.init(overfull: Array(sorted.prefix(limit + 1)), limit: limit, cursor: \.id)
    }
}
