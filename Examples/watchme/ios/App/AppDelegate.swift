// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import UIKit
import UserNotifications

extension Notification.Name {
    /// A push or its tap announced new data; `userInfo` has the strings `device_id` and `date`.
    static let refreshDashboard = Notification.Name("RefreshDashboard")
}

/// Asks for permission, saves the device token, and passes pushes in the foreground and taps to the dashboard.
///
/// In the background no method is called: the system shows the push and its badge.
final class AppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        Task {
            do {
                let center = UNUserNotificationCenter.current()
                guard try await center.requestAuthorization(options: [.alert, .sound, .badge]) else {
                    return print("Push notification permission denied")
                }
                print("Push notification permission granted")
                UIApplication.shared.registerForRemoteNotifications()
            } catch {
                print("Push notification permission failed: \(error)")
            }
        }
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        let token = deviceToken.map { String(format: "%02hhx", $0) }.joined()
        print("Device Token: \(token)")
        self.saveDeviceToken(token)
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        print("Failed to register for remote notifications: \(error)")
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let userInfo = notification.request.content.userInfo
        print("Notification received (foreground)")
        if userInfo["action"] as? String == "refresh_dashboard" { self.handleDashboardUpdate(userInfo) }
        completionHandler([.banner, .sound])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        print("Notification tapped")
        self.handleDashboardUpdate(response.notification.request.content.userInfo)
        center.setBadgeCount(0)
        completionHandler()
    }

    nonisolated private func handleDashboardUpdate(_ userInfo: [AnyHashable: Any]) {
        guard let device = userInfo["device_id"] as? String, let date = userInfo["date"] as? String else {
            return print("Invalid notification payload")
        }
        Task { @MainActor in
            NotificationCenter.default.post(
                name: .refreshDashboard,
                object: nil,
                userInfo: ["device_id": device, "date": date]
            )
        }
    }

    private func saveDeviceToken(_ token: String) {
        Task {
            do {
                try await Supabase.shared
                    .from("devices")
                    .update(["apns_token": token])
                    .eq("device_id", value: DeviceManager.shared.currentDevice)
                    .execute()
                print("Device token saved to Supabase")
            } catch {
                print("Failed to save device token: \(error)")
            }
        }
    }
}
