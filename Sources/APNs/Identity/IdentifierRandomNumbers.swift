// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's random numbers, fetched 32 at a time, for identifiers; not for secrets, because they wait in memory.
///
/// On Linux, `SystemRandomNumberGenerator` makes a system call for each number, and a notification needs four. A process
/// that forked without `exec` would use the same numbers as its child.
package struct IdentifierRandomNumbers: RandomNumberGenerator {
    /// As many as `getentropy` returns at most: 256 bytes.
    private static let count = 32
    private static let numbers = Mutex<[UInt64]>([])

    package init() {}

    package func next() -> UInt64 {
        Self.numbers.withLock { numbers in
            if numbers.isEmpty { numbers = Self.fetch() }
            return numbers.popLast() ?? .random(in: .min ... .max)
        }
    }

    private static func fetch() -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: Self.count) { buffer, count in
            guard let start = UnsafeMutableRawBufferPointer(buffer).baseAddress else { return }
            #if canImport(Darwin)
            arc4random_buf(start, Self.count * 8)
            #else
            guard getentropy(start, Self.count * 8) == 0 else { return }
            #endif
            count = Self.count
        }
    }
}
