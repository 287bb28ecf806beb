// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// To whom a message is sent.
public enum PublishTarget: Hashable, Sendable {
    /// All subscriptions of a topic.
    case topic(TopicARN)
    case endpoint(EndpointARN)
}

/// The parameters of `Publish`.
public struct PublishRequest: Hashable, Sendable {
    public let target: PublishTarget
    /// The message, not yet checked.
    public let parameters: MessageParameters

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
                return .endpoint(try EndpointARN(text, parameter: "TargetArn", region: region))
            }
            guard !arn.resource.contains("/") else {
                throw .invalidParameter("TargetArn", reason: "must be the ARN of an endpoint or of a topic")
            }
            return .topic(try TopicARN(text, parameter: "TargetArn", region: region))
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
public struct PublishBatchRequest: Hashable, Sendable {
    /// The longest id of an entry.
    static let maximumIDSize = 80

    public let topic: TopicARN
    private let entries: [Entry]

    private struct Entry: Hashable, Sendable {
        var id: String
        var parameters: MessageParameters
    }

    init(_ reader: inout ParameterReader, in context: SNSCall.Context) throws(SNSError) {
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
    public func messages(limits: SNSLimits) throws(SNSError) -> [(id: String, message: SNSMessage)] {
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

/// The parameters of one message, of `Publish` or of an entry of a batch, before they are checked.
///
/// They are checked by ``message(to:limits:)`` only when it is known that there is somebody to take the message: that is
/// the order in which SNS finds faults.
public struct MessageParameters: Hashable, Sendable {
    let text: String
    let subject: String?
    let structure: String?
    let groupID: String?
    let deduplicationID: String?
    private let attributeFields: Result<[String: MessageAttribute], SNSError>

    init(_ reader: inout ParameterReader) {
        self.text = reader.required("Message")
        self.subject = reader.text("Subject")
        self.structure = reader.text("MessageStructure")
        self.groupID = reader.text("MessageGroupId")
        self.deduplicationID = reader.text("MessageDeduplicationId")
        let path = reader.constraintPath("MessageAttributes")
        let source = reader
        self.attributeFields = Result { () throws(SNSError) in
            try MessageAttributeRule.attributes(source.entries("MessageAttributes") ?? [], path: path)
        }
    }

    /// Checks the message.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` or `ParameterValueInvalid`.
    public func message(to target: PublishTarget, limits: SNSLimits) throws(SNSError) -> SNSMessage {
        let attributes = try self.attributeFields.get()
        guard !self.text.isEmpty else { throw .invalidParameter("Empty message") }
        if let subject = self.subject { try Self.checkSubject(subject) }
        try self.checkFIFO(target)
        let message = SNSMessage(
            text: self.text,
            subject: self.subject,
            attributes: attributes,
            structure: try self.structure(for: target),
            groupID: self.groupID,
            deduplicationID: self.deduplicationID
        )
        guard message.size <= limits.messageBytes else { throw .invalidParameter("Message too long") }
        return message
    }

    private func structure(for target: PublishTarget) throws(SNSError) -> MessageStructure? {
        switch self.structure {
        case nil: return nil
        case "json"?:
            let structure = try MessageStructure(json: self.text)
            try structure.check(for: target)
            return structure
        case let name?:
            throw .invalidParameter("MessageStructure", reason: "must be json or absent, got '\(name.cut)'")
        }
    }

    private func checkFIFO(_ target: PublishTarget) throws(SNSError) {
        if case .topic(let topic) = target, topic.isFIFO {
            guard self.groupID?.isEmpty == false else {
                throw .invalidParameter("The MessageGroupId parameter is required for FIFO topics")
            }
            return
        }
        guard self.deduplicationID == nil else {
            throw .invalidParameter(
                "MessageDeduplicationId",
                reason: "The request includes MessageDeduplicationId parameter that is not valid for this topic type"
            )
        }
    }

    private static func checkSubject(_ subject: String) throws(SNSError) {
        let isPlain = subject.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        guard (1...100).contains(subject.count), isPlain, subject.first?.isWhitespace == false else {
            throw .invalidParameter("Subject")
        }
    }
}

extension MessageParameters: CustomStringConvertible, CustomDebugStringConvertible {
    /// The size alone: what users are told does not belong in a log.
    public var description: String { "message of \(self.text.utf8.count) bytes, not yet checked" }

    public var debugDescription: String { self.description }
}
