// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How much a notification may interrupt: the `interruption-level` of `aps`.
///
/// Open: a level that is not known here survives a round trip.
public struct InterruptionLevel: RawRepresentable, Hashable, Sendable, Codable {
    /// The value in the payload.
    public var rawValue: String

    /// The level of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Adds it to the list without lighting the screen or playing a sound.
    public static let passive = InterruptionLevel(rawValue: "passive")
    /// Shows it at once: what the system assumes without a level.
    public static let active = InterruptionLevel(rawValue: "active")
    /// Breaks through a Focus and the scheduled summary; needs an entitlement.
    public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
    /// Breaks through the mute switch and Do Not Disturb; needs an entitlement that Apple grants.
    public static let critical = InterruptionLevel(rawValue: "critical")
}
