// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names a subscription: a UUID of version 7, so that subscriptions sort by the time at which they were made.
///
/// 74 of its bits are random: it cannot be guessed.
public struct SubscriptionID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
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
    ///   - now: when the subscription is made; ids sort by it.
    ///   - generator: where the random bits come from.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.value = TimeOrderedID.draw(now: now, using: &generator)
    }

    /// Draws a new id from the system's random numbers.
    ///
    /// - Parameter now: when the subscription is made; ids sort by it.
    public init(now: Date) {
        var generator = SystemRandomNumberGenerator()
        self.init(now: now, using: &generator)
    }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    /// Orders subscriptions by age.
    public static func < (left: SubscriptionID, right: SubscriptionID) -> Bool { left.value < right.value }

    /// Reads the UUID's text.
    public init(from decoder: any Decoder) throws {
        self.value = try APNsID(from: decoder)
    }

    /// Writes the UUID's text.
    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }
}
