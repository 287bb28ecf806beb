// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The settings and the current state of a virtual device.
public struct SimulatedDeviceState: Sendable, Hashable, Codable {
    /// Whether it is connected to APNs.
    ///
    /// Default: `true`. A device of a population is as the population is, until this is set.
    public var isOnline: Bool {
        get { self.ownIsOnline ?? self.inheritedIsOnline }
        set { self.ownIsOnline = newValue }
    }
    /// Whether its screen is off and locked: notifications that are not urgent are stored and delivered in groups.
    ///
    /// Default: `false`.
    public var isLocked = false
    /// Whether it is in low-power mode: notifications that are not urgent are stored and delivered in groups.
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
    /// A name for people who look at the device; `nil` for none.
    public var name: String?
    /// The delay of the acknowledgement of a notification; APNs stores notifications that it accepts meanwhile.
    ///
    /// Unit: seconds. Default: 0.
    public var acknowledgementDelay: Double = 0

    /// The explicit value of ``isOnline``.
    private var ownIsOnline: Bool?
    /// The value of ``isOnline`` without an explicit one.
    private var inheritedIsOnline = true

    /// A device with the defaults.
    public init() {}

    /// Whether ``isOnline`` was not set.
    var inheritsIsOnline: Bool { self.ownIsOnline == nil }

    /// Applies the population's online state, unless the device has an explicit one.
    mutating func inherit(isOnline: Bool) { self.inheritedIsOnline = isOnline }

    /// Whether it saves power now.
    var isPowerRestricted: Bool { self.isLocked || self.isLowPower }
}

/// The version of a device's system.
public struct SystemVersion: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The number before the dot.
    public var major: Int
    /// The number after the dot.
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

    /// The version in text form.
    public var description: String { "\(self.major).\(self.minor)" }

    /// Orders versions by age.
    public static func < (left: SystemVersion, right: SystemVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

/// The settings and the current state of an app on a virtual device.
public struct SimulatedAppState: Sendable, Hashable, Codable {
    /// The run state.
    ///
    /// Default: suspended.
    public var state: AppState = .suspended
    /// The user's notification permission.
    ///
    /// Default: authorized.
    public var permission: NotificationAuthorization = .authorized
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
    /// The result of `userNotificationCenter(_:willPresent:)` while the app is in the foreground: any of `banner`,
    /// `list`, `sound` and `badge`.
    ///
    /// Default: all of them. An empty set behaves as if the method were not implemented.
    public var presentation: Set<String> = ["banner", "list", "sound", "badge"]
    /// When it completes its callbacks.
    ///
    /// Default: immediately.
    public var completion: CompletionMode = .automatic
    /// Whether a debugger is attached, which lifts the limits of background notifications.
    ///
    /// Default: `false`.
    public var isDebugged = false

    /// An app with the defaults.
    public init() {}
}

/// The user's notification permission for an app; the cases of `UNAuthorizationStatus`.
public enum NotificationAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app has not asked.
    case notDetermined
    /// The user denied permission.
    case denied
    /// The user granted permission.
    case authorized
    /// Notifications are delivered quietly until the user decides.
    case provisional
    /// As authorized, for an app clip.
    case ephemeral

    /// Whether notifications enter the list at all.
    public var showsNotifications: Bool { self != .notDetermined && self != .denied }
    /// Whether notifications may light up, sound and badge.
    public var interrupts: Bool { self == .authorized || self == .ephemeral }
}
