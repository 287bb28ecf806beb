// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What came of a call.
public enum SNSResult: Hashable, Sendable {
    /// An operation that answers nothing but that it was carried out.
    case done(SNSAction)
    /// `CreateTopic`.
    case topic(TopicARN)
    /// `ListTopics`.
    case topics([TopicARN], nextToken: String?)
    /// `Subscribe`: the ARN, or `nil` while the subscription is not confirmed and the ARN was not asked for.
    case subscribed(SubscriptionARN?)
    /// `ConfirmSubscription`.
    case confirmed(SubscriptionARN)
    /// `ListSubscriptions`.
    case subscriptions([SubscriptionDescription], nextToken: String?)
    /// `ListSubscriptionsByTopic`.
    case subscriptionsByTopic([SubscriptionDescription], nextToken: String?)
    /// One of the operations whose names begin with `Get` and end in `Attributes`.
    case attributes(SNSAction, [SNSAttribute])
    /// `CreatePlatformApplication`.
    case application(ApplicationARN)
    /// `ListPlatformApplications`.
    case applications([ApplicationListing], nextToken: String?)
    /// `CreatePlatformEndpoint`.
    case endpoint(EndpointARN)
    /// `ListEndpointsByPlatformApplication`.
    case endpoints([EndpointDescription], nextToken: String?)
    /// `Publish`; `sequenceNumber` for FIFO topics alone.
    case published(messageID: String, sequenceNumber: String? = nil)
    /// `PublishBatch`.
    case publishedBatch(successful: [PublishedEntry], failed: [FailedEntry])
    /// `ListTagsForResource`.
    case tags([SNSTag])

    /// An application on a page of a list.
    public struct ApplicationListing: Hashable, Sendable {
        /// The application.
        public var application: ApplicationARN
        /// What is answered of it; see ``ApplicationAttributes/description(of:)``.
        public var attributes: [SNSAttribute]

        /// An application with its attributes.
        public init(application: ApplicationARN, attributes: [SNSAttribute]) {
            self.application = application
            self.attributes = attributes
        }
    }

    /// An entry of a batch that was accepted.
    public struct PublishedEntry: Hashable, Sendable {
        /// The entry's id.
        public var id: String
        /// The message's id, a UUID.
        public var messageID: String

        /// An entry and its message.
        public init(id: String, messageID: String) {
            self.id = id
            self.messageID = messageID
        }
    }

    /// An entry of a batch that was not accepted.
    public struct FailedEntry: Hashable, Sendable {
        /// The entry's id.
        public var id: String
        /// Why.
        public var error: SNSError

        /// An entry and its error.
        public init(id: String, error: SNSError) {
            self.id = id
            self.error = error
        }
    }

    /// The operation that this is the result of.
    public var action: SNSAction {
        switch self {
        case .done(let action), .attributes(let action, _): action
        case .topic: .createTopic
        case .topics: .listTopics
        case .subscribed: .subscribe
        case .confirmed: .confirmSubscription
        case .subscriptions: .listSubscriptions
        case .subscriptionsByTopic: .listSubscriptionsByTopic
        case .application: .createPlatformApplication
        case .applications: .listPlatformApplications
        case .endpoint: .createPlatformEndpoint
        case .endpoints: .listEndpointsByPlatformApplication
        case .published: .publish
        case .publishedBatch: .publishBatch
        case .tags: .listTagsForResource
        }
    }
}
