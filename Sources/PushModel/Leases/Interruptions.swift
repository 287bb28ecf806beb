// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Counts consecutive claims of an item that ended without settlement or release.
///
/// Such a claim ends because its worker was terminated, or because the lease of a batch expired. A crash also
/// interrupts the other items of the process. So an item that one more crash would quarantine is processed while no
/// other such item is: then the crash that quarantines it is its own.
public struct Interruptions: Hashable, Sendable {
    /// The number of interruptions after which an item is quarantined.
    public static let maximum = 3

    public private(set) var count: Int

    /// Restores a stored count; a corrupt one is limited to the valid range.
    public init(_ count: Int = 0) { self.count = min(max(0, count), Self.maximum) }

    /// Whether one more interruption quarantines the item.
    public var isSuspect: Bool { self.count == Self.maximum - 1 }

    public var isTooMany: Bool { self.count >= Self.maximum }

    /// The item is claimed after its lease has expired.
    mutating func add() { self = Interruptions(self.count + 1) }

    /// The item was settled or released.
    mutating func reset() { self.count = 0 }
}
