// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A name that Apus draws itself: a UUID of version 7, each kind with a type of its own so that no two can be mixed up.
///
/// Names of a kind sort by the time for which they were drawn.
public protocol TimeOrderedIdentifier: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The name as 16 bytes.
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

    /// Draws a new name.
    ///
    /// - Parameters:
    ///   - now: when what it names is made; names sort by it.
    ///   - generator: where the 74 random bits come from.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        self.init(TimeOrderedID.draw(now: now, using: &generator))
    }

    /// Draws a new name from the system's random numbers.
    ///
    /// - Parameter now: when what it names is made; names sort by it.
    public init(now: Date) {
        var generator = SystemRandomNumberGenerator()
        self.init(now: now, using: &generator)
    }

    /// Reads the UUID's text.
    public init(from decoder: any Decoder) throws {
        self.init(try APNsID(from: decoder))
    }

    /// Writes the UUID's text.
    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }

    /// The lower-case UUID.
    public var description: String { self.value.description }

    /// Orders names by age.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
