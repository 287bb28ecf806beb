// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Publishing to topics: who is to get a message, and that it is sent.
///
/// Whoever publishes reads the `outline`, evaluates its filter policies, makes an `Audience.subscribers(_:)` for each
/// app, and stores notifications or campaigns by `publish`. Only URLs have a row for each subscriber and message.
public protocol PublicationStore: Sendable {
    /// What has to be known of a topic to publish to it; with an `app`, only that app and no URLs.
    func outline(of name: TopicName, app: AppID?) async throws -> TopicOutline?

    /// Stores all that a publication comes to, in one transaction; durably when it returns.
    ///
    /// Notifications are accepted as by `BatchStore.accept`, campaigns created as by `CampaignStore.createCampaign`,
    /// with the same events and signals. Signals ``StoreChange/topicDeliveriesReady`` when there is something to post.
    /// The same transaction stores `record`, with the app of the record's scope.
    /// - Returns: how many recipients the message is not posted to since their queues are full.
    /// - Throws: ``StoreError`` `.conflict` if an ID is taken or there is a record under the same key; `.invalid` as
    ///   `accept` does.
    @discardableResult
    func publish(_ publication: Publication, noting record: IdempotencyRecord?) async throws -> Int
}

public struct Publication: Hashable, Sendable {
    public enum Part: Hashable, Sendable {
        /// A few devices: a notification with its batches.
        case notification(PushModel.Notification, [Batch])

        /// Many: a campaign, which is planned step by step.
        case campaign(Campaign)
    }

    public var parts: [Part]

    /// What is posted to URLs; `nil` for nothing.
    public var message: TopicMessage?

    /// To whom it is posted; those that have been removed by then are passed over.
    public var recipients: [SubscriptionID]

    public init(parts: [Part] = [], message: TopicMessage? = nil, recipients: [SubscriptionID] = []) {
        self.parts = parts
        self.message = message
        self.recipients = recipients
    }
}
