// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
@preconcurrency import ActivityKit
import Foundation
import SwiftUI
import Testing
import UIKit
import VirtualDevice
import VirtualDeviceTesting

@testable import ApusKit

struct RideAttributes: ActivityAttributes, Sendable {
    struct ContentState: Codable, Hashable, Sendable {
        var fee: Int
        var endsAt: Date
    }

    var ride: String
}

/// The kit in an app on a virtual device, with a server that runs.
@Suite("With a phone and a server", .serialized, .timeLimit(.minutes(20)))
@MainActor
struct OnPhone {
    final class Delegate: ApusAppDelegate {
        let kit: Apus
        let setUp: (Apus) -> Void

        init(_ kit: Apus, setUp: @escaping (Apus) -> Void) {
            (self.kit, self.setUp) = (kit, setUp)
            super.init()
        }

        nonisolated override var apus: Apus { self.kit }
        override func configure() { self.setUp(self.kit) }
    }

    /// Boots a device and launches an app with the kit on it.
    static func play(
        _ traits: [String: Any] = [:],
        configure: (inout ApusConfiguration) -> Void = { _ in },
        delegate make: (Apus, @escaping (Apus) -> Void) -> any UIApplicationDelegate = { Delegate($0, setUp: $1) },
        setUp: @escaping (Apus) -> Void = { _ in },
        _ body: @MainActor (Phone, Apus) async throws -> Void
    ) async throws {
        let stage = try #require(
            Stage.ofProcess(),
            "run these tests by dev/test-kit: they need a simulator and a server"
        )
        let phone = try stage.boot(traits)
        var configuration = ApusConfiguration(server: stage.server, clientKey: stage.clientKey, app: stage.app)
        configuration.directory = phone.container.appendingPathComponent("Apus")
        configure(&configuration)
        let apus = Apus()
        let wanted = configuration
        let delegate = make(apus) { apus in
            setUp(apus)
            apus.start(wanted)
        }
        UIApplication.shared.onEnd = {}
        UIApplication.shared.launch(delegate, bySystem: false)
        defer {
            VirtualDeviceSession.shared.disconnect()
            try? FileManager.default.removeItem(at: phone.container)
        }
        try await body(phone, apus)
        await apus.stop()
        withExtendedLifetime(delegate) {}
    }

    /// The device as the server knows it, by its token.
    static func registered(_ phone: Phone) throws -> [String: Any]? {
        let token = try phone.token
        var query = ""
        while true {
            let page = try phone.stage.backend("GET", "/devices?limit=100\(query)")
            let devices = page["devices"] as? [[String: Any]] ?? []
            if let device = devices.first(where: { $0["token"] as? String == token }) { return device }
            guard let next = page["nextCursor"] as? String else { return nil }
            query = "&cursor=\(next)"
        }
    }

    @Test("a launch registers the device; what the app and the person say reaches the server")
    func registration() async throws {
        try await Self.play(["permission": "notDetermined"]) { phone, apus in
            try apus.setUser("ann")
            try apus.setTag("plan", "gold")
            try apus.subscribe(to: "news")
            let first = try await eventually("the device") {
                let device = try Self.registered(phone)
                return (device?["topics"] as? [String]) == ["news"] ? device : nil
            }
            #expect(first["userID"] as? String == "ann")
            #expect(first["environment"] as? String == "sandbox")
            async let answer = apus.requestPermission()
            try phone.change(["permission": "authorized"])
            let isGranted = try await answer
            #expect(isGranted)
            try await eventually("the permission") {
                let tags = try Self.registered(phone)?["tags"] as? [String: String]
                return tags == ["plan": "gold", "permission": "authorized"] ? () : nil
            }
            // Taken back in Settings: the app learns of it when it is opened.
            try phone.change(["permission": "denied", "state": "background"])
            try await eventually("the background") { UIApplication.shared.applicationState == .background ? () : nil }
            try phone.change(["state": "foreground"])
            try await eventually("the withdrawal") {
                let tags = try Self.registered(phone)?["tags"] as? [String: String]
                return tags?["permission"] == "denied" ? () : nil
            }
        }
    }

    @Test("another token takes the place of the one before, under the same installation")
    func rotation() async throws {
        try await Self.play { phone, _ in
            let first = try await eventually("the device") { try Self.registered(phone) }
            try phone.stage.control("POST", "\(phone.appPath)/reinstall", ["state": "foreground"])
            let second = try await eventually("the other token") { try Self.registered(phone) }
            #expect(first["device"] as? String == second["device"] as? String)
            #expect(first["token"] as? String != second["token"] as? String)
        }
    }

    @Test("unregistering removes the device from the server")
    func unregistering() async throws {
        try await Self.play { phone, apus in
            _ = try await eventually("the device") { try Self.registered(phone) }
            apus.unregister()
            try await eventually("the removal") { try Self.registered(phone) == nil ? () : nil }
        }
    }

    @Test("pushes reach their handler in every state of the app")
    func pushes() async throws {
        let arrivals = ApusKit.Locked<[PushContext]>([])
        let setUp: (Apus) -> Void = { apus in
            apus.pushes.on("refresh_dashboard") { push in
                arrivals.withLock { $0.append(push.arrival) }
                return .newData
            }
        }
        try await Self.play(setUp: setUp) { phone, _ in
            let token = try phone.token
            let alert: [String: Any] = ["aps": ["alert": ["title": "T"]], "action": "refresh_dashboard"]
            try phone.stage.send(alert, to: token, ["collapseID": "one"])
            try await eventually("the foreground") { arrivals.withLock { $0 } == [.foreground] ? () : nil }
            try phone.change(["state": "background"])
            try await eventually("the background") { UIApplication.shared.applicationState == .background ? () : nil }
            let silent: [String: Any] = ["aps": ["content-available": 1], "action": "refresh_dashboard"]
            try phone.stage.send(silent, to: token, ["pushType": "background", "priority": 5])
            try await eventually("the completion") {
                try phone.calls("didReceiveRemoteNotification").first?["result"] as? String == "newData" ? () : nil
            }
            try phone.stage.control("POST", "\(phone.path)/shown/one/response")
            try await eventually("the tap") {
                arrivals.withLock { $0 } == [.foreground, .background, .tapped] ? () : nil
            }
        }
    }

    @Test("a view does something with each push while it is shown")
    func view() async throws {
        try await Self.play { phone, apus in
            let seen = ApusKit.Locked<[String]>([])
            let screen = Screen {
                Text("Dashboard").onPush("a", of: apus) { push in seen.withLock { $0.append(push.body) } }
            }
            #expect(screen.texts == ["Dashboard"])
            let token = try phone.token
            try await eventually("the push") {
                // The view begins to watch a moment after it is shown.
                try phone.stage.send(["aps": ["alert": "B"], "action": "a"], to: token)
                return seen.withLock { $0.first } == "B" ? () : nil
            }
        }
    }
}
#endif
