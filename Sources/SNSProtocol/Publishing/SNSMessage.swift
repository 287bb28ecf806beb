// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A message that was checked.
public struct SNSMessage: Hashable, Sendable {
    /// The text as it was published.
    public let text: String
    /// The subject, 1...100 characters; only subscribers by URL see it.
    public let subject: String?
    /// The attributes by their names.
    public let attributes: [String: MessageAttribute]
    /// The texts for each protocol, when the message has `MessageStructure=json`.
    public let structure: MessageStructure?
    /// The group of a message to a FIFO topic.
    public let groupID: String?
    /// What tells two messages to a FIFO topic apart.
    public let deduplicationID: String?

    /// A message that was checked before, from a store.
    ///
    /// - Parameters:
    ///   - text: the text as it was published.
    ///   - subject: the subject.
    ///   - attributes: the attributes by their names.
    ///   - structure: what the text is when it holds one for each protocol.
    ///   - groupID: the group of a message to a FIFO topic.
    ///   - deduplicationID: what tells two messages to a FIFO topic apart.
    public init(
        text: String,
        subject: String? = nil,
        attributes: [String: MessageAttribute] = [:],
        structure: MessageStructure? = nil,
        groupID: String? = nil,
        deduplicationID: String? = nil
    ) {
        self.text = text
        self.subject = subject
        self.attributes = attributes
        self.structure = structure
        self.groupID = groupID
        self.deduplicationID = deduplicationID
    }

    /// The size that SNS limits, in bytes: the text, and of each attribute name, type and value.
    public var size: Int {
        self.attributes.reduce(self.text.utf8.count) { $0 + $1.key.utf8.count + $1.value.size }
    }

    /// The text for a protocol such as `http`: the entry of its name, or the default.
    ///
    /// - Parameter name: the protocol.
    /// - Returns: `nil` for a structure without both.
    public func text(forProtocol name: String) -> String? {
        guard let structure = self.structure else { return self.text }
        return structure[name] ?? structure.defaultText
    }

    /// The message for filter policies.
    ///
    /// - Parameter includingBody: whether one of the policies looks at the body.
    /// - Returns: what ``FilterPolicy/matches(_:)`` takes.
    public func filterable(includingBody: Bool) -> FilterableMessage {
        FilterableMessage(attributes: self.attributes, body: includingBody ? self.text : nil)
    }
}

extension SNSMessage: CustomStringConvertible {
    /// The size alone: what users are told does not belong in a log.
    public var description: String { "message of \(self.size) bytes" }
}
