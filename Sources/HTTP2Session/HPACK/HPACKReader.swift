// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What made a header block undecodable: the connection cannot go on (RFC 9113 section 4.3).
struct HPACKError: Error {
    let reason: StaticString
}

/// Reads the primitives of a header block (RFC 7541 section 5).
struct HPACKReader {
    private var cursor: UnsafePointer<UInt8>?
    private var remaining: Int

    init(_ block: Bytes) {
        self.cursor = block.baseAddress
        self.remaining = block.count
    }

    /// The next byte, which is not taken.
    var first: UInt8? {
        guard self.remaining > 0 else { return nil }
        return self.cursor?.pointee
    }

    /// Takes an integer whose first byte has a prefix of so many bits; none above 2^28 is of use here.
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

    /// Takes so many bytes.
    @inline(__always)
    mutating func bytes(_ count: Int) throws(HPACKError) -> Bytes {
        guard count <= self.remaining, let start = self.cursor else {
            throw HPACKError(reason: "a string is longer than its header block")
        }
        self.cursor = start + count
        self.remaining &-= count
        return Bytes(start: start, count: count)
    }

    @inline(__always)
    private mutating func takeByte() -> UInt8? {
        guard self.remaining > 0, let cursor = self.cursor else { return nil }
        self.cursor = cursor + 1
        self.remaining &-= 1
        return cursor.pointee
    }
}
