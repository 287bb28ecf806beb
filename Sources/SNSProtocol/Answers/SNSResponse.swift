// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The response to a call: a status, and a body in XML.
package struct SNSResponse: Hashable, Sendable {
    static let namespace = "http://sns.amazonaws.com/doc/2010-03-31/"
    package static let contentType = "text/xml"
    /// The header that repeats the id of the request, a UUID.
    package static let requestIDHeader = "x-amzn-RequestId"

    /// The HTTP status.
    package let status: Int
    /// The body in UTF-8.
    package let body: [UInt8]

    /// The answer to a call that was carried out.
    package init(_ result: SNSResult, requestID: String) {
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
    package init(_ error: SNSError, requestID: String) {
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

/// The result of a call.
package enum SNSResult: Hashable, Sendable {
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
    package struct ApplicationListing: Hashable, Sendable {
        package var application: ApplicationARN
        /// Its attributes in the response; see ``ApplicationAttributes/description(of:)``.
        package var attributes: [SNSAttribute]

        package init(application: ApplicationARN, attributes: [SNSAttribute]) {
            self.application = application
            self.attributes = attributes
        }
    }

    /// An entry of a batch that was accepted.
    package struct PublishedEntry: Hashable, Sendable {
        package var id: String
        /// The message's id, a UUID.
        package var messageID: String

        package init(id: String, messageID: String) {
            self.id = id
            self.messageID = messageID
        }
    }

    /// An entry of a batch that was not accepted.
    package struct FailedEntry: Hashable, Sendable {
        package var id: String
        package var error: SNSError

        package init(id: String, error: SNSError) {
            self.id = id
            self.error = error
        }
    }

    package var action: SNSAction {
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

/// All that `GetSubscriptionAttributes` and the lists answer of a subscription.
package struct SubscriptionDescription: Hashable, Sendable {
    package var subscription: SubscriptionARN
    package var target: SubscriptionTarget
    package var settings: SubscriptionSettings
    /// Whether it waits for its confirmation.
    package var isPending: Bool
    /// Whether its confirmation was signed; true of every endpoint.
    package var isAuthenticated: Bool
    /// The ARN of who subscribed; `nil` leaves it out.
    package var principal: String?
    package var topicPolicy: DeliveryPolicy

    package static let notFound = SNSError(.notFound, "Subscription does not exist")

    package init(
        subscription: SubscriptionARN,
        target: SubscriptionTarget,
        settings: SubscriptionSettings = SubscriptionSettings(),
        isPending: Bool = false,
        isAuthenticated: Bool = true,
        principal: String? = nil,
        topicPolicy: DeliveryPolicy = DeliveryPolicy()
    ) {
        self.subscription = subscription
        self.target = target
        self.settings = settings
        self.isPending = isPending
        self.isAuthenticated = isAuthenticated
        self.principal = principal
        self.topicPolicy = topicPolicy
    }

    /// The attributes, in the order of their names; the scope is shown only beside a policy.
    package var attributes: [SNSAttribute] {
        var values = self.settings.values
        values["FilterPolicyScope"] = values["FilterPolicy"].map { _ in self.settings.scope.rawValue }
        values["SubscriptionArn"] = self.subscription.description
        values["TopicArn"] = self.subscription.topic.description
        values["Endpoint"] = self.target.text
        values["Protocol"] = self.target.protocolName
        values["Owner"] = self.subscription.topic.scope.account
        values["PendingConfirmation"] = String(self.isPending)
        values["ConfirmationWasAuthenticated"] = String(self.isAuthenticated && !self.isPending)
        values["RawMessageDelivery"] = String(self.settings.isRaw)
        values["SubscriptionPrincipal"] = self.principal
        if case .url = self.target {
            values["EffectiveDeliveryPolicy"] =
                self.topicPolicy.overridden(by: self.settings.deliveryPolicy).subscriptionJSON
        }
        return values.map { SNSAttribute(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }
}

/// All that `GetTopicAttributes` answers of a topic.
package struct TopicDescription: Hashable, Sendable {
    package var topic: TopicARN
    package var settings: TopicSettings
    /// How many subscriptions are confirmed.
    package var confirmed: Int
    /// How many wait for their confirmation.
    package var pending: Int
    /// How many were removed.
    package var deleted: Int

    package static let notFound = SNSError(.notFound, "Topic does not exist")

    /// The error of the tag operations for an unknown topic.
    package static let resourceNotFound = SNSError(.resourceNotFound, "Resource does not exist")

    package init(topic: TopicARN, settings: TopicSettings, confirmed: Int, pending: Int, deleted: Int = 0) {
        self.topic = topic
        self.settings = settings
        self.confirmed = confirmed
        self.pending = pending
        self.deleted = deleted
    }

    /// The attributes, in the order of their names.
    package var attributes: [SNSAttribute] {
        var values = self.settings.values
        values["TopicArn"] = self.topic.description
        values["Owner"] = self.topic.scope.account
        values["DisplayName"] = values["DisplayName"] ?? ""
        values["Policy"] = values["Policy"] ?? Self.defaultPolicy(of: self.topic)
        values["EffectiveDeliveryPolicy"] = self.settings.deliveryPolicy.topicJSON
        values["SubscriptionsConfirmed"] = String(self.confirmed)
        values["SubscriptionsPending"] = String(self.pending)
        values["SubscriptionsDeleted"] = String(self.deleted)
        if self.topic.isFIFO {
            values["ContentBasedDeduplication"] = values["ContentBasedDeduplication"] ?? "false"
        }
        return values.map { SNSAttribute(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The policy that a topic begins with: its own account may do everything.
    static func defaultPolicy(of topic: TopicARN) -> String {
        let actions = [
            "GetTopicAttributes", "SetTopicAttributes", "AddPermission", "RemovePermission", "DeleteTopic", "Subscribe",
            "ListSubscriptionsByTopic", "Publish",
        ]
        var writer = JSONWriter()
        writer.beginObject()
        writer.members([("Version", "2008-10-17"), ("Id", "__default_policy_ID")])
        writer.key("Statement")
        writer.beginArray()
        writer.beginObject()
        writer.members([("Sid", "__default_statement_ID"), ("Effect", "Allow")])
        writer.key("Principal")
        writer.object([("AWS", "*")])
        writer.key("Action")
        writer.beginArray()
        for action in actions { writer.string("SNS:\(action)") }
        writer.endArray()
        writer.members([("Resource", topic.description)])
        writer.key("Condition")
        writer.beginObject()
        writer.key("StringEquals")
        writer.object([("AWS:SourceOwner", topic.scope.account)])
        writer.endObject()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Whether a policy is the initial one of a topic, regardless of the order of its members.
    static func isDefaultPolicy(_ text: String, of arn: String) -> Bool {
        guard let topic = try? TopicARN(arn, region: nil) else { return false }
        let policies = [text, self.defaultPolicy(of: topic)].map { try? JSONValue(json: Array($0.utf8)) }
        guard let policy = policies[0], let usual = policies[1] else { return false }
        return self.normalized(policy) == self.normalized(usual)
    }

    /// A policy of one statement with its operations in order, and without one that SNS no longer includes.
    private static func normalized(_ policy: JSONValue) -> JSONValue {
        guard case .object(var members) = policy, case .array(let statements)? = members["Statement"],
            statements.count == 1, case .object(var statement) = statements[0],
            case .array(let actions)? = statement["Action"]
        else { return policy }
        let names = Set(
            actions.compactMap { action -> String? in
                if case .string(let name) = action { name } else { nil }
            }
        )
        statement["Action"] = .array(names.subtracting(["SNS:Receive"]).sorted().map(JSONValue.string))
        members["Statement"] = .array([.object(statement)])
        return .object(members)
    }
}
