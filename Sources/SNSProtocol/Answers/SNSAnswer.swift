// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a call is answered: a status, and a body in XML.
public struct SNSAnswer: Hashable, Sendable {
    static let namespace = "http://sns.amazonaws.com/doc/2010-03-31/"
    public static let contentType = "text/xml"
    /// The header that repeats the id of the request, a UUID.
    public static let requestIDHeader = "x-amzn-RequestId"

    /// The HTTP status.
    public let status: Int
    /// The body in UTF-8.
    public let body: [UInt8]

    /// The answer to a call that was carried out.
    public init(_ result: SNSResult, requestID: String) {
        let name = result.action.rawValue
        var writer = XMLWriter()
        writer.element("\(name)Response", xmlns: Self.namespace) { writer in
            if result.hasElement { result.write(into: &writer, named: "\(name)Result") }
            writer.element("ResponseMetadata") { $0.element("RequestId", requestID) }
        }
        self.status = 200
        self.body = writer.bytes
    }

    /// The answer to a call that was refused.
    public init(_ error: SNSError, requestID: String) {
        var writer = XMLWriter()
        writer.element("ErrorResponse", xmlns: Self.namespace) { writer in
            writer.element("Error") { writer in
                writer.element("Type", error.code.isSenderFault ? "Sender" : "Receiver")
                writer.element("Code", error.code.rawValue)
                writer.element("Message", error.message)
            }
            writer.element("RequestId", requestID)
        }
        self.status = error.code.status
        self.body = writer.bytes
    }
}

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
        public var application: ApplicationARN
        /// What is answered of it; see ``ApplicationAttributes/description(of:)``.
        public var attributes: [SNSAttribute]

        public init(application: ApplicationARN, attributes: [SNSAttribute]) {
            self.application = application
            self.attributes = attributes
        }
    }

    /// An entry of a batch that was accepted.
    public struct PublishedEntry: Hashable, Sendable {
        public var id: String
        /// The message's id, a UUID.
        public var messageID: String

        public init(id: String, messageID: String) {
            self.id = id
            self.messageID = messageID
        }
    }

    /// An entry of a batch that was not accepted.
    public struct FailedEntry: Hashable, Sendable {
        public var id: String
        public var error: SNSError

        public init(id: String, error: SNSError) {
            self.id = id
            self.error = error
        }
    }

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

extension SNSResult {
    /// Whether the answer has an element for the result.
    ///
    /// Most operations without output have none; those on tags have an empty one, which clients look for.
    var hasElement: Bool {
        switch self {
        case .done(let action): action == .tagResource || action == .untagResource
        default: true
        }
    }

    /// The element of the result.
    ///
    /// Lists are there even when they are empty: callers read them without asking.
    func write(into writer: inout XMLWriter, named name: String) {
        if case .done = self { return writer.empty(name) }
        writer.element(name) { self.writeMembers(into: &$0) }
    }

    private func writeMembers(into writer: inout XMLWriter) {
        switch self {
        case .done: break
        case .topic(let topic): writer.element("TopicArn", topic.description)
        case .topics(let topics, let next):
            writer.list("Topics", topics) { $0.element("TopicArn", $1.description) }
            writer.nextToken(next)
        case .subscribed(let arn): writer.element("SubscriptionArn", arn?.description ?? "pending confirmation")
        case .confirmed(let arn): writer.element("SubscriptionArn", arn.description)
        case .subscriptions(let subscriptions, let next), .subscriptionsByTopic(let subscriptions, let next):
            writer.list("Subscriptions", subscriptions) { $0.subscription($1) }
            writer.nextToken(next)
        case .attributes(_, let attributes): writer.attributes(attributes)
        case .application(let arn): writer.element("PlatformApplicationArn", arn.description)
        case .applications(let applications, let next):
            writer.list("PlatformApplications", applications) { writer, listing in
                writer.element("PlatformApplicationArn", listing.application.description)
                writer.attributes(listing.attributes)
            }
            writer.nextToken(next)
        case .endpoint(let arn): writer.element("EndpointArn", arn.description)
        case .endpoints(let endpoints, let next):
            writer.list("Endpoints", endpoints) { writer, endpoint in
                writer.element("EndpointArn", endpoint.endpoint.description)
                writer.attributes(endpoint.attributes)
            }
            writer.nextToken(next)
        case .published(let messageID, let sequenceNumber):
            writer.element("MessageId", messageID)
            if let sequenceNumber { writer.element("SequenceNumber", sequenceNumber) }
        case .publishedBatch(let successful, let failed):
            writer.list("Successful", successful) { writer, entry in
                writer.element("Id", entry.id)
                writer.element("MessageId", entry.messageID)
            }
            writer.list("Failed", failed) { $0.failedEntry($1) }
        case .tags(let tags):
            writer.list("Tags", tags) { writer, tag in
                writer.element("Key", tag.key)
                writer.element("Value", tag.value)
            }
        }
    }
}

extension XMLWriter {
    /// A list: an element with a `member` for each element.
    fileprivate mutating func list<Element>(
        _ name: String,
        _ elements: [Element],
        _ body: (inout XMLWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return self.empty(name) }
        self.element(name) { writer in
            for element in elements { writer.element("member") { body(&$0, element) } }
        }
    }

    /// A map: an element with an `entry` for each key.
    fileprivate mutating func attributes(_ attributes: [SNSAttribute]) {
        guard !attributes.isEmpty else { return self.empty("Attributes") }
        self.element("Attributes") { writer in
            for attribute in attributes {
                writer.element("entry") { writer in
                    writer.element("key", attribute.name)
                    writer.element("value", attribute.value)
                }
            }
        }
    }

    /// Where the next page begins; left out on the last one.
    fileprivate mutating func nextToken(_ token: String?) {
        if let token { self.element("NextToken", token) }
    }

    fileprivate mutating func subscription(_ description: SubscriptionDescription) {
        let arn = description.isPending ? "PendingConfirmation" : description.subscription.description
        self.element("SubscriptionArn", arn)
        self.element("Owner", description.subscription.topic.scope.account)
        self.element("Protocol", description.target.protocolName)
        self.element("Endpoint", description.target.text)
        self.element("TopicArn", description.subscription.topic.description)
    }

    fileprivate mutating func failedEntry(_ entry: SNSResult.FailedEntry) {
        self.element("Id", entry.id)
        self.element("Code", entry.error.code.rawValue)
        self.element("Message", entry.error.message)
        self.element("SenderFault", String(entry.error.code.isSenderFault))
    }
}
