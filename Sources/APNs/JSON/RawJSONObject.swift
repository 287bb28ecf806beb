// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON object that goes into a payload byte for byte, such as the content state of a Live Activity.
public struct RawJSONObject: Hashable, Sendable {
    /// The maximum nesting depth of objects and arrays: less than that of a complete document.
    ///
    /// Payloads and responses nest fragments in up to 8 levels, and must stay readable.
    static let maximumDepth = JSONScanner.maximumDepth - 8

    /// The object as JSON.
    public let bytes: [UInt8]

    /// An object that is JSON already; it is checked and kept as it is.
    /// - Throws: ``InvalidValueError`` for `field` unless the bytes are a JSON object.
    public init(json bytes: [UInt8], field: String = "json") throws(InvalidValueError) {
        do {
            try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                try JSONScanner.validateObject(bytes, maximumDepth: Self.maximumDepth)
            }
        } catch {
            guard error.code == .tooDeep else { throw InvalidValueError(error, field: field) }
            let rule = "at most \(Self.maximumDepth) levels of nesting"
            throw InvalidValueError(field: field, rule: rule, value: "more at byte \(error.offset)")
        }
        self.bytes = bytes
    }

    /// An object that an older version may have stored; see ``JSONScanner/repairedObject(_:)``.
    /// - Throws: ``InvalidValueError`` for `json` unless the bytes are a JSON object.
    package init(storedJSON bytes: [UInt8]) throws(InvalidValueError) {
        do {
            self.bytes = try JSONScanner.repairedObject(bytes)
        } catch {
            throw InvalidValueError(error, field: "json")
        }
    }

    /// An object that is JSON already, as text.
    /// - Throws: ``InvalidValueError`` for `field` unless the text is a JSON object.
    public init(json text: String, field: String = "json") throws(InvalidValueError) {
        try self.init(json: Array(text.utf8), field: field)
    }

    /// An object of these members, with sorted names.
    /// - Throws: ``InvalidValueError`` for a number that is not finite.
    public init(_ members: [String: JSONValue]) throws(InvalidValueError) {
        self.bytes = try JSONValue.object(members).json()
    }
}

extension RawJSONObject {
    /// An object encoded from a value of the app's own type, the way ActivityKit decodes it.
    ///
    /// The encoder keeps its default strategies, since the device decodes with the defaults: a `Date` becomes seconds
    /// since 2001, `Data` becomes base64, keys stay as in `CodingKeys`. Names are sorted.
    /// - Throws: ``InvalidValueError`` for `field` if the value cannot be encoded or is no object.
    public init(encoding value: some Encodable, field: String = "json") throws(InvalidValueError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw InvalidValueError(field: field, rule: "a value that JSON can hold", value: "\(type(of: value))")
        }
        try self.init(json: [UInt8](data), field: field)
    }
}

/// In JSON the object is a string that holds it, so that it stays as it was, byte for byte.
extension RawJSONObject: Codable {
    /// Reads the text of an object, which an older version may have stored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(storedJSON: Array(container.decode(String.self).utf8))
        } catch let failure as InvalidValueError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.message)
        }
    }

    /// Writes the text of the object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: self.bytes, as: UTF8.self))
    }
}

extension InvalidValueError {
    /// Bytes that are no JSON object.
    init(_ fault: JSONError, field: String) {
        self.init(field: field, rule: "a JSON object (RFC 8259)", value: fault.message)
    }
}
