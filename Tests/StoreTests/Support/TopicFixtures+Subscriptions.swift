// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TopicFixtures {
    /// The subscription that is new.
    ///
    /// - Throws: an error of Swift Testing when none is.
    static func created(_ outcome: SubscribeResult) throws -> Subscription {
        let subscription: Subscription? = if case .created(let created) = outcome { created } else { nil }
        return try #require(subscription, "subscribing came to \(outcome)")
    }

    /// A filter policy on the attribute `kind`.
    static func filter(
        _ kind: String,
        scope: SubscriptionFilter.Scope = .messageAttributes
    ) -> SubscriptionFilter {
        SubscriptionFilter(policy: #"{"kind": ["\#(kind)"]}"#, scope: scope)
    }

    /// The subscription of a device that is named by a number.
    static func device(
        _ number: Int,
        to topic: TopicName = TopicFixtures.topic,
        app: AppID = StoreFixtures.app,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:]
    ) -> Subscription {
        self.subscription(
            .device(app, DeviceID(unchecked: "device \(number)")),
            to: topic,
            filter: filter,
            attributes: attributes
        )
    }

    /// A subscription that is made at `now`.
    static func subscription(
        _ subscriber: Subscriber,
        to topic: TopicName = TopicFixtures.topic,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:],
        state: Subscription.State = .confirmed(isAuthenticated: true),
        confirmation: [UInt8]? = nil,
        sealedUser: [UInt8]? = nil,
        now: Date = StoreFixtures.now
    ) -> Subscription {
        Subscription(
            id: SubscriptionID(now: now),
            topic: topic,
            subscriber: subscriber,
            filter: filter,
            attributes: attributes,
            state: state,
            confirmation: confirmation,
            sealedUser: sealedUser,
            createdAt: now
        )
    }
}

/// Shorter forms of the calls, for tests.
extension TopicStore where Self: SubscriptionStore & DeviceStore {
    /// Makes the sample topic, or another one.
    @discardableResult
    func makeTopic(_ name: TopicName = TopicFixtures.topic, for app: AppID? = nil) async throws -> PushTopic {
        try await self.createTopic(name, attributes: [:], tags: [:], for: app, now: StoreFixtures.now).topic
    }

    /// Subscribes, with room for 10 filter policies.
    @discardableResult
    func subscribe(_ subscription: Subscription) async throws -> SubscribeResult {
        try await self.subscribe(subscription, policyLimit: 10)
    }

    /// Registers devices of the sample app that are named by numbers, with the tokens of these numbers.
    func addDevices(_ numbers: Range<Int>, profile: DeviceProfile = DeviceProfile()) async throws {
        for number in numbers {
            var registration = try StoreFixtures.registration(number)
            registration.profile = profile
            try await self.register(registration, now: StoreFixtures.now)
        }
    }
}
