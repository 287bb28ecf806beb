// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The parameters of one message, of `Publish` or of an entry of a batch, before their validation.
///
/// ``message(to:limits:)`` validates them only if there is a recipient: SNS finds errors in this order.
package struct MessageParameters: Hashable, Sendable {
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
        let source = reader
        self.attributeFields = Result { () throws(SNSError) -> [String: MessageAttribute] in
            guard let entries = try source.entries("MessageAttributes") else { return [:] }
            return try MessageAttributeValidator.attributes(entries, path: source.constraintPath("MessageAttributes"))
        }
    }

    /// Checks the message.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` or `ParameterValueInvalid`.
    package func message(to target: PublishTarget, limits: SNSLimits) throws(SNSError) -> SNSMessage {
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
    /// Only the size: the content for users must not be in a log.
    package var description: String { "message of \(self.text.utf8.count) bytes, not yet checked" }

    package var debugDescription: String { self.description }
}
