// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Comparison of bytes in memory without copies.
extension UnsafeBufferPointer<UInt8> {
    /// Whether both hold the same bytes.
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        guard let left = self.baseAddress, let right = other.baseAddress else { return self.isEmpty }
        return memcmp(left, right, self.count) == 0
    }

    /// Whether the array holds the same bytes.
    func equals(_ other: [UInt8]) -> Bool {
        other.withUnsafeBufferPointer { self.equals($0) }
    }

    /// Whether the constant holds the same bytes.
    func equals(_ other: StaticString) -> Bool {
        self.equals(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// Whether these bytes begin with the constant.
    func hasPrefix(_ prefix: StaticString) -> Bool {
        self.count >= prefix.utf8CodeUnitCount && self[..<prefix.utf8CodeUnitCount].equals(prefix)
    }

    /// Whether these bytes end with the array's.
    func hasSuffix(_ suffix: [UInt8]) -> Bool {
        self.count >= suffix.count && self[(self.count - suffix.count)...].equals(suffix)
    }

    /// Whether the constant, which is not empty, stands somewhere in these bytes.
    func contains(_ text: StaticString) -> Bool {
        var rest = self[...]
        while rest.count >= text.utf8CodeUnitCount {
            let bytes = UnsafeBufferPointer(rebasing: rest)
            guard let start = bytes.baseAddress,
                let found = memchr(start, Int32(text.utf8Start.pointee), bytes.count)
            else { return false }
            let offset = UnsafeRawPointer(found) - UnsafeRawPointer(start)
            if UnsafeBufferPointer(rebasing: bytes[offset...]).hasPrefix(text) { return true }
            rest = rest.dropFirst(offset + 1)
        }
        return false
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    func equals(_ other: [UInt8]) -> Bool { UnsafeBufferPointer(rebasing: self).equals(other) }

    func equals(_ other: StaticString) -> Bool { UnsafeBufferPointer(rebasing: self).equals(other) }
}
