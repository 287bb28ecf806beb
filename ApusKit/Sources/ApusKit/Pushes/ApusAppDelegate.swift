// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(UIKit) && canImport(UserNotifications) && !os(watchOS) && !os(tvOS)
public import Foundation
public import UIKit
public import UserNotifications

/// An app delegate that registers for remote notifications at every launch, and passes each push to its handler.
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
/// If the app has its own delegate, call the methods of ``Apus`` from it, as the methods of this class do.
open class ApusAppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    /// The instance that receives the calls.
    ///
    /// Default: ``Apus/shared``.
    nonisolated open var apus: Apus { .shared }

    /// Creates an app delegate.
    public override init() { super.init() }

    /// Override this method to install handlers and start the kit; it is called before the app finishes launching.
    open func configure() {}

    /// Becomes the notification center's delegate, calls ``configure()`` and registers for remote notifications.
    open func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        self.configure()
        // Register at every launch, because tokens change, and without authorization, because silent pushes need a
        // token too.
        application.registerForRemoteNotifications()
        return true
    }

    /// Passes the device token to the kit.
    open func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        self.apus.register(deviceToken: deviceToken)
    }

    /// Passes the registration error to the kit.
    open func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        self.apus.registrationFailed(error)
    }

    /// Passes a remote notification to its handler.
    open func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        self.apus.didReceive(userInfo, in: application, completion: completionHandler)
    }

    /// Passes a notification in the foreground to its handler, and returns how to present it.
    nonisolated open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler(self.apus.willPresent(notification))
    }

    /// Passes the user's response to a notification to its handler.
    nonisolated open func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        self.apus.didReceive(response, completion: completionHandler)
    }
}

extension Apus {
    /// Handles a call of `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
    ///
    /// The kit calls `completion` when the handler returns, at the latest after ``PushRouter/deadline``.
    @MainActor public func didReceive(
        _ userInfo: [AnyHashable: Any],
        in application: UIApplication,
        completion: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        let arrival: PushContext = application.applicationState == .active ? .foreground : .background
        let work = self.pushes.handle(userInfo: userInfo, arrival: arrival)
        Task { completion(UIBackgroundFetchResult(await work.value)) }
    }

    /// Handles a call of `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
    ///
    /// - Returns: How to present the notification; the method does not wait for the handler.
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

    /// Handles a call of `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
    ///
    /// The kit calls `completion` on the main thread when the handler returns, at the latest after
    /// ``PushRouter/deadline``.
    public func didReceive(_ response: UNNotificationResponse, completion: @escaping () -> Void) {
        let request = response.notification.request
        let work = self.pushes.handle(
            userInfo: request.content.userInfo,
            arrival: PushContext(response),
            identifier: request.identifier
        )
        // UIKit requires one call on the main thread. Only the task below uses the closure.
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
