// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What an ordinary push plays: the `sound` of `aps`.
public enum Sound: Hashable, Sendable {
    /// A file in the app's bundle or in `Library/Sounds`, written as a string.
    case named(String)
    /// A sound that can break through the mute switch, written as an object.
    ///
    /// A critical one needs an entitlement that Apple grants. `volume`: 0...1; nil leaves it to the device.
    case object(name: String, critical: Bool, volume: Double?)

    /// The system's sound: `"default"`.
    public static let standard = Sound.named("default")

    /// A critical alert's sound.
    ///
    /// `volume`: 0 (silent) ... 1 (full).
    public static func critical(name: String = "default", volume: Double = 1) -> Sound {
        .object(name: name, critical: true, volume: volume)
    }
}
