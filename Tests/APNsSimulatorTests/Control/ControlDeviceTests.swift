// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Control API: devices", .timeLimit(.minutes(20)))
struct ControlDeviceTests {
    private static let app = "com.example.app"

    @Test("a device that is booted has a token of 32 bytes for each app")
    func boot() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let answer = try await control.send(
                "POST",
                "/v1/devices",
                #"{"environment":"production","apps":["com.example.app","com.example.app.voip"]}"#
            )
            #expect(answer.status == 201)
            let tokens = answer.object("tokens")
            #expect(Set(tokens.keys) == ["com.example.app", "com.example.app.voip"])
            #expect(tokens.values.allSatisfy { ($0 as? String)?.count == 64 })
            let id = try #require(answer.string("id"))
            let device = try await control.send("GET", "/v1/devices/\(id)")
            #expect(device.status == 200)
            #expect(device.string("environment") == "production")
            #expect(device.json["online"] as? Bool == true)
            #expect(device.objects("apps").count == 1)
            #expect(device.objects("notifications").isEmpty)
        }
    }

    @Test("a device shows what it received: app, payload, id, headers and time")
    func notifications() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try await control.send("POST", "/v1/devices", #"{"apps":["com.example.app"]}"#)
            let token = try #require(device.object("tokens")[Self.app] as? String)
            let id = try #require(device.string("id"))
            let client = try await ProviderTestClient(simulator)
            let payload = #"{"aps":{"alert":"第1便"},"date":1.50,"nested":{"a":[1,2]}}"#
            let fields = try PushRequest.fields(simulator, token: token, others: [("apns-priority", "5")])
            let response = try await client.send(fields, body: Array(payload.utf8))
            await client.close()

            let answer = try await control.send("GET", "/v1/devices/\(id)")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("\"payload\":\(payload)"))
            let notification = try #require(answer.objects("notifications").first)
            #expect(notification["bundleID"] as? String == Self.app)
            #expect(notification["apnsID"] as? String == response.headers["apns-id"])
            #expect(notification["headers"] as? [String: String] == ["apns-topic": Self.app, "apns-priority": "5"])
            let receivedAt = try #require(notification["receivedAt"] as? String)
            #expect(receivedAt.hasSuffix("Z"))
            #expect(
                try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(receivedAt) < Date.distantFuture
            )
        }
    }

    @Test("a device goes offline and online again")
    func online() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Self.app])
            let path = "/v1/devices/\(device.id)"
            let offline = try await control.send("PATCH", path, #"{"online":false}"#)
            #expect(offline.status == 200)
            #expect(offline.json["online"] as? Bool == false)
            let client = try await ProviderTestClient(simulator)
            let token = try #require(device.token(Self.app)).hex
            _ = try await client.send(try PushRequest.fields(simulator, token: token), body: PushRequest.body)
            await client.close()
            #expect(try await control.send("GET", path).json["waiting"] as? Int == 1)
            let online = try await control.send("PATCH", path, #"{"online":true}"#)
            #expect(online.objects("notifications").count == 1)
            #expect(try await control.send("PATCH", path, "{}").json["online"] as? Bool == true)
        }
    }

    @Test("apps are installed and removed; removing one twice is 404")
    func apps() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let device = try simulator.bootDevice(apps: [Self.app])
            let path = "/v1/devices/\(device.id)/apps"
            let installed = try await control.send("POST", path, #"{"bundleID":"com.example.b"}"#)
            #expect(installed.status == 201)
            #expect(installed.object("tokens").keys.sorted() == ["com.example.app", "com.example.b"])
            #expect(try await control.send("DELETE", "\(path)/com.example.app").status == 204)
            let again = try await control.send("DELETE", "\(path)/com.example.app")
            #expect(again.status == 404)
            #expect(again.contentType == "application/problem+json")
            #expect(simulator.device(device.id)?.tokens.keys.sorted() == ["com.example.b"])
        }
    }

    @Test("a token stands for one app on one device; given once more it is refused, and free again when it is gone")
    func takenToken() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let (first, second) = (try simulator.bootDevice(apps: []), try simulator.bootDevice(apps: []))
            func install(_ bundleID: String, on device: VirtualDevice) async throws -> ControlClient.Answer {
                let body = #"{"bundleID":"\#(bundleID)","token":"00ff00ff"}"#
                return try await control.send("POST", "/v1/devices/\(device.id)/apps", body)
            }
            #expect(try await install(Self.app, on: first).status == 201)
            #expect(try await install(Self.app, on: first).status == 201)
            for (app, device) in [("com.example.b", first), (Self.app, second)] {
                let answer = try await install(app, on: device)
                #expect(answer.status == 409)
                #expect(answer.string("code") == "already-taken")
                #expect(answer.string("field") == "token")
            }
            try simulator.uninstall(Self.app, from: first.id)
            #expect(try await install(Self.app, on: second).status == 201)
        }
    }

    @Test(
        "what an app cannot be is refused",
        arguments: [
            ("POST", "apps", #"{"bundleID":"com.example.b","backgroundModes":["bogus"]}"#, "backgroundModes"),
            ("PATCH", "apps/com.example.app", #"{"backgroundModes":["remote-notifications"]}"#, "backgroundModes"),
            ("POST", "calls/1/completion", #"{"result":"bogus"}"#, "result"),
        ]
    )
    func wrongApp(method: String, path: String, body: String, field: String) async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let answer = try await ControlClient(simulator).send(method, "/v1/devices/\(device.id)/\(path)", body)
            #expect(answer.status == 400)
            #expect(answer.string("field") == field)
        }
    }

    @Test("a payload that is no UTF-8 is refused; kept by the switch, it is shown in UTF-8 all the same")
    func brokenPayload() async throws {
        for (reason, status) in [(RejectionReason.payloadEmpty, "400"), (nil, "200")] as [(RejectionReason?, String)] {
            var switches = APNsSimulatorOptions()
            switches.nonJSONPayload = reason
            try await withTestSimulator(switches: switches) { simulator in
                let device = try simulator.bootDevice(apps: [Self.app])
                let provider = try await Provider(simulator)
                let body = Array(#"{"aps":{"alert":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}}"#.utf8)
                #expect(try await provider.push(to: device, body: body).status == status)
                await provider.client.close()
                let shown = try await ControlClient(simulator).send("GET", "/v1/devices/\(device.id)")
                #expect(String(validating: shown.body, as: UTF8.self) != nil)
                #expect(shown.objects("notifications").count == (reason == nil ? 1 : 0))
            }
        }
    }

    @Test("devices are listed in pages")
    func pages() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            try simulator.bootDevices(5, apps: [Self.app])
            var ids: [String] = []
            var query = "?limit=2"
            var pages = 0
            while pages < 5 {
                pages += 1
                let page = try await control.send("GET", "/v1/devices" + query)
                ids += page.objects("devices").compactMap { $0["id"] as? String }
                guard let next = page.string("next") else { break }
                query = "?limit=2&after=\(next)"
            }
            #expect(pages == 3)
            #expect(Set(ids).count == 5)
        }
    }
}
