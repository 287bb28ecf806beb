// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Testing

@testable import apus

@Suite("apus send", .timeLimit(.minutes(20)))
struct SendCommandTests {
    private static let app = ServerInTest.app

    /// Boots a device and registers it with a command.
    private func phone(
        _ name: String,
        user: String,
        _ simulator: APNsSimulator,
        _ server: ServerInTest.Running
    ) async throws -> VirtualDevice {
        let device = try simulator.bootDevice(apps: [Self.app])
        let token = try #require(device.token(Self.app))
        let put = try await server.apus("devices", "put", Self.app, name, "--token", token.hex, "--user", user)
        #expect(put.status == 0, "\(put.errors)")
        return device
    }

    @Test("reaches installations, users and tokens, and says so")
    func targets() async throws {
        try await ServerInTest.with { simulator, server in
            let first = try await self.phone("phone-1", user: "anna", simulator, server)
            let second = try await self.phone("phone-2", user: "anna", simulator, server)
            let token = try #require(first.token(Self.app)).hex
            let runs = [
                try await server.apus("send", Self.app, "--device", "phone-1", "--title", "To one", "--wait"),
                try await server.apus("send", Self.app, "--user", "anna", "--title", "To all", "--wait"),
                try await server.apus("send", Self.app, "--token", token, "--body", "To a token", "--wait"),
            ]
            #expect(runs.map(\.status) == [0, 0, 0])
            let words = runs.map { $0.lines.first?.prefix { $0 != "(" } ?? "" }
            #expect(words == ["1 of 1 accepted by APNs ", "2 of 2 accepted by APNs ", "1 of 1 accepted by APNs "])
            #expect(simulator.device(first.id)?.notifications.count == 3)
            #expect(simulator.device(second.id)?.notifications.count == 1)
        }
    }

    @Test("sends a payload from a file byte for byte, with the headers that it is told")
    func payload() async throws {
        try await ServerInTest.with { simulator, server in
            let device = try await self.phone("phone-1", user: "anna", simulator, server)
            let payload = #"{"aps" : {"content-available":1}, "n":1.50, "text":"é\u00e9"}"#
            let file = "\(server.directory)/payload.json"
            try Data(payload.utf8).write(to: URL(fileURLWithPath: file))
            let run = try await server.apus(
                "send",
                Self.app,
                "--device",
                "phone-1",
                "--payload",
                file,
                "--push-type",
                "background",
                "--priority",
                "5",
                "--collapse-id",
                "c1",
                "--expiration",
                "0",
                "--wait",
                "--json"
            )
            #expect(run.status == 0, "\(run.errors)")
            let answer = try run.lastLine(as: NotificationResponse.self)
            #expect(answer.isDone && answer.counts.delivered == 1)
            let received = try #require(simulator.device(device.id)?.notifications.last)
            #expect(String(decoding: received.payload, as: UTF8.self) == payload)
            #expect(received.headers["apns-push-type"] == "background")
            #expect(received.headers["apns-priority"] == "5")
            #expect(received.headers["apns-collapse-id"] == "c1")
            #expect(received.headers["apns-expiration"] == "0")
            #expect(received.apnsID.description == answer.outcomes?.first?.apnsID)
        }
    }

    @Test("ends with status 1 when a notification was refused, names who was left out, and marks the dead token")
    func refused() async throws {
        try await ServerInTest.with { simulator, server in
            let device = try await self.phone("phone-1", user: "anna", simulator, server)
            _ = try await self.phone("phone-2", user: "ben", simulator, server)
            _ = try simulator.uninstall(Self.app, from: device.id)
            let run = try await server.apus(
                "send",
                Self.app,
                "--device",
                "phone-1",
                "--device",
                "phone-2",
                "--device",
                "nobody",
                "--title",
                "x",
                "--wait"
            )
            #expect(run.status == 1)
            #expect(run.lines.contains { $0.hasPrefix("1 of 2 accepted by APNs") })
            #expect(run.lines.contains("  phone-1: 410 Unregistered"))
            #expect(run.lines.contains("Skipped 1 without a valid device: nobody"))
            let list = try await server.apus("devices", "list", Self.app)
            #expect(list.lines.contains { $0.hasPrefix("phone-1 ") && $0.contains("invalid (Unregistered)") })
            #expect(list.lines.contains { $0.hasPrefix("phone-2 ") && $0.contains("active") })
        }
    }

    @Test("does not wait unless it is asked to")
    func noWait() async throws {
        try await ServerInTest.with { simulator, server in
            let device = try await self.phone("phone-1", user: "anna", simulator, server)
            var arrivals = simulator.deliveries().makeAsyncIterator()
            let run = try await server.apus("send", Self.app, "--device", "phone-1", "--title", "x", "--json")
            #expect(run.status == 0)
            let accepted = try run.lastLine(as: NotificationResponse.self)
            #expect(accepted.targetCount == 1)
            #expect(await arrivals.next()?.device == device.id)
            #expect(try await server.settled(accepted.id).counts.delivered == 1)
        }
    }

    @Test(
        "refuses a payload that is no JSON object before anything is sent, also one that would add to the request",
        arguments: ["nope", "[]", "{", #"{"aps":{}},"targets":{"tokens":["ab"]}"#]
    )
    func badPayload(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/payload.json"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let run = try await CommandRun(
                ["send", Self.app, "--device", "phone-1", "--payload", file, "--json"],
                environment: ["APUS_URL": "http://127.0.0.1:1", "APUS_API_KEY": "apus_x"],
                in: directory
            )
            #expect(run.status == 1)
            #expect(run.failure?.code == "bad_payload")
            #expect(run.failure?.message.contains(file) == true)
        }
    }

    @Test("tells the server's refusals with code and status")
    func problems() async throws {
        try await ServerInTest.with { _, server in
            let unknown = try await server.apus("send", Self.app, "--device", "nobody", "--title", "x", "--json")
            #expect(unknown.status == 1)
            #expect(unknown.failure?.code == "no_reachable_targets")
            let noApp = try await server.apus("send", "com.example.none", "--token", "ab", "--title", "x", "--json")
            #expect(noApp.status == 1)
            #expect(noApp.failure?.code == "app_not_found")
            let token = try await server.apus("send", Self.app, "--token", "xyz", "--title", "x")
            #expect(token.status == 1)
            #expect(token.errors.contains("(invalid_device_token, status 422)"))
        }
    }
}
