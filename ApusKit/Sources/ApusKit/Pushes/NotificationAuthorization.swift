// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(UserNotifications) && !os(watchOS)
public import UserNotifications

/// What the person lets the app's notifications do.
public enum NotificationAuthorization: String, Sendable {
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
    /// Asks the person, the first time, and tells the server what the answer is.
    ///
    /// Later it only says what that was.
    ///
    /// - Throws: `UNError`, where notifications are not possible at all.
    @discardableResult
    public func requestPermission(_ options: UNAuthorizationOptions = [.alert, .badge, .sound]) async throws -> Bool {
        let isGranted = try await UNUserNotificationCenter.current().requestAuthorization(options: options)
        await self.readPermission()
        return isGranted
    }

    /// Reads what the person permits now, and tells the server.
    ///
    /// The kit does whenever the app comes to the screen: the person changes it in Settings, and nobody tells the app.
    @discardableResult
    public func readPermission() async -> NotificationAuthorization {
        let settings = await UNUserNotificationCenter.current().notificationSettings()
        let permission = NotificationAuthorization(settings.authorizationStatus)
        self.permissionChanged(permission.rawValue)
        return permission
    }

    /// Puts a number on the app's icon; 0 removes it.
    public func setBadge(_ count: Int) async {
        do {
            try await UNUserNotificationCenter.current().setBadgeCount(max(0, count))
        } catch  where count > 0 {
            self.log(.warning, "the badge cannot be set: \(error.kind)")
        } catch {
            // Where the app may set none, there is none to be removed.
        }
    }
}
#endif
