// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
package import PushStore

/// Topics and subscriptions for checks.
package enum TopicSamples {
    /// The topic of most checks.
    package static let topic: TopicName = "news"

    /// Why a change is not made.
    package struct Refusal: Error {
        /// No reason at all.
        package init() {}
    }

    /// The subscription that is new.
    ///
    /// - Throws: ``ConformanceFailure`` when none is.
    package static func created(_ outcome: SubscribeOutcome) throws -> Subscription {
        if case .created(let subscription) = outcome { return subscription }
        return try require(nil, "a new subscription instead of \(outcome)")
    }

    /// A filter policy on the attribute `kind`.
    package static func filter(
        _ kind: String,
        scope: SubscriptionFilter.Scope = .messageAttributes
    ) -> SubscriptionFilter {
        SubscriptionFilter(policy: #"{"kind": ["\#(kind)"]}"#, scope: scope)
    }

    /// The subscription of a device that is named by a number.
    package static func device(
        _ number: Int,
        to topic: TopicName = TopicSamples.topic,
        app: AppID = StoreSamples.app,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:]
    ) -> Subscription {
        self.subscription(
            .device(app, InstallationID(unchecked: "device \(number)")),
            to: topic,
            filter: filter,
            attributes: attributes
        )
    }

    /// A subscription that is made at `now`.
    package static func subscription(
        _ subscriber: Subscriber,
        to topic: TopicName = TopicSamples.topic,
        filter: SubscriptionFilter? = nil,
        attributes: [String: String] = [:],
        state: Subscription.State = .confirmed(isAuthenticated: true),
        confirmation: [UInt8]? = nil,
        now: Date = StoreSamples.now
    ) -> Subscription {
        Subscription(
            id: SubscriptionID(now: now),
            topic: topic,
            subscriber: subscriber,
            filter: filter,
            attributes: attributes,
            state: state,
            confirmation: confirmation,
            createdAt: now
        )
    }
}

/// Checks are written against these shorter forms of the calls.
extension TopicStore where Self: SubscriptionStore & DeviceStore {
    /// Makes the sample topic, or another one.
    @discardableResult
    package func makeTopic(_ name: TopicName = TopicSamples.topic, for app: AppID? = nil) async throws -> PushTopic {
        try await self.createTopic(name, attributes: [:], tags: [:], for: app, now: StoreSamples.now).topic
    }

    /// Subscribes, with room for 10 filter policies.
    @discardableResult
    package func subscribe(_ subscription: Subscription) async throws -> SubscribeOutcome {
        try await self.subscribe(subscription, policyLimit: 10)
    }

    /// Registers devices of the sample app that are named by numbers, with the tokens of these numbers.
    package func addDevices(_ numbers: Range<Int>, profile: DeviceProfile = DeviceProfile()) async throws {
        for number in numbers {
            var registration = try StoreSamples.registration(number)
            registration.profile = profile
            try await self.register(registration, now: StoreSamples.now)
        }
    }
}
