// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names a campaign, and by the same 16 bytes the notification that it sends.
///
/// It is a UUID of version 7, so that campaigns sort by the time at which they were created.
public struct CampaignID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
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
    ///   - now: when the campaign is created; ids sort by it.
    ///   - generator: where the random bits come from.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.value = TimeOrderedID.draw(now: now, using: &generator)
    }

    /// Draws a new id from the system's random numbers.
    ///
    /// - Parameter now: when the campaign is created; ids sort by it.
    public init(now: Date) {
        var generator = SystemRandomNumberGenerator()
        self.init(now: now, using: &generator)
    }

    /// The notification that the campaign sends: its batches, outcomes and failures are found under that name.
    public var notification: NotificationID { NotificationID(self.value) }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    /// Orders campaigns by age.
    public static func < (left: CampaignID, right: CampaignID) -> Bool { left.value < right.value }

    /// Reads the UUID's text.
    public init(from decoder: any Decoder) throws {
        self.value = try APNsID(from: decoder)
    }

    /// Writes the UUID's text.
    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }
}
