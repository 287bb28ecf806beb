// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(UserNotifications) && !os(watchOS)
public import UserNotifications

/// The user's authorization for notifications, with the cases of `UNAuthorizationStatus`.
public enum NotificationAuthorization: String, Sendable {
    /// The app has not requested authorization.
    case notDetermined
    /// The user denied authorization.
    case denied
    /// The user granted authorization.
    case authorized
    /// Notifications are delivered quietly until the user decides.
    case provisional
    /// The app is an App Clip and can notify for a limited time.
    case ephemeral

    init(_ status: UNAuthorizationStatus) {
        switch status {
        case .notDetermined: self = .notDetermined
        case .denied: self = .denied
        case .authorized: self = .authorized
        case .provisional: self = .provisional
        #if os(iOS) || os(Linux)
        case .ephemeral: self = .ephemeral
        #endif
        @unknown default: self = .notDetermined
        }
    }
}

extension Apus {
    /// Requests authorization from the user, and sends the resulting status to the server.
    ///
    /// The system asks the user only at the first call; later calls return the user's decision.
    ///
    /// - Throws: `UNError` if notifications are not available.
    @discardableResult
    public func requestPermission(_ options: UNAuthorizationOptions = [.alert, .badge, .sound]) async throws -> Bool {
        let isGranted = try await UNUserNotificationCenter.current().requestAuthorization(options: options)
        await self.readPermission()
        return isGranted
    }

    /// Reads the current authorization, and sends it to the server.
    ///
    /// The kit calls it each time the app becomes active, because the system does not report changes in Settings.
    @discardableResult
    public func readPermission() async -> NotificationAuthorization {
        let settings = await UNUserNotificationCenter.current().notificationSettings()
        let permission = NotificationAuthorization(settings.authorizationStatus)
        self.permissionChanged(permission.rawValue)
        return permission
    }

    /// Sets the badge of the app's icon; 0 removes it.
    public func setBadge(_ count: Int) async {
        do {
            try await UNUserNotificationCenter.current().setBadgeCount(max(0, count))
        } catch  where count > 0 {
            self.log(.warning, "the badge cannot be set: \(error.kind)")
        } catch {
            // Ignore the error: an app that cannot set a badge has none to remove.
        }
    }
}
#endif
