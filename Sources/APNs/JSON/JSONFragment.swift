// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A JSON object that goes into a payload byte for byte, such as the content state of a Live Activity.
public struct JSONFragment: Hashable, Sendable {
    /// The object as JSON.
    public let bytes: [UInt8]

    /// An object that is JSON already; it is checked and kept as it is.
    /// - Throws: ``ValidationFailure`` for `field` unless the bytes are a JSON object.
    public init(json bytes: [UInt8], field: String = "json") throws(ValidationFailure) {
        do {
            try JSONScanner.validateObject(bytes)
        } catch {
            throw ValidationFailure(field: field, rule: "a JSON object (RFC 8259)", value: error.message)
        }
        self.bytes = bytes
    }

    /// An object that is JSON already, as text.
    /// - Throws: ``ValidationFailure`` for `field` unless the text is a JSON object.
    public init(json text: String, field: String = "json") throws(ValidationFailure) {
        try self.init(json: Array(text.utf8), field: field)
    }

    /// An object of these members, with sorted names.
    /// - Throws: ``ValidationFailure`` for a number that is not finite.
    public init(_ members: [String: JSONValue]) throws(ValidationFailure) {
        self.bytes = try JSONValue.object(members).json()
    }
}
