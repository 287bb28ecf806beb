// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A message that was checked.
package struct SNSMessage: Hashable, Sendable {
    /// The text as it was published.
    package let text: String
    /// The subject, 1...100 characters; only subscribers by URL see it.
    package let subject: String?
    package let attributes: [String: MessageAttribute]
    /// The texts for each protocol, when the message has `MessageStructure=json`.
    package let structure: MessageStructure?
    /// The group of a message to a FIFO topic.
    package let groupID: String?
    /// Distinguishes messages to a FIFO topic.
    package let deduplicationID: String?

    /// A message that was checked before, from a store.
    package init(
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
    package var size: Int {
        self.attributes.reduce(self.text.utf8.count) { $0 + $1.key.utf8.count + $1.value.size }
    }

    /// The text for a protocol such as `http`: the entry of its name, or the default.
    ///
    /// - Returns: `nil` for a structure without both.
    package func text(forProtocol name: String) -> String? {
        guard let structure = self.structure else { return self.text }
        return structure[name] ?? structure.defaultText
    }
}

extension SNSMessage: CustomStringConvertible {
    /// Only the size: the content for users must not be in a log.
    package var description: String { "message of \(self.size) bytes" }
}

/// A message with a text for each protocol: `MessageStructure=json`.
package struct MessageStructure: Hashable, Sendable {
    private let texts: [String: String]

    /// Reads the message; members that are no texts are passed over.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package init(json text: String) throws(SNSError) {
        guard case .object(let members)? = try? JSONValue(json: Array(text.utf8)) else {
            throw .invalidParameter("Message Structure - JSON message body failed to parse")
        }
        self.texts = members.compactMapValues { value in
            if case .string(let text) = value { text } else { nil }
        }
    }

    /// The text for a protocol or a platform; upper and lower case differ.
    package subscript(name: String) -> String? { self.texts[name] }

    /// The text for all that have none of their own.
    package var defaultText: String? { self.texts["default"] }

    /// Checks that there is a text for the target of the message.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    func check(for target: PublishTarget) throws(SNSError) {
        switch target {
        case .topic:
            guard self.defaultText != nil else {
                throw .invalidParameter("Message Structure - No default entry in JSON message body")
            }
        case .endpoint(let endpoint):
            let platform = endpoint.application.platform.rawValue
            guard self.defaultText ?? self[platform] != nil else {
                throw .invalidParameter("JSON must contain an entry for 'default' or '\(platform)'.")
            }
        }
    }
}
