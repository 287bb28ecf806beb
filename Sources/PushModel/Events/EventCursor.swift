// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A place in a store's feed of events: where one event stands, and where to go on behind it.
///
/// Callers hand its text around and look no further into it. Of an app's events a later one has a greater cursor, but
/// the numbers have gaps. A store that commits several changes at once orders its events by the transaction first
/// (`epoch`), since a sequence alone is drawn in another order than it becomes visible; one that writes one change at a
/// time leaves that at 0.
public struct EventCursor: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// What orders events before their sequence does, 0 or more; meaningful only to the store.
    public let epoch: Int64

    /// The event's place within its epoch, 0 or more.
    public let sequence: Int64

    /// Takes the numbers that a store gave before.
    ///
    /// - Parameters:
    ///   - epoch: what orders events before their sequence does.
    ///   - sequence: the place within the epoch.
    public init(epoch: Int64 = 0, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// The place before every event.
    public static let beginning = EventCursor(sequence: 0)

    /// Reads the text form; `nil` when it is none.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(part) : nil
        }
        guard numbers.count == parts.count, let last = numbers.last, numbers.count <= 2 else { return nil }
        self.init(epoch: numbers.count == 2 ? numbers[0] : 0, sequence: last)
    }

    /// The text form: `epoch-sequence`, or the sequence alone where the epoch is 0.
    public var description: String { self.epoch == 0 ? "\(self.sequence)" : "\(self.epoch)-\(self.sequence)" }

    /// Orders cursors as the feed orders its events.
    public static func < (left: EventCursor, right: EventCursor) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}
