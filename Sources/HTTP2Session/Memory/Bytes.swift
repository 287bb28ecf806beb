// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Bytes somewhere in memory that this code does not own.
typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
    /// The bytes of a constant of the program.
    init(_ text: StaticString) {
        self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// Whether two places hold the same bytes: eight at a time, without a call.
    @inline(__always)
    func isEqual(to other: Self) -> Bool {
        guard self.count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var offset = 0
        while offset &+ 8 <= self.count {
            let (a, b) = (
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            guard a == b else { return false }
            offset &+= 8
        }
        while offset < self.count {
            guard self[offset] == other[offset] else { return false }
            offset &+= 1
        }
        return true
    }

    @inline(__always)
    func isEqual(to text: StaticString) -> Bool { self.isEqual(to: Self(text)) }
}
