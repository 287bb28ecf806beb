// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore
public import SNSProtocol

/// What somebody wants to publish to a topic.
public struct PublicationDraft: Sendable {
    /// The topic.
    public var topic: TopicName

    /// The app whose subscribers alone get it; `nil` for all, those of URLs included.
    public var app: AppID?

    /// The attributes of the message, for filter policies.
    public var attributes: [String: MessageAttribute]

    /// The message itself, for filter policies that look into it; those match nothing that is no JSON object.
    public var body: String

    /// What each of some apps' subscribers receive.
    ///
    /// An app may come more than once, for different subscribers of it, or not at all. It is called once, with the apps that
    /// have the topic, in the order of their ids.
    public var contents: @Sendable (_ apps: [AppID]) async throws -> [AppContent]

    /// Makes what the store keeps of the message for URLs, or `nil`, which posts them nothing.
    ///
    /// It is called once if there are any.
    public var urlContent: (@Sendable () throws -> [UInt8])?

    /// Describes a publication.
    ///
    /// - Parameters:
    ///   - topic: the topic.
    ///   - app: the app whose subscribers alone get it, or `nil`.
    ///   - attributes: the attributes of the message.
    ///   - body: the message itself.
    ///   - urlContent: makes what the store keeps of the message for URLs, or `nil`.
    ///   - contents: what each of some apps' subscribers receive.
    public init(
        topic: TopicName,
        app: AppID? = nil,
        attributes: [String: MessageAttribute] = [:],
        body: String,
        urlContent: (@Sendable () throws -> [UInt8])? = nil,
        contents: @escaping @Sendable (_ apps: [AppID]) async throws -> [AppContent]
    ) {
        self.topic = topic
        self.app = app
        self.attributes = attributes
        self.body = body
        self.urlContent = urlContent
        self.contents = contents
    }
}

/// What a publication comes to.
public struct PublicationReceipt: Hashable, Sendable {
    /// What is sent for each app, in the order of the contents; nothing for those without subscribers that want it.
    public var parts: [Publication.Part]

    /// To how many URLs it is posted.
    public var urls: Int

    /// To how many URLs it is not posted, since as much waits for them as may.
    public var fullQueues = 0

    /// The id that URLs are told: that of the first notification, or one of its own; `nil` when there are no URLs.
    public var message: NotificationID?

    /// The ids of what is sent, by which it is looked up: of a campaign its own, which is that of its notification.
    public var notifications: [NotificationID] {
        self.parts.map { part in
            switch part {
            case .notification(let notification, _): notification.id
            case .campaign(let campaign): campaign.id.notification
            }
        }
    }
}
