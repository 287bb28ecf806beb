// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A header block put together by hand (RFC 7541 section 6), without Huffman coding, right or wrong.
public struct HPACKBlock: Sendable, Hashable {
    /// How a literal field is to be treated by the receiver.
    public enum Indexing: Sendable, Hashable {
        /// It enters the dynamic table.
        case incremental
        /// It does not enter the dynamic table.
        case without
        /// It must never enter a dynamic table, not even on the next hop.
        case never
    }

    /// The block on the wire.
    public var bytes: [UInt8]

    /// A block of these bytes; empty where none are given.
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// A block of literal fields.
    public init(_ fields: KeyValuePairs<String, String>, indexing: Indexing = .without) {
        self.bytes = []
        for (name, value) in fields { self.append(name, value, indexing: indexing) }
    }

    /// A request as it should be: POST over https to `localhost`.
    public static func request(path: String = "/3/device/00", method: String = "POST") -> Self {
        Self([":method": method, ":scheme": "https", ":path": path, ":authority": "localhost"])
    }

    /// A response without further fields.
    public static func response(_ status: String = "200") -> Self {
        Self([":status": status])
    }

    /// Appends a field by its index in the static and dynamic tables.
    public mutating func append(index: Int) {
        self.append(integer: index, prefix: 7, pattern: 0x80)
    }

    /// Appends a field in full.
    public mutating func append(_ name: String, _ value: String, indexing: Indexing = .without) {
        self.append(Array(name.utf8), Array(value.utf8), indexing: indexing)
    }

    /// Appends a field in full, of any bytes.
    public mutating func append(_ name: [UInt8], _ value: [UInt8], indexing: Indexing = .without) {
        switch indexing {
        case .incremental: self.bytes.append(0x40)
        case .without: self.bytes.append(0x00)
        case .never: self.bytes.append(0x10)
        }
        for text in [name, value] {
            self.append(integer: text.count, prefix: 7, pattern: 0)
            self.bytes += text
        }
    }

    /// Appends a change of the dynamic table's size.
    public mutating func append(tableSize: Int) {
        self.append(integer: tableSize, prefix: 5, pattern: 0x20)
    }

    /// Appends an integer with a prefix of `prefix` bits (RFC 7541 section 5.1).
    public mutating func append(integer: Int, prefix: Int, pattern: UInt8) {
        let limit = 1 << prefix - 1
        guard integer >= limit else {
            self.bytes.append(pattern | UInt8(integer))
            return
        }
        self.bytes.append(pattern | UInt8(limit))
        var rest = integer - limit
        while rest >= 128 {
            self.bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }
}
