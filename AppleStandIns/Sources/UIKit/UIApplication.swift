// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import UserNotifications
import VirtualDevice

/// The app's process on the virtual device.
///
/// It differs from Apple's in two ways. A suspended app keeps running, because its process is not stopped. `Date()` is
/// the time of the machine and ignores the simulator's clock. As on a device, a process ends if the app is force-quit,
/// ended by the system or removed; a removal does not call the delegate.
@MainActor public class UIApplication: UIResponder {
    public enum State: Int, Sendable {
        case active, inactive, background
    }

    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey"
        )
    }

    nonisolated public static let openNotificationSettingsURLString = "app-settings:notifications"
    nonisolated public static let openSettingsURLString = "app-settings:"
    nonisolated public static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification"
    )
    nonisolated public static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification"
    )
    nonisolated public static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification"
    )
    nonisolated public static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification"
    )
    nonisolated public static let significantTimeChangeNotification = Notification.Name(
        "UIApplicationSignificantTimeChangeNotification"
    )

    public static let shared = UIApplication()

    public private(set) var applicationState = State.inactive
    public private(set) var isRegisteredForRemoteNotifications = false
    public var delegate: (any UIApplicationDelegate)?
    /// Ends the process when the device ends the app; a test that runs an app in its own process replaces it.
    public var onEnd: @MainActor () -> Void = { exit(0) }

    private let link = VirtualDeviceSession.shared
    /// Whether the app waits for a device token, which requires a connection.
    private var waitsForToken = false
    private var hasLaunched = false
    /// The last device token that was passed to the delegate.
    private var toldToken: String?
    private var nextBackgroundTask = 1
    /// Whether life-cycle events go to scenes instead of the app delegate.
    private var hasScenes = false

    nonisolated private override init() { super.init() }

    // MARK: Life cycle

    /// Launches the app on its device, as a tap on its icon does.
    ///
    /// With `APUS_DEVICE_LAUNCH=system`, the app is launched in the background, as for a push.
    ///
    /// UIKit calls the delegate's methods for foreground and background changes only in apps without scenes. All
    /// SwiftUI apps have scenes. The notifications are posted in both cases.
    public func launch(_ delegate: (any UIApplicationDelegate)?, bySystem: Bool? = nil, hasScenes: Bool = false) {
        self.delegate = delegate
        self.hasScenes = hasScenes
        (self.waitsForToken, self.toldToken, self.isRegisteredForRemoteNotifications) = (false, nil, false)
        let bySystem = bySystem ?? (ProcessInfo.processInfo.environment["APUS_DEVICE_LAUNCH"] == "system")
        let state = bySystem ? "background" : "foreground"
        // The app reports the completion of a push and the result explicitly.
        _ = try? self.link.call("PATCH", self.link.appPath(), ["state": state, "completion": "manual"])
        UNUserNotificationCenter.current().attach()
        self.applicationState = .inactive
        _ = delegate?.application(self, didFinishLaunchingWithOptions: nil)
        self.hasLaunched = true
        self.change(to: bySystem ? .background : .active)
        self.link.observe { moment in
            DispatchQueue.main.async { MainActor.assumeIsolated { UIApplication.shared.take(moment) } }
        } onGone: {
            // iOS kills the process of an app that the user removes.
            DispatchQueue.main.async { MainActor.assumeIsolated { UIApplication.shared.onEnd() } }
        }
        self.link.start()
    }

    private func change(to state: State) {
        guard state != self.applicationState else { return }
        let center = NotificationCenter.default
        let old = self.applicationState
        let delegate = self.hasScenes ? nil : self.delegate
        if state == .active {
            if old == .background {
                self.applicationState = .inactive
                delegate?.applicationWillEnterForeground(self)
                center.post(name: Self.willEnterForegroundNotification, object: self)
            }
            self.applicationState = .active
            delegate?.applicationDidBecomeActive(self)
            center.post(name: Self.didBecomeActiveNotification, object: self)
        } else {
            if old == .active {
                delegate?.applicationWillResignActive(self)
                center.post(name: Self.willResignActiveNotification, object: self)
            }
            self.applicationState = .background
            delegate?.applicationDidEnterBackground(self)
            center.post(name: Self.didEnterBackgroundNotification, object: self)
        }
    }

    private func take(_ moment: DeviceSnapshot) {
        switch moment.status.appState {
        case "foreground": self.change(to: .active)
        case "background", "suspended": self.change(to: .background)
        default:
            self.delegate?.applicationWillTerminate(self)
            return self.onEnd()
        }
        if moment.status.isOnline, let token = moment.status.token { self.tell(token) }
        for call in moment.calls
        where call.name == "application(_:didReceiveRemoteNotification:fetchCompletionHandler:)" {
            self.receive(call)
        }
    }

    // MARK: Tokens

    /// Requests a device token, and passes it or an error to the delegate.
    ///
    /// Without a connection, the delegate is called only after the connection is back. UIKit can also pass a token
    /// unrequested; this shim does so when the token changes.
    public func registerForRemoteNotifications() {
        self.isRegisteredForRemoteNotifications = true
        self.waitsForToken = true
        guard let status = try? self.link.status() else {
            self.waitsForToken = false
            let error = NSError(
                domain: "NSCocoaErrorDomain",
                code: 3000,
                userInfo: [
                    NSLocalizedDescriptionKey: "no valid “aps-environment” entitlement string found for application"
                ]
            )
            return DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    self.delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
                }
            }
        }
        guard status.isOnline, let token = status.token else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.tell(token) } }
    }

    public func unregisterForRemoteNotifications() {
        self.isRegisteredForRemoteNotifications = false
        self.waitsForToken = false
    }

    private func tell(_ token: String) {
        guard self.waitsForToken || (self.isRegisteredForRemoteNotifications && token != self.toldToken) else { return }
        self.waitsForToken = false
        self.toldToken = token
        self.delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: Data(hexadecimal: token))
    }

    // MARK: Background

    private func receive(_ call: DeviceCallback) {
        guard let delegate = self.delegate else { return self.link.complete(call, result: "noData") }
        let complete: @Sendable (UIBackgroundFetchResult) -> Void = { [link] result in
            DispatchQueue.global().async { link.complete(call, result: result.word) }
        }
        let hasHandler = UnimplementedMethodDetector.isImplemented {
            delegate.application(
                self,
                didReceiveRemoteNotification: call.dictionary,
                fetchCompletionHandler: complete
            )
        }
        guard !hasHandler else { return }
        Task { complete(await delegate.application(self, didReceiveRemoteNotification: call.dictionary)) }
    }

    public func beginBackgroundTask(
        withName name: String? = nil,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        self.nextBackgroundTask += 1
        return UIBackgroundTaskIdentifier(rawValue: self.nextBackgroundTask)
    }

    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

extension Data {
    /// Decodes pairs of hexadecimal digits.
    init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
