// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is posted to the URLs that are subscribed to a topic, kept once for all of them until each was posted to.
public struct TopicMessage: Hashable, Sendable {
    /// Names the message; a URL is told it.
    public let id: APNsID

    /// The topic that it was published to.
    public let topic: TopicName

    /// What whoever posts it needs to know of it, in a form of its own: at most 1 MiB.
    public let content: [UInt8]

    /// When it was published; kept to the millisecond.
    public let createdAt: Date

    /// Describes a message.
    ///
    /// - Parameters:
    ///   - id: its name.
    ///   - topic: the topic.
    ///   - content: what whoever posts it needs to know of it.
    ///   - createdAt: when it was published.
    public init(id: APNsID, topic: TopicName, content: [UInt8], createdAt: Date) {
        self.id = id
        self.topic = topic
        self.content = content
        self.createdAt = createdAt
    }
}
