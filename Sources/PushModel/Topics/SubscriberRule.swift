// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The devices of an app that get one publication: those that are subscribed to a topic, themselves or by their users, with
/// one of the filter policies that the message has passed, and those that told the topic's name in their profile.
///
/// A topic that was deleted has none.
public struct SubscriberRule: Hashable, Sendable {
    /// Stands among ``policies`` for subscriptions without a policy, and for what devices told.
    public static let noPolicy: Int64 = 0

    /// The topic.
    public var topic: TopicID

    /// The numbers of the policies, in rising order; ``noPolicy`` for no policy.
    public var policies: [Int64]

    /// Takes a topic and the policies that count, in any order.
    public init(topic: TopicID, policies: some Sequence<Int64>) {
        self.topic = topic
        self.policies = Set(policies).sorted()
    }

    /// Whether what devices told in their profiles counts.
    public var countsProfiles: Bool { self.policies.first == Self.noPolicy }
}
