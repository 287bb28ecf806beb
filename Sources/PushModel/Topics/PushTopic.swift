// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that devices, users and URLs are subscribed to, and that is published to.
///
/// A topic belongs to no app: subscribers of several apps may have the same one. An app *has* a topic from when it was made
/// for the app, or something of the app was subscribed to it, until it is deleted for the app. Not to be taken for APNs'
/// own topics, which are the names of apps.
public struct PushTopic: Hashable, Sendable {
    /// The most attributes of a topic.
    public static let maximumAttributes = 64

    /// The most distinct filter policies that the subscriptions of a topic have, since all are looked at when something is
    /// published to it.
    public static let maximumPolicies = 10_000

    /// The most tags of a topic.
    public static let maximumTags = 50

    /// Its number, by which subscriptions and publications refer to it.
    public let id: TopicID

    /// Its name, unique on a server.
    public let name: TopicName

    /// What was set, such as `DisplayName`; what the names and values mean is known to whoever sets them.
    public var attributes: [String: String]

    /// Free labels: at most 50, with keys of 1 to 128 characters and values of 0 to 256.
    public var tags: [String: String]

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    /// Describes a topic.
    ///
    /// - Parameters:
    ///   - id: its number.
    ///   - name: its name.
    ///   - attributes: what was set.
    ///   - tags: free labels.
    ///   - createdAt: when it was made.
    public init(
        id: TopicID,
        name: TopicName,
        attributes: [String: String] = [:],
        tags: [String: String] = [:],
        createdAt: Date
    ) {
        self.id = id
        self.name = name
        self.attributes = attributes
        self.tags = tags
        self.createdAt = createdAt
    }
}
