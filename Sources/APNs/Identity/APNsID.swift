// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The identity of one notification: the UUID of the `apns-id` header.
///
/// Kept as two integers so that ids can be made, compared and written without allocating.
public struct APNsID: Hashable, Sendable {
    /// How many ASCII characters the canonical form has.
    public static let canonicalCount = 36

    /// The first 8 bytes, most significant first.
    public var high: UInt64
    /// The last 8 bytes, most significant first.
    public var low: UInt64

    /// An id of these 16 bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A random id: version 4 of RFC 9562.
    public static func random(using generator: inout some RandomNumberGenerator) -> APNsID {
        let high = UInt64.random(in: .min ... .max, using: &generator)
        let low = UInt64.random(in: .min ... .max, using: &generator)
        return APNsID(
            high: (high & 0xFFFF_FFFF_FFFF_0FFF) | 0x0000_0000_0000_4000,
            low: (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        )
    }

    /// A random id from the system's generator.
    public static func random() -> APNsID {
        var generator = SystemRandomNumberGenerator()
        return self.random(using: &generator)
    }
}

extension APNsID: Comparable {
    /// Orders ids as their canonical forms are ordered.
    public static func < (left: APNsID, right: APNsID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
