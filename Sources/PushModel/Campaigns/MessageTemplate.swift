// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation

/// A payload template with placeholders in its strings, compiled once.
///
/// A placeholder is written `{{tags.city|there}}` within any string of the JSON: `locale`, `userID` or `tags.` and the
/// name of a tag, and optionally a default for devices without the value. Inserted values are escaped for JSON. To show
/// two braces, write the first one as `\u007b`.
public struct MessageTemplate: Hashable, Sendable {
    /// The value of a placeholder.
    enum Value: Hashable, Sendable {
        case locale
        case userID
        case tag(String)
    }

    /// The result of rendering a template for one device.
    public enum Rendering: Hashable, Sendable {
        case payload(APNsPayload)
        case failed(FailureCode)
    }

    private enum Segment: Hashable, Sendable {
        case literal([UInt8])
        /// The bytes of the default are escaped already, because they are part of the source.
        case place(Value, instead: [UInt8]?)
    }

    /// The payload as it was given, places included.
    public let source: APNsPayload

    private let segments: [Segment]

    /// Compiles a payload.
    ///
    /// - Throws: `InvalidValueError` for a place that is not closed or names nothing that is known.
    public init(_ source: APNsPayload) throws(InvalidValueError) {
        self.source = source
        var segments: [Segment] = []
        var rest = source.bytes[...]
        // Outside of a text no JSON has two braces in a row, so that all places are within texts.
        while let start = rest.firstPair(UInt8(ascii: "{"), anywhere: true) {
            guard let end = rest[(start + 2)...].firstPair(UInt8(ascii: "}"), anywhere: false) else {
                throw Self.failure("places that end in '}}' within the same text", "one without an end", at: start)
            }
            if start > rest.startIndex { segments.append(.literal(Array(rest[..<start]))) }
            segments.append(try Self.place(rest[(start + 2)..<end], at: start))
            rest = rest[(end + 2)...]
        }
        if !rest.isEmpty { segments.append(.literal(Array(rest))) }
        self.segments = segments
    }

    /// Whether devices of the same locale may receive different payloads.
    public var isPersonal: Bool {
        self.segments.contains { segment in
            if case .place = segment { true } else { false }
        }
    }

    /// The size in bytes when every place is filled with nothing.
    public var minimumSize: Int {
        self.segments.reduce(0) { sum, segment in
            if case .literal(let bytes) = segment { sum + bytes.count } else { sum }
        }
    }

    /// The payload for one device.
    ///
    /// `limit` is the most bytes that the payload may have.
    ///
    /// - Returns: the payload, or why there is none: `missing_value`, `payload_too_large`.
    public func render(_ details: PersonalizationAttributes, limit: Int) -> Rendering {
        guard self.isPersonal else { return .payload(self.source) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.source.bytes.count + 32)
        for segment in self.segments {
            switch segment {
            case .literal(let literal): bytes += literal
            case .place(let value, let instead):
                if let text = Self.text(value, of: details) {
                    bytes.append(escaping: text)
                } else if let instead {
                    bytes += instead
                } else {
                    return .failed(.missingValue)
                }
            }
        }
        guard bytes.count <= limit else { return .failed(.payloadTooLarge) }
        // It is JSON, since its parts are; checking it keeps that a promise of the type.
        guard let payload = try? APNsPayload(json: bytes) else { return .failed(.invalid) }
        return .payload(payload)
    }

    private static func text(_ value: Value, of details: PersonalizationAttributes) -> String? {
        switch value {
        case .locale: details.locale
        case .userID: details.userID?.rawValue
        case .tag(let name): details.tags[name]
        }
    }

    private static func place(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(InvalidValueError) -> Segment {
        let bar = bytes.firstIndex(of: UInt8(ascii: "|"))
        let instead = bar.map { Array(bytes[($0 + 1)...]) }
        // The name is a part of a JSON text and may hold escapes.
        let quoted = [UInt8(ascii: "\"")] + bytes[..<(bar ?? bytes.endIndex)] + [UInt8(ascii: "\"")]
        guard case .string(let written)? = try? JSONValue(json: quoted) else {
            throw self.failure("a name in '{{...}}'", "a broken one", at: offset)
        }
        let name = written.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        switch String(name) {
        case "locale": return .place(.locale, instead: instead)
        case "userID": return .place(.userID, instead: instead)
        case let tag where tag.hasPrefix("tags.") && tag.utf8.count > 5:
            return .place(.tag(String(tag.dropFirst(5))), instead: instead)
        default:
            throw self.failure("'locale', 'userID' or 'tags.' and a name in '{{...}}'", "another name", at: offset)
        }
    }

    private static func failure(_ rule: String, _ value: String, at offset: Int) -> InvalidValueError {
        InvalidValueError(field: "payload", rule: rule, value: "\(value), at byte \(offset)")
    }
}

extension MessageTemplate: Codable {
    public init(from decoder: any Decoder) throws {
        let source = try APNsPayload(from: decoder)
        do {
            try self.init(source)
        } catch {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.message)
            throw DecodingError.dataCorrupted(context)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try self.source.encode(to: encoder)
    }
}

extension ArraySlice<UInt8> {
    /// The position of two equal, adjacent bytes, or `nil`.
    ///
    /// Unless `isAnywhere` is set, the search stops at the end of the JSON string in which the subsequence starts.
    fileprivate func firstPair(_ byte: UInt8, anywhere isAnywhere: Bool) -> Int? {
        var index = self.startIndex
        while index + 1 < self.endIndex {
            switch self[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\"") where !isAnywhere: return nil
            case byte where self[index + 1] == byte: return index
            default: index += 1
            }
        }
        return nil
    }
}

extension [UInt8] {
    /// Appends a string as the content of a JSON string (RFC 8259, section 7).
    fileprivate mutating func append(escaping text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.append(UInt8(ascii: "\\"))
                self.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                self += Array("\\u00".utf8)
                self.append(digits[Int(byte >> 4)])
                self.append(digits[Int(byte & 0xF)])
            default: self.append(byte)
            }
        }
    }
}

/// The devices of one batch with their payloads, or devices that fail for the same reason.
public struct RenderedBatch: Hashable, Sendable {
    /// Their payload; for devices that fail, the template.
    public internal(set) var payload: BatchPayload

    /// Why no payload could be made for them, or `nil`.
    public let failure: FailureCode?

    public internal(set) var targets: TargetList
}
