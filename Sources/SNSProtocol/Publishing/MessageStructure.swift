// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A message with a text for each protocol: `MessageStructure=json`.
public struct MessageStructure: Hashable, Sendable {
    private let texts: [String: String]

    /// Reads the message; members that are no texts are passed over.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(json text: String) throws(SNSError) {
        guard case .object(let members)? = try? JSONValue(json: Array(text.utf8)) else {
            throw .invalidParameter("Message Structure - JSON message body failed to parse")
        }
        self.texts = members.compactMapValues { value in
            if case .string(let text) = value { text } else { nil }
        }
    }

    /// The text for a protocol or a platform; upper and lower case differ.
    public subscript(name: String) -> String? { self.texts[name] }

    /// The text for all that have none of their own.
    public var defaultText: String? { self.texts["default"] }

    /// Checks that there is a text for whoever the message goes to.
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
