// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One representation of a header block (RFC 7541 section 6), as its sender chose it.
///
/// Strings are not decoded: it tells how a field was sent, not what it says.
public enum HPACKRepresentation: Sendable, Hashable {
    /// A field that both sides have in a table.
    case indexed(Int)
    /// A field in full or, with a name's index above 0, its value in full.
    case literal(HPACKBlock.Indexing, nameIndex: Int, valueBytes: Int)
    /// A change of the dynamic table's size.
    case tableSize(Int)

    /// The indices of the static table that requests and their tests use.
    public enum StaticIndex {
        /// The index of the name `:authority`.
        public static let authority = 1
        /// The index of the name `:path`.
        public static let path = 4
        /// The index of `:status: 200`.
        public static let ok = 8
    }

    /// The representations of a whole block, or `nil` when the block breaks off.
    public static func all(of block: some Collection<UInt8>) -> [Self]? {
        var reader = Reader(bytes: Array(block))
        var all: [Self] = []
        while !reader.isAtEnd {
            guard let one = reader.representation() else { return nil }
            all.append(one)
        }
        return all
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { self.position == self.bytes.count }

        mutating func representation() -> HPACKRepresentation? {
            let first = self.bytes[self.position]
            if first & 0x80 != 0 { return self.integer(prefix: 7).map(HPACKRepresentation.indexed) }
            if first & 0x40 != 0 { return self.literal(.incremental, prefix: 6) }
            if first & 0x20 != 0 { return self.integer(prefix: 5).map(HPACKRepresentation.tableSize) }
            return self.literal(first & 0x10 != 0 ? .never : .without, prefix: 4)
        }

        private mutating func literal(_ indexing: HPACKBlock.Indexing, prefix: Int) -> HPACKRepresentation? {
            guard let nameIndex = self.integer(prefix: prefix) else { return nil }
            if nameIndex == 0, self.skipString() == nil { return nil }
            guard let valueBytes = self.skipString() else { return nil }
            return .literal(indexing, nameIndex: nameIndex, valueBytes: valueBytes)
        }

        private mutating func skipString() -> Int? {
            guard !self.isAtEnd, let length = self.integer(prefix: 7), self.position + length <= self.bytes.count else {
                return nil
            }
            self.position += length
            return length
        }

        private mutating func integer(prefix: Int) -> Int? {
            let limit = 1 << prefix - 1
            var value = Int(self.bytes[self.position]) & limit
            self.position += 1
            guard value == limit else { return value }
            var shift = 0
            while !self.isAtEnd, shift < 28 {
                let byte = Int(self.bytes[self.position])
                self.position += 1
                value += (byte & 0x7f) << shift
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
            return nil
        }
    }
}
