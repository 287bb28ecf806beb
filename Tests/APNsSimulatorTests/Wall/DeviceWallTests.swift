// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite("Device wall", .timeLimit(.minutes(20)))
struct DeviceWallTests {
    private static let app = Provider.app

    private static func withWall(_ body: (APNsSimulator, ControlClient) async throws -> Void) async throws {
        try await withAPNsSimulator { try await body($0, ControlClient($0)) }
    }

    /// Injects a notification, and returns the response.
    @discardableResult
    private static func inject(
        _ aps: String,
        on device: VirtualDevice,
        app: String = Self.app,
        through control: ControlClient
    ) async throws -> ControlClient.Answer {
        let body = #"{"bundleID":"\#(app)","payload":{"aps":\#(aps)}}"#
        return try await control.send("POST", "/v1/devices/\(device.id)/notifications", body)
    }

    /// The messages of a stream, each with its name and its members.
    private struct Messages: AsyncSequence, AsyncIteratorProtocol {
        var chunks: HTTPClientResponse.Body.AsyncIterator
        var text = ""

        init(_ control: ControlClient, query: String = "") async throws {
            let request = HTTPClientRequest(url: "\(control.base)/v1/wall/stream\(query)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
            #expect(response.headers.first(name: "content-type") == "text/event-stream")
            self.chunks = response.body.makeAsyncIterator()
        }

        func makeAsyncIterator() -> Messages { self }

        mutating func next() async throws -> (name: String, members: [String: Any])? {
            while true {
                if let end = self.text.firstRange(of: "\n\n") {
                    let lines = self.text[..<end.lowerBound].split(separator: "\n")
                    self.text.removeSubrange(..<end.upperBound)
                    guard lines.count == 2 else { continue }
                    let data = Data(lines[1].dropFirst("data: ".count).utf8)
                    let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
                    return (String(lines[0].dropFirst("event: ".count)), members)
                }
                guard let chunk = try await self.chunks.next() else { return nil }
                self.text += String(buffer: chunk)
            }
        }
    }

