// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How eagerly APNs delivers: the value of `apns-priority`.
///
/// Open: a number that is not known here survives a round trip.
public struct Priority: RawRepresentable, Hashable, Sendable, Codable {
    /// The number in the header.
    public var rawValue: Int

    /// The priority of this number, known or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 10: at once.
    ///
    /// What APNs assumes when the header is absent.
    public static let immediate = Priority(rawValue: 10)
    /// 5: with regard to the device's power; may be grouped, delayed or dropped.
    public static let powerConsiderate = Priority(rawValue: 5)
    /// 1: like 5, and never wakes the device.
    public static let neverWake = Priority(rawValue: 1)

    /// The three priorities that APNs knows, highest first.
    public static let known: [Priority] = [.immediate, .powerConsiderate, .neverWake]

    /// The priority that a header value names, or nil if it is no number.
    public init?(headerValue: some StringProtocol) {
        guard let number = Int(headerValue) else { return nil }
        self.rawValue = number
    }
}

extension Priority: Comparable, CustomStringConvertible {
    /// Orders by urgency, the least urgent first.
    public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }

    /// The header value.
    public var description: String { String(self.rawValue) }
}
