// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// To whom a message is sent.
package enum PublishTarget: Hashable, Sendable {
    /// All subscriptions of a topic.
    case topic(TopicARN)
    case endpoint(EndpointARN)
}

/// The parameters of `Publish`.
package struct PublishRequest: Hashable, Sendable {
    package let target: PublishTarget
    /// The message, not yet checked.
    package let parameters: MessageParameters

    init(_ reader: inout ParameterReader, region: String?) throws(SNSError) {
        self.parameters = MessageParameters(&reader)
        try reader.finish()
        self.target = try Self.target(reader, region: region)
    }

    private static func target(_ reader: ParameterReader, region: String?) throws(SNSError) -> PublishTarget {
        let names = ["TopicArn", "TargetArn", "PhoneNumber"].filter { reader.text($0) != nil }
        guard names.count <= 1 else {
            throw .invalidParameter("TopicArn or TargetArn", reason: "only one of \(names.joined(separator: ", "))")
        }
        if let text = reader.text("TopicArn") { return .topic(try TopicARN(text, region: region)) }
        if let text = reader.text("TargetArn") {
            let arn = try ARN(text, parameter: "TargetArn", region: region)
            if arn.resource.hasPrefix("endpoint/") {
                return .endpoint(try EndpointARN(arn, parameter: "TargetArn"))
            }
            guard !arn.resource.contains("/") else {
                throw .invalidParameter("TargetArn", reason: "must be the ARN of an endpoint or of a topic")
            }
            return .topic(try TopicARN(arn, parameter: "TargetArn"))
        }
        guard reader.text("PhoneNumber") == nil else {
            throw .invalidParameter("PhoneNumber", reason: "text messages are not delivered by this server")
        }
        throw .invalidParameter("TopicArn or TargetArn", reason: "no value for required parameter")
    }
}

/// The parameters of `PublishBatch`.
///
/// Their number is checked at once; the entries by ``messages(limits:)``, when it is known that the topic is there.
package struct PublishBatchRequest: Hashable, Sendable {
    /// The longest id of an entry.
    static let maximumIDSize = 80

    package let topic: TopicARN
    private let entries: [Entry]

    private struct Entry: Hashable, Sendable {
        var id: String
        var parameters: MessageParameters
    }

    init(_ reader: inout ParameterReader, in context: SNSQueryRequest.Context) throws(SNSError) {
        let name = "PublishBatchRequestEntries"
        let nodes = try reader.requiredList(name)
        let path = reader.constraintPath(name)
        let arn = reader.required("TopicArn")
        var entries: [Entry] = []
        for (index, node) in nodes.prefix(context.limits.batchEntries).enumerated() {
            var entry = ParameterReader(node, path: "\(path).\(index + 1).member.")
            entries.append(Entry(id: entry.required("Id"), parameters: MessageParameters(&entry)))
            reader.add(entry)
        }
        try reader.finish()
        guard !nodes.isEmpty else {
            throw SNSError(.emptyBatchRequest, "The batch request doesn't contain any entries.")
        }
        guard nodes.count <= context.limits.batchEntries else {
            throw SNSError(
                .tooManyEntriesInBatchRequest,
                "The batch request contains more entries than permissible."
            )
        }
        self.topic = try TopicARN(arn, region: context.region)
        self.entries = entries
    }

    /// Checks the entries; one that is malformed fails all of them.
    ///
    /// - Throws: ``SNSError``.
    /// - Returns: ids and messages in the order of the call.
    package func messages(limits: SNSLimits) throws(SNSError) -> [(id: String, message: SNSMessage)] {
        guard Set(self.entries.map(\.id)).count == self.entries.count else {
            throw SNSError(.batchEntryIdsNotDistinct, "Two or more batch entries in the request have the same Id.")
        }
        for entry in self.entries { try Self.check(id: entry.id) }
        var messages: [(id: String, message: SNSMessage)] = []
        for entry in self.entries {
            let message = try entry.parameters.message(to: .topic(self.topic), limits: limits)
            messages.append((entry.id, message))
        }
        guard messages.reduce(0, { $0 + $1.message.size }) <= limits.messageBytes else {
            throw SNSError(
                .batchRequestTooLong,
                "The length of all the messages put together is more than the limit."
            )
        }
        return messages
    }

    private static func check(id: String) throws(SNSError) {
        guard id.count <= self.maximumIDSize else {
            throw SNSError(
                .invalidBatchEntryId,
                "The Id of a batch entry in the batch request is too long: \(id.prefix(200))"
            )
        }
        guard !id.isEmpty, id.utf8.allSatisfy(ResourceName.isWordByte) else {
            throw SNSError(
                .invalidBatchEntryId,
                "The Id of a batch entry in the batch request contains an impermissible character: \(id)"
            )
        }
    }
}
