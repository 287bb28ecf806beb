// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A value of CBOR (RFC 8949), as far as attestation objects have them.
enum CBORValue {
    case integer(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([String: CBORValue])
}

/// Reads one CBOR value from untrusted bytes.
///
/// It accepts definite lengths, and text as keys of maps. All else is malformed, as are duplicate keys, bytes after the
/// value, more than ``maximumDepth`` levels, more than ``maximumItems`` items and texts of more than ``maximumTextBytes``.
struct CBORReader {
    static let maximumDepth = 8
    static let maximumItems = 128

    /// Hashing a long text can take time that is quadratic in its combining marks.
    static let maximumTextBytes = 64

    private let bytes: [UInt8]
    private var position = 0
    private var items = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: ``AttestationError`` `.malformed`.
    static func read(_ bytes: [UInt8]) throws(AttestationError) -> CBORValue {
        var reader = CBORReader(bytes)
        let value = try reader.value(depth: 0)
        guard reader.position == bytes.count else { throw .malformed }
        return value
    }

    private mutating func value(depth: Int) throws(AttestationError) -> CBORValue {
        self.items += 1
        guard depth < Self.maximumDepth, self.items <= Self.maximumItems else { throw .malformed }
        let first = try self.take(1)[0]
        let argument = try self.argument(first & 0x1F)
        switch first >> 5 {
        case 0: return .integer(argument)
        case 2: return .bytes(Array(try self.take(self.length(argument))))
        case 3:
            let length = try self.length(argument)
            guard length <= Self.maximumTextBytes, let text = String(validating: try self.take(length), as: UTF8.self)
            else { throw .malformed }
            return .text(text)
        case 4:
            var elements: [CBORValue] = []
            for _ in 0..<(try self.length(argument)) { elements.append(try self.value(depth: depth + 1)) }
            return .array(elements)
        case 5:
            var members: [String: CBORValue] = [:]
            for _ in 0..<(try self.length(argument)) {
                guard case .text(let key) = try self.value(depth: depth + 1) else { throw .malformed }
                let member = try self.value(depth: depth + 1)
                guard members.updateValue(member, forKey: key) == nil else { throw .malformed }
            }
            return .map(members)
        default: throw .malformed
        }
    }

    /// The number after the first byte of a value, of 0 to 8 bytes.
    private mutating func argument(_ code: UInt8) throws(AttestationError) -> UInt64 {
        switch code {
        case 0..<24: return UInt64(code)
        case 24...27: return try self.take(1 << Int(code - 24)).reduce(0) { $0 << 8 | UInt64($1) }
        default: throw .malformed
        }
    }

    /// A length or count.
    ///
    /// None is larger than the bytes that remain, because each item has one byte at least.
    private func length(_ argument: UInt64) throws(AttestationError) -> Int {
        guard let length = Int(exactly: argument), length <= self.bytes.count - self.position else {
            throw .malformed
        }
        return length
    }

    /// The next bytes; exactly `count` of them.
    private mutating func take(_ count: Int) throws(AttestationError) -> [UInt8] {
        guard count <= self.bytes.count - self.position else { throw .malformed }
        defer { self.position += count }
        return Array(self.bytes[self.position..<(self.position + count)])
    }
}

extension CBORValue {
    subscript(_ key: String) -> CBORValue? {
        if case .map(let members) = self { members[key] } else { nil }
    }

    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var elements: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }
}
