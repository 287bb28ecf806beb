// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The operating system that a device runs; unknown ones survive a round trip.
public struct DevicePlatform: RawRepresentable, Hashable, Sendable, Codable {
    /// The name, in lower case.
    public let rawValue: String

    /// Takes a name as it is.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// iPhone.
    public static let iOS = DevicePlatform(rawValue: "ios")

    /// iPad.
    public static let iPadOS = DevicePlatform(rawValue: "ipados")

    /// Mac.
    public static let macOS = DevicePlatform(rawValue: "macos")

    /// Apple TV.
    public static let tvOS = DevicePlatform(rawValue: "tvos")

    /// Apple Watch.
    public static let watchOS = DevicePlatform(rawValue: "watchos")

    /// Apple Vision.
    public static let visionOS = DevicePlatform(rawValue: "visionos")
}
