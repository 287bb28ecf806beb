// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Decodes header blocks, one field at a time (RFC 7541).
///
/// Every block of a connection must be decoded here in order and completely, even if it is not used: each may change
/// the table. Errors in the characters of a field are recorded in the field; only errors that affect the table throw.
struct HPACKDecoder: ~Copyable {
    private var table = HPACKDynamicTable(maximumSize: Self.defaultTableSize)
    private let fixed = HPACKStaticTable.fields
    private let huffman = HuffmanDecoder.shared
    private var reader = HPACKReader(UnownedBytes(start: nil, count: 0))
    /// The maximum size that the peer may set for the table.
    private var allowedTableSize = Self.defaultTableSize
    /// Whether a smaller table was announced and acknowledged, so that the next block must begin by shrinking it.
    private var awaitsShrinking = false
    private var mayResize = false
    /// Where strings in Huffman code are decoded to, the name of a field and behind it its value.
    private var scratch: UnsafeMutablePointer<UInt8>
    private var scratchCapacity = 1024

    /// The size of a table before anyone has announced another.
    static let defaultTableSize = 4096

    init() {
        self.scratch = .allocate(capacity: self.scratchCapacity)
    }

    deinit {
        self.scratch.deallocate()
    }

    /// Takes note that the peer has acknowledged this size for its table.
    mutating func allow(tableSize: Int) {
        self.allowedTableSize = tableSize
        if tableSize < self.table.maximumSize { self.awaitsShrinking = true }
    }

    /// Begins with a block, which must stay where it is until its last field is out.
    mutating func begin(_ block: UnownedBytes) {
        self.reader = HPACKReader(block)
        self.mayResize = true
        let longest = HuffmanDecoder.room(for: block.count) + 2
        guard longest > self.scratchCapacity else { return }
        self.scratch.deallocate()
        self.scratch = .allocate(capacity: longest)
        self.scratchCapacity = longest
    }

    /// The next field; `nil` at the end of the block.
    mutating func next() throws(HPACKError) -> HPACKField? {
        while let first = self.reader.first {
            if first & 0xe0 == 0x20 {
                try self.resizeTable()
                continue
            }
            if self.awaitsShrinking { throw HPACKError(reason: "the dynamic table exceeds its new maximum size") }
            self.mayResize = false
            if first & 0x80 != 0 { return try self.field(at: self.reader.integer(prefix: 7)) }
            guard first & 0x40 != 0 else { return try self.literal(prefix: 4) }
            let field = try self.literal(prefix: 6)
            return self.table.insert(field) ? self.table[0] : field
        }
        return nil
    }

    private mutating func resizeTable() throws(HPACKError) {
        let size = try self.reader.integer(prefix: 5)
        guard self.mayResize else { throw HPACKError(reason: "the table changes its size within a header block") }
        guard size <= self.allowedTableSize else {
            throw HPACKError(reason: "the table grows beyond the size that was announced")
        }
        self.awaitsShrinking = false
        self.table.resize(to: size)
    }

    @inline(__always)
    private func field(at index: Int) throws(HPACKError) -> HPACKField {
        guard index > 0, index <= HPACKStaticTable.count &+ self.table.count else {
            throw HPACKError(reason: "an index is not in the tables")
        }
        if index <= HPACKStaticTable.count { return self.fixed[index &- 1] }
        return self.table[index &- HPACKStaticTable.count &- 1]
    }

    private mutating func literal(prefix: UInt8) throws(HPACKError) -> HPACKField {
        let index = try self.reader.integer(prefix: prefix)
        let name: UnownedBytes
        let kind: HeaderFieldKind
        var scratchUsed = 0
        if index == 0 {
            name = try self.string(at: &scratchUsed)
            kind = HeaderFieldKind(name: name)
        } else {
            let named = try self.field(at: index)
            (name, kind) = (named.name, named.kind)
        }
        let value = try self.string(at: &scratchUsed)
        return HPACKField(name: name, value: value, kind: kind, isValueClean: HPACKField.isClean(value))
    }

    private mutating func string(at scratchUsed: inout Int) throws(HPACKError) -> UnownedBytes {
        let isHuffman = (self.reader.first ?? 0) & 0x80 != 0
        let coded = try self.reader.bytes(self.reader.integer(prefix: 7))
        guard isHuffman else { return coded }
        let start = self.scratch + scratchUsed
        let count = try self.huffman.decode(coded, into: start)
        scratchUsed += count
        return UnownedBytes(start: UnsafePointer(start), count: count)
    }
}

/// Why a header block cannot be decoded: the connection must end (RFC 9113 section 4.3).
struct HPACKError: Error {
    let reason: StaticString
}

/// Reads the primitives of a header block (RFC 7541 section 5).
struct HPACKReader {
    private var cursor: UnsafePointer<UInt8>?
    private var remaining: Int

    init(_ block: UnownedBytes) {
        self.cursor = block.baseAddress
        self.remaining = block.count
    }

    /// The next byte, which is not taken.
    var first: UInt8? {
        guard self.remaining > 0 else { return nil }
        return self.cursor?.pointee
    }

    /// Decodes an integer whose first byte has a prefix of this number of bits; integers above 2^28 are invalid here.
    @inline(__always)
    mutating func integer(prefix: UInt8) throws(HPACKError) -> Int {
        guard let first = self.takeByte() else { throw HPACKError(reason: "the header block breaks off") }
        let limit = UInt8(truncatingIfNeeded: 1 << Int(prefix) &- 1)
        let value = first & limit
        return value < limit ? Int(value) : try self.longInteger(from: Int(limit))
    }

    private mutating func longInteger(from start: Int) throws(HPACKError) -> Int {
        var value = start
        for shift in stride(from: 0, through: 21, by: 7) {
            guard let byte = self.takeByte() else { throw HPACKError(reason: "the header block breaks off") }
            value += Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw HPACKError(reason: "an integer of the header block is too large")
    }

    @inline(__always)
    mutating func bytes(_ count: Int) throws(HPACKError) -> UnownedBytes {
        guard count <= self.remaining, let start = self.cursor else {
            throw HPACKError(reason: "a string is longer than its header block")
        }
        self.cursor = start + count
        self.remaining &-= count
        return UnownedBytes(start: start, count: count)
    }

    @inline(__always)
    private mutating func takeByte() -> UInt8? {
        guard self.remaining > 0, let cursor = self.cursor else { return nil }
        self.cursor = cursor + 1
        self.remaining &-= 1
        return cursor.pointee
    }
}
