// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// An identifier that Apus generates: a UUID of version 7, with a separate type for each kind so that they cannot be
/// confused.
///
/// Identifiers of a kind sort by their time.
public protocol TimeOrderedIdentifier: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    var value: APNsID { get }

    /// Takes any 16 bytes as a name.
    init(_ value: APNsID)
}

extension TimeOrderedIdentifier {
    /// Reads a UUID in its text form, in either case; `nil` when it is none.
    public init?(_ text: some StringProtocol) {
        guard let value = APNsID(canonical: text) else { return nil }
        self.init(value)
    }

    /// Draws a new name with 74 random bits.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.init(TimeOrderedID.draw(now: now, using: &generator))
    }

    /// Draws a new name from the system's random numbers.
    public init(now: Date) {
        var generator = IdentifierRandomNumbers()
        self.init(now: now, using: &generator)
    }

    public init(from decoder: any Decoder) throws {
        self.init(try APNsID(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// Makes the 16 bytes of UUIDs that sort by the time at which they were made.
///
/// The layout is version 7 of RFC 9562, section 5.7: 48 bits of Unix milliseconds, then random bits.
enum TimeOrderedID {
    /// Draws an identifier for `now`; times before 1970 count as 1970.
    static func draw(now: Date, using generator: inout some RandomNumberGenerator) -> APNsID {
        // Cannot trap: the number is not negative.
        let milliseconds = UInt64(max(0, now.millisecondsSince1970)) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        let low = 0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
        return APNsID(high: high, low: low)
    }
}

/// Identifies a notification: one request, with any number of targets.
///
/// Notifications sort by the time of their acceptance.
public struct NotificationID: TimeOrderedIdentifier {
    public let value: APNsID

    public init(_ value: APNsID) {
        self.value = value
    }
}

/// Names a campaign, and by the same 16 bytes the notification that it sends.
///
/// Campaigns sort by the time at which they were created.
public struct CampaignID: TimeOrderedIdentifier {
    public let value: APNsID

    public init(_ value: APNsID) {
        self.value = value
    }

    /// The notification that the campaign sends: its batches, outcomes and failures are found under that name.
    public var notification: NotificationID { NotificationID(self.value) }
}

/// Identifies a rollout of an activity and, with the same 16 bytes, the notification that starts it on devices.
///
/// Rollouts sort by the time of their requests.
public struct RolloutID: TimeOrderedIdentifier {
    public let value: APNsID

    public init(_ value: APNsID) {
        self.value = value
    }

    /// The notification that starts the activity: its batches, outcomes and failures are found under that name.
    public var notification: NotificationID { NotificationID(self.value) }
}

extension Date {
    /// Milliseconds since 1970, rounded down: the unit of APNs' 410 timestamps and of every stored time.
    public var millisecondsSince1970: Int64 {
        Int64(clamping: (self.timeIntervalSince1970 * 1000 + 1e-3).rounded(.down))
    }

    public init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
