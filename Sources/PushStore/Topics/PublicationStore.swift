// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Publishing to topics: which devices receive a message.
///
/// The publisher reads the `outline`, evaluates its filter policies, creates an `Audience.subscribers(_:)` for each
/// app, and stores notifications or campaigns with `publish`. Only HTTP subscriptions have a row for each subscriber
/// and message.
public protocol PublicationStore: Sendable {
    /// Returns the summary of a topic for a publication; with an `app`, only that app and no HTTP subscriptions.
    func outline(of name: TopicName, app: AppID?) async throws -> TopicSummary?

    /// Stores all parts of a publication in one transaction; they are durable when it returns.
    ///
    /// Notifications are accepted as by `BatchStore.accept`, campaigns created as by `CampaignStore.createCampaign`,
    /// with the same events and signals. Signals ``StoreChange/topicDeliveriesReady`` if there are deliveries to HTTP
    /// subscriptions. The same transaction stores `record`, with the app of the record's scope.
    /// - Returns: the number of HTTP subscriptions that do not receive the message because their queues are full.
    /// - Throws: ``StoreError`` `.conflict` if an ID is taken or there is a record under the same key; `.invalid` as
    ///   `accept`.
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

    /// The message to HTTP subscriptions; `nil` for none.
    public var message: TopicMessage?

    /// To whom it is posted; those that have been removed by then are passed over.
    public var recipients: [SubscriptionID]

    public init(parts: [Part] = [], message: TopicMessage? = nil, recipients: [SubscriptionID] = []) {
        self.parts = parts
        self.message = message
        self.recipients = recipients
    }
}
