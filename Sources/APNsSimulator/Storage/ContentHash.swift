// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A fast 64-bit hash of bytes, for finding contents that are the same; whoever finds one compares it.
///
/// Multiplies and folds, eight bytes at a time, in the manner of Wang Yi's wyhash.
struct ContentHash {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func combine(_ number: UInt64) {
        let product = (self.value ^ number).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        self.value = product.high ^ product.low ^ 0xE703_7ED1_A0B4_28DB
    }

    mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.combine(UInt64(bytes.count))
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            self.combine(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < raw.count {
            rest = rest << 8 | UInt64(raw[offset])
            offset += 1
        }
        self.combine(rest)
    }
}
