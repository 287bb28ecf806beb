// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension APNsID {
    /// The id as 16 bytes, the most significant first, so that stored ids sort as ids do.
    package var stored: [UInt8] {
        withUnsafeBytes(of: (self.high.bigEndian, self.low.bigEndian)) { Array($0) }
    }

    /// Reads the 16 bytes of `stored`.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(high: high, low: low)
    }
}

extension APNsID {
    /// The first id that can be drawn at a time, in milliseconds since 1970: ids that were drawn before sort before it.
    package static func first(at time: Int64) -> APNsID {
        APNsID(high: UInt64(max(0, time)) << 16, low: 0)
    }
}

extension APNsEnvironment {
    /// The number in which it is stored.
    package var stored: Int { self == .production ? 1 : 0 }

    /// Reads the number of `stored`.
    package init(stored number: Int) { self = number == 1 ? .production : .sandbox }
}

extension Set<APNsEnvironment> {
    /// The number in which they are stored: 1 for sandbox and 2 for production, added.
    package var stored: Int { self.reduce(0) { $0 + $1.stored + 1 } }

    /// Reads the number of `stored`.
    package init(stored number: Int) {
        self = Set(APNsEnvironment.allCases.filter { number & ($0.stored + 1) != 0 })
    }
}

extension Duration {
    /// In milliseconds, rounded down, as durations are stored.
    package var wholeMilliseconds: Int64 {
        self.components.seconds * 1000 + self.components.attoseconds / 1_000_000_000_000_000
    }
}

extension Lane {
    /// The number in which it is stored.
    package var stored: Int { self == .urgent ? 0 : 1 }

    /// Reads the number of `stored`.
    package init(stored number: Int) { self = number == 0 ? .urgent : .bulk }
}

extension Date {
    /// The time as stores keep it.
    package var keptToMilliseconds: Date { Date(millisecondsSince1970: self.millisecondsSince1970) }

    /// When a lease of that duration lapses that begins now.
    package func lease(of duration: Duration) -> Date {
        self.addingTimeInterval(duration / .seconds(1)).keptToMilliseconds
    }
}
