// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names a notification as its caller knows it: one request, to however many targets.
///
/// It is a UUID of version 7, so that notifications sort by the time at which they were accepted.
public struct NotificationID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
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
    ///   - now: when the notification is accepted; ids sort by it.
    ///   - generator: where the random bits come from.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.value = TimeOrderedID.draw(now: now, using: &generator)
    }

    /// Draws a new id from the system's random numbers.
    ///
    /// - Parameter now: when the notification is accepted; ids sort by it.
    public init(now: Date) {
        var generator = SystemRandomNumberGenerator()
        self.init(now: now, using: &generator)
    }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    /// Orders notifications by age.
    public static func < (left: NotificationID, right: NotificationID) -> Bool { left.value < right.value }

    /// Reads the UUID's text.
    public init(from decoder: any Decoder) throws {
        self.value = try APNsID(from: decoder)
    }

    /// Writes the UUID's text.
    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }
}
