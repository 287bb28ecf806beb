// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
