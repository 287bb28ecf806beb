// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a virtual device is like, and what it is doing.
public struct DeviceTraits: Sendable, Hashable, Codable {
    /// Whether it is connected to APNs.
    ///
    /// Default: `true`. A device of a population is as the population is, until this is set.
    public var isOnline: Bool {
        get { self.ownIsOnline ?? self.inheritedIsOnline }
        set { self.ownIsOnline = newValue }
    }
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

    /// What ``isOnline`` was set to.
    private var ownIsOnline: Bool?
    /// What ``isOnline`` is as long as it is not set.
    private var inheritedIsOnline = true

    /// A device with the defaults.
    public init() {}

    /// Whether ``isOnline`` was not set.
    var inheritsIsOnline: Bool { self.ownIsOnline == nil }

    /// Is online or not as others are, unless it was told otherwise.
    mutating func inherit(isOnline: Bool) { self.inheritedIsOnline = isOnline }

    /// Whether it saves power now.
    var isPowerRestricted: Bool { self.isLocked || self.isLowPower }
}
