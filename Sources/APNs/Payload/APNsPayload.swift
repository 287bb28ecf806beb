// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The body of a push: one JSON object, ready for the wire.
///
/// Its size is not limited here, because the limit depends on the push type; see
/// ``NotificationHeaders/validate(payload:)``.
public struct APNsPayload: Hashable, Sendable {
    /// The object as compact or given JSON in UTF-8, exactly as it will be sent.
    public let bytes: [UInt8]

    /// A payload that is JSON already; it is checked and passed on byte for byte.
    /// - Throws: ``ValidationFailure`` for `payload`, with the byte offset, unless the bytes are a JSON object.
    public init(json bytes: [UInt8]) throws(ValidationFailure) {
        self.bytes = try JSONFragment(json: bytes, field: "payload").bytes
    }

    /// A payload that is JSON already, as text.
    /// - Throws: ``ValidationFailure`` for `payload`, with the byte offset, unless the text is a JSON object.
    public init(json text: String) throws(ValidationFailure) {
        try self.init(json: Array(text.utf8))
    }

    /// A payload without `aps`, such as those of VoIP, File Provider and MDM.
    /// - Throws: ``ValidationFailure`` for a number that is not finite.
    public init(object members: [String: JSONValue]) throws(ValidationFailure) {
        self.bytes = try JSONValue.object(members).json()
    }

    /// The size in bytes that APNs limits.
    public var size: Int { self.bytes.count }

    /// The payload as text.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// A payload of bytes that this module wrote.
    init(written bytes: [UInt8]) { self.bytes = bytes }
}

extension APNsPayload: Codable {
    /// Reads a payload from its JSON text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(json: container.decode(String.self))
        } catch let failure as ValidationFailure {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.message)
        }
    }

    /// Writes the JSON text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }
}

extension APNsPayload: CustomStringConvertible {
    /// The size alone: what users are told does not belong in a log.
    public var description: String { "payload of \(self.size) bytes" }
}
