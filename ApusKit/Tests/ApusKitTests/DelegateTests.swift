// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
import Foundation
import SwiftUI
import Testing
import UIKit
import UserNotifications
import VirtualDevice
import VirtualDeviceTesting

@testable import ApusKit

extension OnPhone {
    /// An app delegate that an app had before the kit, as the guide says what it hands on.
    final class OwnDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
        let kit: Apus
        let setUp: (Apus) -> Void

        init(_ kit: Apus, setUp: @escaping (Apus) -> Void) { (self.kit, self.setUp) = (kit, setUp) }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            UNUserNotificationCenter.current().delegate = self
            self.setUp(self.kit)
            application.registerForRemoteNotifications()
            return true
        }

        func application(
            _ application: UIApplication,
            didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
        ) {
            self.kit.register(deviceToken: deviceToken)
        }

        func application(
            _ application: UIApplication,
            didReceiveRemoteNotification userInfo: [AnyHashable: Any],
            fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
        ) {
            self.kit.didReceive(userInfo, in: application, completion: completionHandler)
        }

        nonisolated func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
        ) {
            completionHandler(self.kit.willPresent(notification))
        }

        nonisolated func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping () -> Void
        ) {
            self.kit.didReceive(response, completion: completionHandler)
        }
    }

    private static let silent: [String: Any] = ["pushType": "background", "priority": 5]

    private static func results(_ phone: Phone) throws -> [String?] {
        try phone.calls("didReceiveRemoteNotification").map { $0["result"] as? String }
    }

    private static func isActive(_ isActive: Bool) async throws {
        try await eventually("the app's state") {
            (UIApplication.shared.applicationState == .active) == isActive ? () : nil
        }
    }

    @Test("an app with a delegate of its own hands everything on, and the kit learns of the rest by itself")
    func ownDelegate() async throws {
        let arrivals = ApusKit.Locked<[PushContext]>([])
        let setUp: (Apus) -> Void = { apus in
            apus.pushes.on("a") { push in
                arrivals.withLock { $0.append(push.arrival) }
                return .newData
            }
        }
        try await Self.play(delegate: { OwnDelegate($0, setUp: $1) }, setUp: setUp) { phone, _ in
            try await eventually("the device, and what the person permits") {
                let tags = try Self.registered(phone)?["tags"] as? [String: String]
                return tags?["permission"] == "authorized" ? () : nil
            }
            let token = try phone.token
            try phone.stage.send(["aps": ["alert": "A"], "action": "a"], to: token, ["collapseID": "one"])
            try await eventually("the foreground") { arrivals.withLock { $0 } == [.foreground] ? () : nil }
            try phone.change(["state": "background"])
            try await Self.isActive(false)
            try phone.stage.send(["aps": ["content-available": 1], "action": "a"], to: token, Self.silent)
            try await eventually("the completion") { try Self.results(phone) == ["newData"] ? () : nil }
            try phone.stage.control("POST", "\(phone.path)/shown/one/response")
            try await eventually("the tap") {
                arrivals.withLock { $0 } == [.foreground, .background, .tapped] ? () : nil
            }
        }
    }

    @Test("a push is shown as the app has decided")
    func presented() async throws {
        let setUp: (Apus) -> Void = { $0.pushes.present { $0.action == "chat" ? [.list] : .all } }
        try await Self.play(setUp: setUp) { phone, _ in
            let token = try phone.token
            let chat: [String: Any] = ["aps": ["alert": "C", "sound": "default", "badge": 3], "action": "chat"]
            func options() throws -> [String] {
                try phone.calls("willPresent").compactMap { ($0["arguments"] as? [String: String])?["options"] }
            }
            // The simulator has shown a push by the time that it asks: the answer counts from the next one on.
            try phone.stage.send(chat, to: token, ["collapseID": "first"])
            try await eventually("the answer") {
                try phone.stage.send(chat, to: token)
                return try options().last == "list" ? () : nil
            }
            #expect(try options().first == "badge,banner,list,sound")
            // Another push is asked about anew.
            try phone.stage.send(["aps": ["alert": "D"], "action": "other"], to: token)
            try await eventually("the other answer") {
                try phone.stage.send(["aps": ["alert": "D"], "action": "other"], to: token)
                return try options().last == "badge,banner,list,sound" ? () : nil
            }
        }
    }

    @Test("a handler that is not done in time has failed, before the device's patience is over")
    func deadline() async throws {
        let server = ScriptedServer()
        let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
        let (cancellation, cancelled) = AsyncStream.makeStream(of: Void.self)
        let setUp: (Apus) -> Void = { apus in
            apus.pushes.on("slow") { _ in
                begun.finish()
                let never = AsyncStream<Void> { _ in }
                for await _ in never {}
                cancelled.finish()
                return .newData
            }
        }
        try await Self.play(configure: { $0.clock = server.clock }, setUp: setUp) { phone, _ in
            _ = try await eventually("the device") { try Self.registered(phone) }
            try phone.change(["state": "background"])
            try await Self.isActive(false)
            // The device's clock stands still, but for what it is moved: no deadline passes on a machine that is busy.
            try phone.stage.control("PATCH", "/v1/clock", ["scale": 0])
            defer { _ = try? phone.stage.control("PATCH", "/v1/clock", ["scale": 1]) }
            try phone.stage.send(["aps": ["content-available": 1], "action": "slow"], to: phone.token, Self.silent)
            for await _ in beginning {}
            try phone.stage.control("POST", "/v1/clock:advance", ["seconds": PushRouter.deadline])
            #expect(try Self.results(phone) == [nil])
            try await eventually("the completion") {
                // The kit's own clock; what waits for it besides, such as an upload, is woken too.
                server.advance(by: PushRouter.deadline)
                return try Self.results(phone) == ["failed"] ? () : nil
            }
            for await _ in cancellation {}
            let call = try #require(try phone.calls("didReceiveRemoteNotification").first)
            #expect(call["missedDeadline"] as? Bool != true)
        }
    }

    @Test(
        "what is new in the background is a badge, which goes when it is loaded; a load that fails is told to the system"
    )
    func badge() async throws {
        let (isBroken, loads) = (ApusKit.Locked(true), ApusKit.Locked<[String]>([]))
        let setUp: (Apus) -> Void = { apus in
            DayRefresh(cache: DayCache<Int>(), timeZone: { _ in .current }) { device in
                if isBroken.withLock({ $0 }) { throw URLError(.notConnectedToInternet) }
                loads.withLock { $0.append(device) }
            }
            .install(in: apus)
        }
        let center = UNUserNotificationCenter.current()
        try await Self.play(setUp: setUp) { phone, _ in
            let token = try phone.token
            func push(_ device: String, _ aps: [String: Any], _ more: [String: Any] = [:]) throws {
                try phone.stage.send(
                    ["aps": aps, "action": "refresh_dashboard", "device_id": device],
                    to: token,
                    more
                )
            }
            try push("a", ["content-available": 1], Self.silent)
            try await eventually("the failure") { try Self.results(phone) == ["failed"] ? () : nil }
            #expect(center.badgeCount == 0)
            try phone.change(["state": "background"])
            try await Self.isActive(false)
            isBroken.withLock { $0 = false }
            try push("b", ["content-available": 1], Self.silent)
            try await eventually("the badge of two") { center.badgeCount == 2 ? () : nil }
            #expect(loads.withLock { $0 }.isEmpty)
            try phone.change(["state": "foreground"])
            try await eventually("the loads") { loads.withLock { $0 } == ["a", "b"] ? () : nil }
            try await eventually("no badge") { center.badgeCount == 0 ? () : nil }
            // A push that brings a badge, for a process of which the kit knows nothing.
            try phone.change(["state": "background"])
            try await Self.isActive(false)
            try phone.stage.send(["aps": ["alert": "A", "badge": 7]], to: token)
            try await eventually("the badge of the push") { center.badgeCount == 7 ? () : nil }
            try phone.change(["state": "foreground"])
            try await eventually("no badge any more") { center.badgeCount == 0 ? () : nil }
        }
    }
}
#endif
