// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A callback of an app or of one of its extensions.
public struct AppCallback: Sendable, Hashable, Codable {
    /// The place in the order of the device's calls, from 1.
    public internal(set) var number = 0
    /// When, in simulated time.
    public var at: Date
    /// The app.
    public var bundleID: String
    /// Which method.
    public var name: Name
    /// The notification that it is about.
    public var apnsID: APNsID?
    /// The notification's whole payload, as JSON: the method's `userInfo`.
    public var userInfo: [UInt8]?
    /// The other arguments of the method, by the names of its parameters.
    public var arguments: [String: String]
    /// Whether the app had to be launched for it.
    public internal(set) var launches = false
    /// Until when the app has to say that it is done, where it has to.
    public var deadline: Date?
    /// When it said so.
    public var completedAt: Date?
    /// The result that the app reported, such as `newData`.
    public var result: String?
    /// Whether the deadline passed before it said so.
    public var missedDeadline = false

    init(at: Date, bundleID: String, name: Name, arguments: [String: String] = [:]) {
        self.at = at
        self.bundleID = bundleID
        self.name = name
        self.arguments = arguments
    }

    /// Whether the app is still expected to say that it is done.
    public var isOpen: Bool { self.deadline != nil && self.completedAt == nil && !self.missedDeadline }
}

extension AppCallback {
    /// The method of an app, as its documentation names it.
    public struct Name: RawRepresentable, Sendable, Hashable, Codable {
        /// The method's name with the labels of its parameters.
        public let rawValue: String

        /// The method of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The app has a device token.
        public static let didRegister = Name(
            rawValue: "application(_:didRegisterForRemoteNotificationsWithDeviceToken:)"
        )
        /// A notification comes while the app is on the screen.
        public static let willPresent = Name(rawValue: "userNotificationCenter(_:willPresent:withCompletionHandler:)")
        /// The user acted on a notification.
        public static let didReceiveResponse = Name(
            rawValue: "userNotificationCenter(_:didReceive:withCompletionHandler:)"
        )
        /// A background notification lets the app run.
        public static let didReceiveRemoteNotification = Name(
            rawValue: "application(_:didReceiveRemoteNotification:fetchCompletionHandler:)"
        )
        /// The service extension may change a notification before it is shown.
        public static let serviceExtension = Name(
            rawValue: "UNNotificationServiceExtension.didReceive(_:withContentHandler:)"
        )
        /// PushKit has a token.
        public static let pushKitToken = Name(rawValue: "pushRegistry(_:didUpdate:for:)")
        /// A PushKit push comes.
        public static let pushKitPush = Name(rawValue: "pushRegistry(_:didReceiveIncomingPushWith:for:completion:)")
        /// The location push extension received a location query.
        public static let locationPush = Name(
            rawValue: "CLLocationPushServiceExtension.didReceiveLocationPushPayload(_:completion:)"
        )
        /// The push-to-talk channel has a token.
        public static let pushToTalkToken = Name(rawValue: "channelManager(_:receivedEphemeralPushToken:)")
        /// A push-to-talk push comes.
        public static let pushToTalk = Name(rawValue: "incomingPushResult(channelManager:channelUUID:pushPayload:)")
        /// Widgets have a token.
        public static let widgetToken = Name(rawValue: "WidgetPushHandler.pushTokenDidChange(_:widgets:)")
        /// Widgets create a new timeline.
        public static let widgetReload = Name(rawValue: "TimelineProvider.getTimeline(in:completion:)")
        /// Controls have a token.
        public static let controlToken = Name(rawValue: "ControlPushHandler.pushTokensDidChange(controls:)")
        /// Controls look at their value again.
        public static let controlReload = Name(rawValue: "ControlValueProvider.currentValue()")
        /// The device management client looks for commands.
        public static let deviceManagement = Name(rawValue: "mdm")
    }
}

/// When an app completes its callbacks.
public enum CompletionMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// At once.
    case automatic
    /// When the tester says so; otherwise never, and the deadline is missed.
    case manual
}

extension AppCallback.Name {
    /// A push has started a Live Activity; the app runs in the background to look at it.
    public static let activityUpdates = AppCallback.Name(rawValue: "Activity.activityUpdates")
    /// A Live Activity has an update token.
    public static let activityToken = AppCallback.Name(rawValue: "Activity.pushTokenUpdates")
    /// A type of Live Activities has a push-to-start token.
    public static let pushToStartToken = AppCallback.Name(rawValue: "Activity.pushToStartTokenUpdates")
    /// The user enabled or disabled Live Activities.
    public static let activityEnablement = AppCallback.Name(
        rawValue: "ActivityAuthorizationInfo.activityEnablementUpdates"
    )
    /// The user enabled or disabled frequent updates of Live Activities.
    public static let frequentPushEnablement = AppCallback.Name(
        rawValue: "ActivityAuthorizationInfo.frequentPushEnablementUpdates"
    )
}

extension SimulatorEvent.Kind {
    /// A Live Activity changed; the details name the change.
    public static let activityChanged = SimulatorEvent.Kind(rawValue: "activityChanged")
}

/// The run states of an app.
public enum AppState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is on the screen.
    case foreground
    /// It runs and is not on the screen.
    case background
    /// It is in memory and does not run.
    case suspended
    /// The user swiped it away: it is not launched until the user opens it.
    case forceQuit
    /// It has not been launched since the device was started, or the system has ended it.
    case notLaunched
}
