// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@Suite("Clients of APNs that others wrote, in Python", .timeLimit(.minutes(20)))
struct PythonClientTests {
    private static let app = "com.example.app"

    private struct Outcome: Decodable, Equatable {
        let status: Int
        let reason: String?
    }

    /// Runs a script of the folder beside this file against a simulator.
    private static func run(
        _ script: String,
        _ simulator: SimulatorProcess,
        tokens: [String],
        adding environment: [String: String] = [:]
    ) async throws -> [Outcome] {
        let lines = try await PythonEnvironment.run(
            [PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/\(script)")],
            environment: simulator.environment(sendingTo: tokens, of: Self.app).merging(environment) { $1 },
            in: simulator.directory
        )
        return try JSON.decoder.decode([Outcome].self, from: Data((lines.last ?? "").utf8))
    }

    /// A device with the app, and the app's token.
    private static func phone(_ simulator: SimulatorProcess) async throws -> (id: String, token: String) {
        let device = try await simulator.call(.post, "/v1/devices", ["apps": [Self.app]])
        let tokens = try #require(device["tokens"] as? [String: String])
        return (try #require(device["id"] as? String), try #require(tokens[Self.app]))
    }

    /// What arrived at a device, oldest first.
    private static func inbox(_ id: String, _ simulator: SimulatorProcess) async throws -> [[String: Any]] {
        try #require(try await simulator.call(.get, "/v1/devices/\(id)")["notifications"] as? [[String: Any]])
    }

    private static func alert(_ notification: [String: Any]) throws -> [String: String] {
        let payload = try #require(notification["payload"] as? [String: Any])
        let aps = try #require(payload["aps"] as? [String: Any])
        return try #require(aps["alert"] as? [String: String])
    }

    private static func certificate(_ simulator: SimulatorProcess) async throws -> String {
        let issued = try await simulator.call(.post, "/v1/certificates", ["bundleID": Self.app])
        let path = "\(simulator.directory)/push.pem"
        let pem = [issued["certificatePEM"], issued["privateKeyPEM"]].compactMap { $0 as? String }
        try Data(pem.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(
        "a key of the simulator's sends, and a wrong token gets Apple's reason",
        arguments: [
            (script: "with_aioapns.py", title: "aioapns"), (script: "with_pyapns_client.py", title: "pyapns-client"),
        ]
    )
    func key(client: (script: String, title: String)) async throws {
        try await withTemporaryDirectory { directory in
            let simulator = try await SimulatorProcess(in: directory)
            let (first, second) = (try await Self.phone(simulator), try await Self.phone(simulator))
            let stranger = String(repeating: "0", count: 64)
            let outcomes = try await Self.run(
                client.script,
                simulator,
                tokens: [first.token, stranger, second.token]
            )
            #expect(
                outcomes == [
                    Outcome(status: 200, reason: nil), Outcome(status: 400, reason: "BadDeviceToken"),
                    Outcome(status: 200, reason: nil),
                ]
            )
            for (number, phone) in [(0, first), (2, second)] {
                let inbox = try await Self.inbox(phone.id, simulator)
                #expect(inbox.count == 1)
                let arrived = try #require(inbox.first)
                #expect(try Self.alert(arrived) == ["title": client.title, "body": "number \(number)"])
                #expect((arrived["headers"] as? [String: String])?["apns-collapse-id"] == "game-\(number)")
            }
            #expect(await simulator.process.stop() == 0)
        }
    }

    @Test("a certificate of the simulator's sends through aioapns")
    func certificate() async throws {
        try await withTemporaryDirectory { directory in
            let simulator = try await SimulatorProcess(in: directory)
            let phone = try await Self.phone(simulator)
            let certificate = ["SIMULATOR_CERTIFICATE": try await Self.certificate(simulator)]
            let outcomes = try await Self.run(
                "with_aioapns.py",
                simulator,
                tokens: [phone.token],
                adding: certificate
            )
            #expect(outcomes == [Outcome(status: 200, reason: nil)])
            #expect(try await Self.inbox(phone.id, simulator).count == 1)
        }
    }

    @Test("an uninstalled app is 410 to a client, as Apple has it")
    func uninstalled() async throws {
        try await withTemporaryDirectory { directory in
            let simulator = try await SimulatorProcess(in: directory)
            let phone = try await Self.phone(simulator)
            try await simulator.call(.delete, "/v1/devices/\(phone.id)/apps/\(Self.app)")
            let outcomes = try await Self.run("with_aioapns.py", simulator, tokens: [phone.token])
            #expect(outcomes == [Outcome(status: 410, reason: "Unregistered")])
        }
    }

    @Test("a backend's own code with httpx and python-jose updates a Live Activity")
    func liveActivityBackend() async throws {
        try await withTemporaryDirectory { directory in
            let simulator = try await SimulatorProcess(in: directory)
            let phone = try await Self.phone(simulator)
            let path = "/v1/devices/\(phone.id)"
            try await simulator.call(.patch, "\(path)/apps/\(Self.app)", ["state": "foreground"])
            let type = "IVENTActivityAttributes"
            try await simulator.call(.put, "/v1/apps/\(Self.app)/activity-types/\(type)", Self.shape)
            let started = try await simulator.call(
                .post,
                "\(path)/activities",
                [
                    "bundleID": Self.app, "attributesType": type,
                    "contentState": ["childName": "", "scheduleTitle": "", "endTime": 0, "status": "active"],
                ]
            )
            let activity = "\(path)/activities/\(try #require(started["id"] as? String))"
            let token = try #require(try await simulator.call(.get, activity)["token"] as? String)
            let outcomes = try await Self.run(
                "live_activity_backend.py",
                simulator,
                tokens: [token],
                adding: ["SSL_CERT_FILE": simulator.endpoints.caPath ?? ""]
            )
            #expect(outcomes == [Outcome(status: 200, reason: nil)])
            let updated = try await simulator.call(.get, activity)
            let state = try #require(updated["contentState"] as? [String: Any])
            #expect(state["childName"] as? String == "지우")
            #expect(state["status"] as? String == "ending")
        }
    }

    /// What the backend's app declares as its content state.
    private static var shape: [String: Any] {
        let properties = ["childName": "string", "scheduleTitle": "string", "endTime": "date", "status": "string"]
        return ["contentState": ["type": "object", "properties": properties.mapValues { ["type": $0] }]]
    }

    @Test("a worker's own code with boto3 reaches the lock screen by way of a topic's certificate")
    func workerWithTopic() async throws {
        try await withTemporaryDirectory { directory in
            let simulator = try await SimulatorProcess(in: directory)
            let phone = try await Self.phone(simulator)
            let certificate = ["SIMULATOR_CERTIFICATE": try await Self.certificate(simulator)]
            let outcomes = try await Self.run(
                "worker_with_boto3.py",
                simulator,
                tokens: [phone.token],
                adding: certificate
            )
            #expect(outcomes == [Outcome(status: 200, reason: nil)])
            let arrived = try #require(try await Self.inbox(phone.id, simulator).first)
            #expect(try Self.alert(arrived) == ["title": "データ更新完了", "body": "新しい分析結果が利用可能です"])
            let payload = try #require(arrived["payload"] as? [String: Any])
            #expect(payload["action"] as? String == "refresh_dashboard")
        }
    }
}
