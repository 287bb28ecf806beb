// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a virtual device is like, and what it is doing.
public struct DeviceTraits: Sendable, Hashable, Codable {
    /// Whether it is connected to APNs.
    ///
    /// Default: `true`.
    public var isOnline = true
    /// Whether it lies about with its screen off: what is not urgent waits and comes in groups.
    ///
    /// Default: `false`.
    public var isLocked = false
    /// Whether it saves power: what is not urgent waits and comes in groups.
    ///
    /// Default: `false`.
    public var isLowPower = false
    /// The name of its system: iOS, iPadOS, macOS, tvOS, watchOS or visionOS.
    ///
    /// Default: iOS.
    public var systemName = "iOS"
    /// The version of its system, as `major.minor`.
    ///
    /// Default: 26.0.
    public var systemVersion = SystemVersion(major: 26)
    /// How long the device takes to acknowledge a notification; what comes meanwhile waits in APNs's store.
    ///
    /// Unit: seconds. Default: 0.
    public var acknowledgementDelay: Double = 0

    /// A device with the defaults.
    public init() {}

    /// Whether it saves power now.
    var isPowerRestricted: Bool { self.isLocked || self.isLowPower }
}
