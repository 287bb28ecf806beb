// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing
import UIKit
import UserNotifications
import VirtualDevice
import VirtualDeviceTesting

/// One app is all that a process is: the suites that play one run one after the other.
@Suite("On a virtual device", .serialized, .timeLimit(.minutes(20)))
@MainActor
struct OnDevice {
    /// Boots a device and launches an app on it, for a test.
    static func play(
        _ traits: [String: Any] = [:],
        system: String = "26.0",
        hasScenes: Bool = false,
        _ body: @MainActor (Phone, RecordingDelegate) async throws -> Void
    ) async throws {
        let stage = try #require(
            Stage.ofProcess(),
            "run these tests by dev/test-kit: they need a simulator and a server"
        )
        let phone = try stage.boot(traits, system: system)
        let delegate = RecordingDelegate()
        UIApplication.shared.onEnd = { delegate.told.append("ended") }
        UIApplication.shared.launch(delegate, bySystem: false, hasScenes: hasScenes)
        defer {
            VirtualDeviceSession.shared.disconnect()
            try? FileManager.default.removeItem(at: phone.container)
        }
        try await body(phone, delegate)
    }
}

/// An app delegate that writes down what it is told, in the form with completion handlers.
final class RecordingDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    var told: [String] = []
    var tokens: [String] = []
    var errors: [any Error] = []
    var pushes: [[AnyHashable: Any]] = []
    var notifications: [UNNotification] = []
    var responses: [UNNotificationResponse] = []
    var result = UIBackgroundFetchResult.newData
    nonisolated(unsafe) var options: UNNotificationPresentationOptions = [.banner, .list]

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        self.told.append("launched")
        UNUserNotificationCenter.current().delegate = self
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { self.told.append("active") }
    func applicationDidEnterBackground(_ application: UIApplication) { self.told.append("background") }
    func applicationWillTerminate(_ application: UIApplication) { self.told.append("terminating") }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        self.tokens.append(deviceToken.map { String(format: "%02x", $0) }.joined())
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        self.errors.append(error)
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        self.pushes.append(userInfo)
        completionHandler(self.result)
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        nonisolated(unsafe) let notification = notification
        MainActor.assumeIsolated { self.notifications.append(notification) }
        completionHandler(self.options)
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        nonisolated(unsafe) let response = response
        MainActor.assumeIsolated { self.responses.append(response) }
        completionHandler()
    }
}
