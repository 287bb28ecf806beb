// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Something that devices, users and URLs are subscribed to, and that is published to.
///
/// A topic belongs to no app: subscribers of several apps may have the same one. An app *has* a topic from when it was
/// made for the app, or something of the app was subscribed to it, until it is deleted for the app. Not to be taken for
/// APNs' own topics, which are the names of apps.
public struct PushTopic: Hashable, Sendable {
    /// The most distinct filter policies that the subscriptions of a topic have, since all are looked at when something
    /// is published to it.
    public static let maximumPolicies = 10_000

    public static let maximumTags = 50

    /// Its number, which subscriptions and publications refer to.
    public let id: TopicID

    /// Its name, unique on a server.
    public let name: TopicName

    /// The attributes, such as `DisplayName`; their meaning is known only to the caller that sets them.
    public var attributes: [String: String]

    /// Free labels: at most 50, with keys of 1 to 128 characters and values of 0 to 256.
    public var tags: [String: String]

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

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

/// A message to the HTTP subscriptions of a topic, stored once for all of them until it was posted to each.
public struct TopicMessage: Hashable, Sendable {
    /// Identifies the message; subscribers receive it.
    public let id: APNsID

    public let topic: TopicName

    /// The data for the delivery, in an opaque form: at most 1 MiB.
    public let content: [UInt8]

    /// When it was published; kept to the millisecond.
    public let createdAt: Date

    public init(id: APNsID, topic: TopicName, content: [UInt8], createdAt: Date) {
        self.id = id
        self.topic = topic
        self.content = content
        self.createdAt = createdAt
    }
}
