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

/// The version of a device's system.
public struct SystemVersion: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The number before the dot.
    public var major: Int
    /// The number behind the dot.
    public var minor: Int

    /// A version.
    public init(major: Int, minor: Int = 0) {
        self.major = major
        self.minor = minor
    }

    /// The version that a text such as `17.2` names; a third number is ignored, and so is a minor one that is missing.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        guard (1...3).contains(parts.count), numbers.count == parts.count,
            numbers.allSatisfy({ (0...999).contains($0) })
        else { return nil }
        self.init(major: numbers[0], minor: numbers.count > 1 ? numbers[1] : 0)
    }

    /// The version as it is written.
    public var description: String { "\(self.major).\(self.minor)" }

    /// Orders versions by age.
    public static func < (left: SystemVersion, right: SystemVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

/// What an app on a virtual device is like, and what it is doing.
public struct AppTraits: Sendable, Hashable, Codable {
    /// What it is doing.
    ///
    /// Default: suspended.
    public var state: AppRunState = .suspended
    /// What the person lets its notifications do.
    ///
    /// Default: authorized.
    public var permission: NotificationPermission = .authorized
    /// `UIBackgroundModes` of its Info.plist.
    ///
    /// Default: `remote-notification`.
    public var backgroundModes: Set<String> = ["remote-notification"]
    /// Whether its Info.plist says `NSSupportsLiveActivities`.
    ///
    /// Default: `true`.
    public var supportsLiveActivities = true
    /// Whether its Info.plist says `NSSupportsLiveActivitiesFrequentUpdates`.
    ///
    /// Default: `false`.
    public var supportsFrequentUpdates = false
    /// Whether it has a notification service extension.
    ///
    /// Default: `false`.
    public var hasServiceExtension = false
    /// What `userNotificationCenter(_:willPresent:)` answers while the app is on the screen: of `banner`, `list`,
    /// `sound` and `badge`.
    ///
    /// Default: all of them. None is as if the method were missing.
    public var presentation: Set<String> = ["banner", "list", "sound", "badge"]
    /// How it answers calls that it has to complete.
    ///
    /// Default: at once.
    public var completion: CallCompletion = .automatic
    /// Whether a debugger is attached, which lifts the limits of background notifications.
    ///
    /// Default: `false`.
    public var isDebugged = false

    /// An app with the defaults.
    public init() {}
}

/// What the person lets an app's notifications do; the cases of `UNAuthorizationStatus`.
public enum NotificationPermission: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app has not asked.
    case notDetermined
    /// The person said no.
    case denied
    /// The person said yes.
    case authorized
    /// Notifications come quietly until the person decides.
    case provisional
    /// As authorized, for an app clip.
    case ephemeral

    /// Whether notifications enter the list at all.
    public var showsNotifications: Bool { self != .notDetermined && self != .denied }
    /// Whether notifications may light up, sound and badge.
    public var interrupts: Bool { self == .authorized || self == .ephemeral }
}
