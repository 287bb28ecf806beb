// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Control API: devices that behave, the time, the world", .timeLimit(.minutes(20)))
struct ControlWorldTests {
    private static let app = "com.example.app"

    @Test("a device and an app are changed, and show it")
    func traits() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let booted = try await control.send(
                "POST",
                "/v1/devices",
                #"{"apps":["com.example.app"],"systemVersion":"17.2","locked":true}"#
            )
            #expect(booted.status == 201)
            #expect(booted.string("systemVersion") == "17.2")
            #expect(booted.json["locked"] as? Bool == true)
            let path = "/v1/devices/\(try #require(booted.string("id")))"
            let changed = try await control.send(
                "PATCH",
                "\(path)/apps/com.example.app",
                #"{"state":"foreground","permission":"provisional","backgroundModes":[],"supportsFrequentUpdates":true}"#
            )
            let app = try #require(changed.objects("apps").first)
            #expect(app["state"] as? String == "foreground")
            #expect(app["permission"] as? String == "provisional")
            #expect(app["backgroundModes"] as? [String] == [])
            #expect(app["supportsFrequentUpdates"] as? Bool == true)
            #expect(try await control.send("PATCH", "\(path)/apps/none", "{}").status == 404)
            let wrong = try await control.send("PATCH", path, #"{"online":false,"systemVersion":"new"}"#)
            #expect(wrong.status == 400)
            #expect(try await control.send("GET", path).json["online"] as? Bool == true)
        }
    }

    @Test("notifications are shown, tapped and cleared; the app's calls and the device's events tell")
    func person() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Self.app])
            let client = try await ProviderTestClient(simulator)
            let token = try #require(device.token(Self.app)).hex
            for name in ["a", "b"] {
                let fields = try PushRequest.fields(simulator, token: token, others: [("apns-collapse-id", name)])
                _ = try await client.send(fields, body: PushRequest.body)
            }
            await client.close()
            let path = "/v1/devices/\(device.id)"
            #expect(try await control.send("GET", "\(path)/shown").objects("shown").count == 2)
            #expect(try await control.send("POST", "\(path)/shown/a/response", "{}").status == 200)
            let calls = try await control.send("GET", "\(path)/calls?bundleID=com.example.app").objects("calls")
            let call = try #require(calls.last?["call"] as? String)
            #expect(call == "userNotificationCenter(_:didReceive:withCompletionHandler:)")
            #expect(try await control.send("POST", "\(path)/shown/a/response", "{}").status == 404)
            #expect(try await control.send("DELETE", "\(path)/shown?identifier=b").json["removed"] as? Int == 1)
            #expect(try await control.send("DELETE", "\(path)/shown?identifier=b").status == 404)
            let kinds = try await control.send("GET", "\(path)/events").objects("events").compactMap {
                $0["kind"] as? String
            }
            #expect(kinds.filter { $0 == "shown" }.count == 2)
            #expect(kinds.filter { $0 == "removed" }.count == 2)
            #expect(try await control.send("POST", "\(path)/calls/99/completion", "{}").status == 404)
        }
    }

    @Test("apps are reinstalled, backups restored, tokens looked up")
    func tokens() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Self.app])
            let old = try #require(device.token(Self.app)).hex
            let path = "/v1/devices/\(device.id)"
            let reinstalled = try await control.send("POST", "\(path)/apps/com.example.app/reinstall", "{}")
            let new = try #require(reinstalled.object("tokens")[Self.app] as? String)
            #expect(new != old)
            let gone = try await control.send("GET", "/v1/tokens/\(old)")
            #expect(gone.json["active"] as? Bool == false)
            let found = try await control.send("GET", "/v1/tokens/\(new)")
            #expect(found.string("device") == device.id.rawValue)
            #expect(found.json["active"] as? Bool == true)
            let unknown = String(repeating: "ab", count: 32)
            #expect(try await control.send("GET", "/v1/tokens/\(unknown)").status == 404)
            #expect(try await control.send("GET", "/v1/tokens/xyz").status == 400)
            let restored = try await control.send("POST", "\(path)/restore", "{}")
            #expect(restored.status == 201)
            #expect(restored.object("tokens")[Self.app] as? String != new)
        }
    }

    @Test("the time is moved and scaled")
    func clock() async throws {
        try await withTestSimulator(clock: TestSimulatorClock().clock) { simulator in
            let control = ControlClient(simulator)
            let before = simulator.now
            let moved = try await control.send("POST", "/v1/clock:advance", #"{"seconds":3600.5}"#)
            #expect(moved.status == 200)
            #expect(simulator.now.timeIntervalSince(before) == 3600.5)
            let scaled = try await control.send("PATCH", "/v1/clock", #"{"scale":60}"#)
            #expect(scaled.json["scale"] as? Int == 60)
            #expect(try await control.send("GET", "/v1/clock").string("now")?.hasSuffix("Z") == true)
            #expect(try await control.send("POST", "/v1/clock:advance", #"{"seconds":-1}"#).status == 400)
            #expect(try await control.send("POST", "/v1/clock:advance", "{}").status == 400)
        }
    }

    @Test("the world is saved and restored; a document that is none is a problem")
    func snapshot() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Self.app])
            let document = try await control.send("GET", "/v1/snapshot")
            #expect(document.status == 200)
            try simulator.uninstall(Self.app, from: device.id)
            let text = String(decoding: document.body, as: UTF8.self)
            #expect(try await control.send("PUT", "/v1/snapshot", text).status == 204)
            #expect(simulator.device(device.id)?.apps.count == 1)
            let wrong = try await control.send("PUT", "/v1/snapshot", "{}")
            #expect(wrong.status == 400)
            #expect(wrong.contentType == "application/problem+json")
            #expect(try await control.send("GET", "/v1/population").status == 404)
        }
    }
}
