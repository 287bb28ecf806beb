// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SwiftASN1

/// A value of ASN.1 about to be written in DER (X.690 section 10).
indirect enum DERNode {
    case sequence([DERNode])
    case set([DERNode])
    /// `[number]`, explicit: around another value.
    case tagged(UInt8, DERNode)
    /// `[number]`, implicit: in the place of an octet string's tag.
    case taggedOctets(UInt8, [UInt8])
    case integer(Int)
    case octets([UInt8])
    case bmpString(String)
    case identifier(ASN1ObjectIdentifier)
    case null

    /// The bytes.
    ///
    /// - Throws: an error of the serializer for an object identifier that is none.
    func bytes() throws -> [UInt8] {
        switch self {
        case .sequence(let nodes): return Self.wrap(0x30, try nodes.flatMap { try $0.bytes() })
        case .set(let nodes): return Self.wrap(0x31, try nodes.flatMap { try $0.bytes() })
        case .tagged(let number, let node): return Self.wrap(0xA0 | number, try node.bytes())
        case .taggedOctets(let number, let bytes): return Self.wrap(0x80 | number, bytes)
        case .octets(let bytes): return Self.wrap(0x04, bytes)
        case .bmpString(let text): return Self.wrap(0x1E, Self.bigEndian(text))
        case .null: return [0x05, 0]
        case .integer(let value):
            var serializer = DER.Serializer()
            try serializer.serialize(value)
            return serializer.serializedBytes
        case .identifier(let identifier):
            var serializer = DER.Serializer()
            try serializer.serialize(identifier)
            return serializer.serializedBytes
        }
    }

    /// A text in UTF-16, big-endian.
    static func bigEndian(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    private static func wrap(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
