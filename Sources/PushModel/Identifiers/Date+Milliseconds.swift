// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date {
    /// Milliseconds since 1970, rounded down: the unit of APNs' 410 timestamps and of every stored time.
    public var millisecondsSince1970: Int64 {
        Int64((self.timeIntervalSince1970 * 1000 + 1e-3).rounded(.down))
    }

    /// The time that lies `milliseconds` after 1970.
    public init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
