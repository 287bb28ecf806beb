// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(UIKit) && canImport(UserNotifications) && !os(watchOS)
public import Foundation
public import UIKit
public import UserNotifications

/// An app delegate that has everything of pushes done: registration at every launch, and each push taken to its handler.
///
/// ```swift
/// @main struct DashboardApp: App {
///     @UIApplicationDelegateAdaptor(DashboardDelegate.self) var delegate
///     …
/// }
///
/// final class DashboardDelegate: ApusAppDelegate {
///     override func configure() {
///         Apus.shared.pushes.on(refresh) { … }
///         Apus.shared.start(ApusConfiguration(server: server, clientKey: key))
///     }
/// }
/// ```
///
/// An app with a delegate of its own calls the same from there; these methods show what.
open class ApusAppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    /// The kit that is told.
    ///
    /// Default: ``Apus/shared``.
    open var apus: Apus { .shared }

    /// An app delegate.
    public override init() { super.init() }

    /// Installs handlers and starts the kit; called before the app has finished launching.
    open func configure() {}

    /// The app has been launched.
    open func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        self.configure()
        // At every launch, whatever the person permits: silent pushes need a token too, and tokens change.
        application.registerForRemoteNotifications()
        return true
    }

    /// The app is on the screen.
    open func applicationDidBecomeActive(_ application: UIApplication) {
        self.apus.becameActive()
        let apus = self.apus
        Task.detached { await apus.readPermission() }
    }

    /// The system has given a token.
    open func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        self.apus.register(deviceToken: deviceToken)
    }

    /// The system gives no token.
    open func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        self.apus.registrationFailed(error)
    }

    /// A push lets the app run.
    open func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        let arrival: PushArrival = application.applicationState == .active ? .foreground : .background
        let work = self.apus.pushes.handle(userInfo: userInfo, arrival: arrival)
        Task { completionHandler(UIBackgroundFetchResult(await work.value)) }
    }

    /// A push comes while the app is on the screen.
    nonisolated open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let pushes = MainActor.assumeIsolated { self.apus.pushes }
        let request = notification.request
        let push = try? Push(
            userInfo: request.content.userInfo,
            arrival: .foreground,
            identifier: request.identifier
        )
        guard let push else { return completionHandler([.banner, .list, .sound, .badge]) }
        completionHandler(UNNotificationPresentationOptions(pushes.presentation(of: push)))
        Task.detached { await pushes.handle(push) }
    }

    /// The person has tapped a notification, or chosen one of its actions.
    nonisolated open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let pushes = MainActor.assumeIsolated { self.apus.pushes }
        let request = response.notification.request
        let work = pushes.handle(
            userInfo: request.content.userInfo,
            arrival: PushArrival(response),
            identifier: request.identifier
        )
        // UIKit wants it called on the main thread, once; the handler is handed over and not used here any more.
        nonisolated(unsafe) let done = completionHandler
        Task { @MainActor in
            _ = await work.value
            done()
        }
    }
}

extension PushArrival {
    init(_ response: UNNotificationResponse) {
        switch response.actionIdentifier {
        case UNNotificationDefaultActionIdentifier: self = .tapped
        case UNNotificationDismissActionIdentifier: self = .dismissed
        case let action:
            self = .chose(action: action, text: (response as? UNTextInputNotificationResponse)?.userText)
        }
    }
}

extension UIBackgroundFetchResult {
    init(_ result: PushResult) {
        switch result {
        case .newData: self = .newData
        case .noData: self = .noData
        case .failed: self = .failed
        }
    }
}

extension UNNotificationPresentationOptions {
    init(_ presentation: PushPresentation) {
        self = []
        if presentation.contains(.banner) { self.insert(.banner) }
        if presentation.contains(.list) { self.insert(.list) }
        if presentation.contains(.sound) { self.insert(.sound) }
        if presentation.contains(.badge) { self.insert(.badge) }
    }
}
#endif
