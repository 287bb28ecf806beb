// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Bytes that stay where they are, to be lent to a session, and that can be spoilt to see who still reads them.
final class LentBody {
    private let buffer: UnsafeMutableRawBufferPointer

    /// A body of `count` bytes that are never ``spoilt``.
    init(count: Int, seed: UInt8 = 0) {
        self.buffer = .allocate(byteCount: count, alignment: 1)
        for index in 0..<count { self.buffer[index] = (UInt8(truncatingIfNeeded: index / 7) &+ seed) & 0x7f }
    }

    /// A body of these bytes.
    init(_ bytes: [UInt8]) {
        self.buffer = .allocate(byteCount: bytes.count, alignment: 1)
        self.buffer.copyBytes(from: bytes)
    }

    deinit {
        self.buffer.deallocate()
    }

    static let spoilt: UInt8 = 0xee

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(self.buffer) }

    var copy: [UInt8] { Array(self.buffer) }

    func spoil() {
        for index in self.buffer.indices { self.buffer[index] = Self.spoilt }
    }
}
