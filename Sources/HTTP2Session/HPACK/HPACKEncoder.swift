// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Encodes header fields (RFC 7541): those that messages have in common enter the dynamic table and are one byte from
/// then on, those that differ are written in full and never enter it.
///
/// Strings go without Huffman coding: some 30 bytes more for a notification, and no work on either side.
struct HPACKEncoder: ~Copyable {
    /// The maximum table size that is used, even if a peer offers more.
    private static let largestTable = 4096

    private var table = HPACKDynamicTable(maximumSize: HPACKDecoder.defaultTableSize)
    /// The smallest size that the peer has named since the last block, where it has named one.
    private var smallestSize: Int?

    /// Changes whenever the same field may be encoded differently than before.
    var version: UInt64 { self.table.version }

    /// Takes note of the size that the peer allows; the next block confirms it.
    mutating func allow(tableSize: UInt32) {
        let size = min(Int(tableSize), Self.largestTable)
        self.smallestSize = min(self.smallestSize ?? size, size)
        self.table.resize(to: size)
    }

    /// Appends the start of a block: the table's size, if the peer has changed it.
    @inline(__always)
    mutating func appendBeginning(to output: inout ReusableByteBuffer) {
        if self.smallestSize != nil { self.appendSizes(to: &output) }
    }

    private mutating func appendSizes(to output: inout ReusableByteBuffer) {
        if let smallest = self.smallestSize, smallest < self.table.maximumSize {
            output.append(integer: smallest, prefix: 5, pattern: 0x20)
        }
        output.append(integer: self.table.maximumSize, prefix: 5, pattern: 0x20)
        self.smallestSize = nil
    }

    /// Appends a field that other messages have, too.
    mutating func append(_ name: UnownedBytes, _ value: UnownedBytes, to output: inout ReusableByteBuffer) {
        let fixed = HPACKStaticTable.index(name: name, value: value)
        if let fixed, fixed.isWhole { return output.append(integer: fixed.index, prefix: 7, pattern: 0x80) }
        let own = self.table.position(name: name, value: value)
        if let own, own.isWhole {
            return output.append(integer: Self.index(own.position), prefix: 7, pattern: 0x80)
        }
        let nameIndex = fixed?.index ?? own.map { Self.index($0.position) } ?? 0
        let field = HPACKField(name: name, value: value, kind: .regular, isValueClean: true)
        // A field that takes most of the table would only evict useful entries.
        let isIndexed = field.size <= self.table.maximumSize / 4 * 3
        output.append(integer: nameIndex, prefix: isIndexed ? 6 : 4, pattern: isIndexed ? 0x40 : 0x00)
        if nameIndex == 0 { output.append(string: name) }
        output.append(string: value)
        if isIndexed { self.table.insert(field) }
    }

    /// Appends all of a field but its value, which no table may keep (RFC 7541 section 6.2.3).
    func appendUnindexedName(_ name: UnownedBytes, to output: inout ReusableByteBuffer) {
        let index = HPACKStaticTable.index(name: name, value: UnownedBytes(start: nil, count: 0))?.index ?? 0
        output.append(integer: index, prefix: 4, pattern: 0x10)
        if index == 0 { output.append(string: name) }
    }

    private static func index(_ position: Int) -> Int { HPACKStaticTable.count + 1 + position }
}

extension ReusableByteBuffer {
    /// Appends an integer with a prefix of this number of bits (RFC 7541 section 5.1).
    @inline(__always)
    mutating func append(integer: Int, prefix: UInt8, pattern: UInt8) {
        let limit = 1 << Int(prefix) - 1
        if integer < limit {
            self.append(pattern | UInt8(truncatingIfNeeded: integer))
        } else {
            self.append(pattern | UInt8(truncatingIfNeeded: limit))
            self.appendRest(integer - limit)
        }
    }

    private mutating func appendRest(_ integer: Int) {
        var rest = integer
        while rest >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a string without Huffman coding (RFC 7541 section 5.2).
    @inline(__always)
    mutating func append(string: UnownedBytes) {
        self.append(integer: string.count, prefix: 7, pattern: 0)
        self.append(string)
    }
}
