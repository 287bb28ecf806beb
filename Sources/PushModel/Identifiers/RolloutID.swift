// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names a rollout of an activity, and by the same 16 bytes the notification that starts it on phones.
///
/// It is a UUID of version 7, so that rollouts sort by the time at which they were asked for.
public struct RolloutID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The id as 16 bytes.
    public let value: APNsID

    /// Takes any 16 bytes as an id.
    public init(_ value: APNsID) {
        self.value = value
    }

    /// Reads a UUID in its text form, in either case; `nil` when it is none.
    public init?(_ text: some StringProtocol) {
        guard let value = APNsID(canonical: text) else { return nil }
        self.value = value
    }

    /// Draws a new id.
    ///
    /// - Parameters:
    ///   - now: when the rollout is asked for; ids sort by it.
    ///   - generator: where the random bits come from.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.value = TimeOrderedID.draw(now: now, using: &generator)
    }

    /// Draws a new id from the system's random numbers.
    ///
    /// - Parameter now: when the rollout is asked for; ids sort by it.
    public init(now: Date) {
        var generator = SystemRandomNumberGenerator()
        self.init(now: now, using: &generator)
    }

    /// The notification that starts the activity: its batches, outcomes and failures are found under that name.
    public var notification: NotificationID { NotificationID(self.value) }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    /// Orders rollouts by age.
    public static func < (left: RolloutID, right: RolloutID) -> Bool { left.value < right.value }

    /// Reads the UUID's text.
    public init(from decoder: any Decoder) throws {
        self.value = try APNsID(from: decoder)
    }

    /// Writes the UUID's text.
    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }
}
