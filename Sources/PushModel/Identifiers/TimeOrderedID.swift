// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes the 16 bytes of UUIDs that sort by the time at which they were made.
///
/// The layout is version 7 of RFC 9562, section 5.7: 48 bits of Unix milliseconds, then random bits.
enum TimeOrderedID {
    /// Draws an identifier for `now`; times before 1970 count as 1970.
    static func draw(now: Date, using generator: inout some RandomNumberGenerator) -> APNsID {
        let milliseconds = UInt64(max(0, now.millisecondsSince1970)) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        let low = 0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
        return APNsID(high: high, low: low)
    }
}
