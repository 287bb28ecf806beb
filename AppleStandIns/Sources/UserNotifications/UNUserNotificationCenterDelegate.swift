// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The delegate of the notification center.
///
/// On Apple platforms all methods are optional, and the two forms of a method are one requirement. An app implements
/// one of them. In this shim, each form has a default implementation that reports that it is missing.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    )
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    )
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse
    ) async
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        openSettingsFor notification: UNNotification?
    )
}

extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        UnimplementedMethodDetector.note()
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        []
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        UnimplementedMethodDetector.note()
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse
    ) async {}

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        openSettingsFor notification: UNNotification?
    ) {}
}

/// Detects whether a delegate implements a method or inherits the default implementation.
public enum UnimplementedMethodDetector {
    private static let isMissing = MainThreadFlag()

    /// Calls the form with a completion handler; returns whether the delegate implements it.
    public static func isImplemented(_ call: () -> Void) -> Bool {
        self.isMissing.value = false
        call()
        return !self.isMissing.value
    }

    /// Records that the method is missing; the default implementations call it.
    public static func note() { self.isMissing.value = true }
}

/// An unsynchronized flag, because delegates are called only on the main thread.
private final class MainThreadFlag: @unchecked Sendable {
    var value = false
}