    @Test("a tile has the state of its device, the latest notifications, the badge and the latest event")
    func tile() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            for number in 1...7 {
                try await Self.inject(
                    #"{"alert":{"title":"T\#(number)","body":"B"},"badge":\#(number)}"#,
                    on: device,
                    through: control
                )
            }
            let wall = try await control.send("GET", "/v1/wall")
            #expect(wall.object("counters")["accepted"] as? Int == 7)
            #expect(wall.object("counters")["devices"] as? Int == 1)
            let tile = try #require(wall.objects("devices").first)
            #expect(tile["id"] as? String == device.id.rawValue)
            #expect(tile["name"] is NSNull)
            #expect(tile["online"] as? Bool == true)
            let titles = (tile["shown"] as? [[String: Any]])?.compactMap { $0["title"] as? String }
            #expect(titles == ["T7", "T6", "T5", "T4", "T3", "T2"])
            #expect(tile["shownCount"] as? Int == 7)
            let app = try #require((tile["apps"] as? [[String: Any]])?.first)
            #expect(app["badge"] as? Int == 7)
            #expect((tile["latest"] as? [String: Any])?["device"] as? String == device.id.rawValue)
        }
    }

    @Test("a discarded notification is in the tile, with its cause, until the device shows another one")
    func discarded() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            func tile() async throws -> [String: Any] {
                try #require(try await control.send("GET", "/v1/wall").objects("devices").first)
            }
            try simulator.changeApp(Self.app, on: device.id) { $0.permission = .denied }
            try await Self.inject(#"{"alert":"Hello"}"#, on: device, through: control)
            #expect((try await tile()["latest"] as? [String: Any])?["kind"] as? String == "discarded")
            try simulator.changeApp(Self.app, on: device.id) { $0.permission = .authorized }
            let discarded = try await tile()["discarded"] as? [String: Any]
            #expect(discarded?["cause"] as? String == "notificationsDisabled")
            try await Self.inject(#"{"alert":"Hello"}"#, on: device, through: control)
            #expect(try await tile()["discarded"] is NSNull)
        }
    }

    @Test("the Live Activities of a tile are those that are not dismissed")
    func activities() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            try simulator.changeApp(Self.app, on: device.id) { $0.state = .foreground }
            let path = "/v1/devices/\(device.id)/activities"
            let start = #"{"bundleID":"\#(Self.app)","attributesType":"Ride","contentState":{"eta":5}}"#
            let activity = try await control.send("POST", path, start)
            let id = try #require(activity.string("id"))
            func activities() async throws -> [[String: Any]] {
                let tile = try await control.send("GET", "/v1/wall").objects("devices").first
                return tile?["activities"] as? [[String: Any]] ?? []
            }
            let shown = try #require(try await activities().first)
            #expect(shown["id"] as? String == id)
            #expect((shown["contentState"] as? [String: Any])?["eta"] as? Int == 5)
            #expect(shown["state"] as? String == "active")
            #expect(try await control.send("POST", "\(path)/\(id)/swipe").status == 200)
            #expect(try await activities().isEmpty)
        }
    }

    @Test("a stream begins with a snapshot; then it has the devices that changed or are new, and the events")
    func stream() async throws {
        try await Self.withWall { simulator, control in
            let (first, other) = (
                try simulator.bootDevice(apps: [Self.app]), try simulator.bootDevice(apps: [Self.app])
            )
            var messages = try await Messages(control)
            let snapshot = try #require(try await messages.next())
            #expect(snapshot.name == "snapshot")
            #expect(Self.devices(snapshot.members) == [first.id.rawValue, other.id.rawValue])

            try await Self.inject(#"{"alert":"Hello"}"#, on: other, through: control)
            let changes = try #require(try await messages.next())
            #expect(changes.name == "changes")
            #expect(Self.devices(changes.members) == [other.id.rawValue])
            let kinds = (changes.members["events"] as? [[String: Any]])?.compactMap { $0["kind"] as? String } ?? []
            #expect(kinds.contains("shown"))
            #expect(changes.members["skippedEvents"] as? Int == 0)

            let new = try simulator.bootDevice(apps: [Self.app])
            var tiles: [String] = []
            while !tiles.contains(new.id.rawValue), let message = try await messages.next() {
                tiles += Self.devices(message.members)
            }
            #expect(tiles.contains(new.id.rawValue))
        }
    }

    @Test("a stream sends a snapshot after a reset, and ends with the simulator")
    func reset() async throws {
        var messages: Messages?
        try await Self.withWall { simulator, control in
            try simulator.bootDevice(apps: [Self.app])
            var opened = try await Messages(control)
            #expect(try await opened.next()?.name == "snapshot")
            simulator.reset()
            let fresh = try #require(try await opened.next())
            #expect(fresh.name == "snapshot")
            #expect(Self.devices(fresh.members).isEmpty)
            messages = opened
        }
        while let message = try? await messages?.next() { #expect(message.name != "") }
    }

    @Test("a stream sends a snapshot with the events when the clock was advanced")
    func advance() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            try simulator.setOnline(false, device.id)
            try await Self.inject(#"{"alert":"Hello"}"#, on: device, through: control)
            var messages = try await Messages(control)
            _ = try await messages.next()
            simulator.advance(by: .seconds(31 * 86_400))
            let message = try #require(try await messages.next())
            #expect(message.name == "snapshot")
            #expect(Self.devices(message.members) == [device.id.rawValue])
            let kinds = (message.members["events"] as? [[String: Any]])?.compactMap { $0["kind"] as? String }
            #expect(kinds == ["expired"])
        }
    }

    @Test("of many events between two messages, the stream sends the latest and the number of the others")
    func manyEvents() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            var messages = try await Messages(control)
            _ = try await messages.next()
            for _ in 0..<100 {
                try simulator.setOnline(false, device.id)
                try simulator.setOnline(true, device.id)
            }
            var count = 0
            while count < 200, let message = try await messages.next() {
                let events = message.members["events"] as? [Any] ?? []
                #expect(events.count <= 50)
                count += events.count + (message.members["skippedEvents"] as? Int ?? 0)
            }
            #expect(count == 200)
        }
    }

    @Test("the wall has as many devices as the query allows", arguments: [("?limit=1", 1), ("", 2)])
    func limit(query: String, count: Int) async throws {
        try await Self.withWall { simulator, control in
            for _ in 0..<2 { try simulator.bootDevice(apps: [Self.app]) }
            #expect(try await control.send("GET", "/v1/wall\(query)").objects("devices").count == count)
            var messages = try await Messages(control, query: query)
            #expect(Self.devices(try #require(try await messages.next()).members).count == count)
        }
    }

    @Test("a limit that is no number of 1 to 1000 is rejected", arguments: ["0", "1001", "x", ""])
    func wrongLimit(text: String) async throws {
        try await Self.withWall { _, control in
            let response = try await control.send("GET", "/v1/wall?limit=\(text)")
            #expect(response.status == 400)
            #expect(response.string("field") == "limit")
        }
    }

    // MARK: Notifications without a provider

    @Test("an injected notification is delivered, or waits for a device that is offline")
    func injection() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            let response = try await Self.inject(#"{"alert":"One"}"#, on: device, through: control)
            #expect(response.status == 201)
            let arrived = try #require(simulator.device(device.id)?.notifications.first)
            #expect(arrived.apnsID.description == response.string("apnsID"))
            #expect(arrived.headers["apns-push-type"] == "alert")
            try simulator.setOnline(false, device.id)
            try await Self.inject(#"{"alert":"Two"}"#, on: device, through: control)
            #expect(simulator.device(device.id)?.waitingNotifications == 1)
        }
    }

    @Test("a background notification is injected with its push type and priority 5")
    func backgroundInjection() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            let body = #"{"bundleID":"\#(Self.app)","pushType":"background","payload":{"aps":{"content-available":1}}}"#
            #expect(try await control.send("POST", "/v1/devices/\(device.id)/notifications", body).status == 201)
            let headers = try #require(simulator.device(device.id)?.notifications.first?.headers)
            #expect(headers["apns-push-type"] == "background")
            #expect(headers["apns-priority"] == "5")
        }
    }

    @Test("an injection for an unknown app or device, or with too large a payload, is rejected")
    func wrongInjection() async throws {
        try await Self.withWall { simulator, control in
            let device = try simulator.bootDevice(apps: [Self.app])
            let text = String(repeating: "x", count: 4096)
            let large = try await Self.inject(#"{"alert":"\#(text)"}"#, on: device, through: control)
            #expect(large.status == 400)
            #expect(large.string("field") == "payload")
            let other = try await Self.inject("{}", on: device, app: "com.example.other", through: control)
            #expect(other.status == 404)
            let body = #"{"bundleID":"\#(Self.app)","payload":{}}"#
            #expect(try await control.send("POST", "/v1/devices/none/notifications", body).status == 404)
            #expect(simulator.device(device.id)?.notifications.isEmpty == true)
        }
    }

    // MARK: Names

    @Test("a device has a name, which a snapshot of the world keeps and an empty text removes")
    func names() async throws {
        try await Self.withWall { simulator, control in
            let booted = try await control.send("POST", "/v1/devices", #"{"apps":["\#(Self.app)"],"name":"Anna's"}"#)
            let path = "/v1/devices/\(try #require(booted.string("id")))"
            #expect(booted.string("name") == "Anna's")
            let snapshot = try await control.send("GET", "/v1/snapshot")
            #expect(try await control.send("PATCH", path, #"{"name":"Berta's"}"#).string("name") == "Berta's")
            let body = String(decoding: snapshot.body, as: UTF8.self)
            #expect(try await control.send("PUT", "/v1/snapshot", body).status == 204)
            #expect(try await control.send("GET", path).string("name") == "Anna's")
            #expect(try await control.send("PATCH", path, #"{"name":""}"#).json["name"] is NSNull)
            let long = try await control.send("PATCH", path, #"{"name":"\#(String(repeating: "ä", count: 51))"}"#)
            #expect(long.status == 400)
        }
    }

    // MARK: The page

    @Test("every file of the page is served, with a policy that allows its own origin only")
    func page() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let directory = root.appending(path: "Sources/CWebPages/wall")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.contains("index.html"))
        try await Self.withWall { _, control in
            for name in names {
                let response = try await control.send("GET", name == "index.html" ? "/?app=x" : "/wall/\(name)")
                #expect(response.status == 200, "\(name)")
                #expect(response.body == Array(try Data(contentsOf: directory.appending(path: name))), "\(name)")
                let type = ["html": "text/html", "css": "text/css", "js": "text/javascript"]
                let expected = "\(type[String(name.split(separator: ".").last ?? "")] ?? "none"); charset=utf-8"
                #expect(response.contentType == expected, "\(name)")
                #expect(
                    response.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'")
                        == true
                )
                #expect(response.headers["x-content-type-options"] == "nosniff")
            }
            #expect(try await control.send("GET", "/wall/other.js").status == 404)
        }
    }

    private static func devices(_ members: [String: Any]) -> [String] {
        (members["devices"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }
}
