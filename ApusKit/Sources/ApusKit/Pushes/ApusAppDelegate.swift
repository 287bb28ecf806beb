// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(UIKit) && canImport(UserNotifications) && !os(watchOS) && !os(tvOS)
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
/// An app with a delegate of its own does from there what these methods do, each of which is a call of ``Apus``.
open class ApusAppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    /// The kit that is told.
    ///
    /// Default: ``Apus/shared``.
    nonisolated open var apus: Apus { .shared }

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
        self.apus.didReceive(userInfo, in: application, completion: completionHandler)
    }

    /// A push comes while the app is on the screen.
    nonisolated open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler(self.apus.willPresent(notification))
    }

    /// The person has tapped a notification, or chosen one of its actions.
    nonisolated open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        self.apus.didReceive(response, completion: completionHandler)
    }
}

extension Apus {
    /// A push lets the app run; for `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
    ///
    /// `completion` is called when the handler of its action is done, within ``PushRouter/deadline``.
    @MainActor public func didReceive(
        _ userInfo: [AnyHashable: Any],
        in application: UIApplication,
        completion: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        let arrival: PushContext = application.applicationState == .active ? .foreground : .background
        let work = self.pushes.handle(userInfo: userInfo, arrival: arrival)
        Task { completion(UIBackgroundFetchResult(await work.value)) }
    }

    /// A push comes while the app is on the screen; for `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
    ///
    /// - Returns: how it is shown; that does not wait for its handler.
    public func willPresent(_ notification: UNNotification) -> UNNotificationPresentationOptions {
        let request = notification.request
        let (userInfo, identifier) = (request.content.userInfo, request.identifier)
        guard let push = try? Push(userInfo: userInfo, arrival: .foreground, identifier: identifier) else {
            _ = self.pushes.handle(userInfo: userInfo, arrival: .foreground, identifier: identifier)
            return UNNotificationPresentationOptions(.all)
        }
        let pushes = self.pushes
        Task.detached { await pushes.handle(push) }
        return UNNotificationPresentationOptions(pushes.presentation(of: push))
    }

    /// The person has tapped a notification, or chosen one of its actions; for
    /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
    ///
    /// `completion` is called on the main thread when the handler of its action is done, within ``PushRouter/deadline``.
    public func didReceive(_ response: UNNotificationResponse, completion: @escaping () -> Void) {
        let request = response.notification.request
        let work = self.pushes.handle(
            userInfo: request.content.userInfo,
            arrival: PushContext(response),
            identifier: request.identifier
        )
        // UIKit wants it called on the main thread, once; it is handed over and not used here any more.
        nonisolated(unsafe) let done = completion
        Task { @MainActor in
            _ = await work.value
            done()
        }
    }
}

extension PushContext {
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
