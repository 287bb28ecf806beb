// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
