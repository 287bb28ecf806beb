// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus

@Suite("The original client of apns-proxy-server", .timeLimit(.minutes(20)))
struct ProxyClientTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
    private static let arguments = ["--proxy-port", "0", "--proxy-apps", "14=\(ServerInTest.app):sandbox"]

    private struct Stage {
        let directory: String
        let simulator: APNsSimulator
        let server: ServerInTest

        func start(with roles: String = "delivery") async throws -> ServerInTest.Running {
            try await self.server.start(with: roles, arguments: ProxyClientTests.arguments)
        }

        /// Runs a step of the script, and returns the lines that it prints.
        func python(_ step: String, _ running: ServerInTest.Running, token: String) async throws -> [String] {
            let script = PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/apns_proxy_steps.py")
            let port = try #require(running.proxyPort)
            return try await PythonEnvironment.run([script, step, "\(port)", "14", token], in: self.directory)
        }
    }

    private static func with(_ body: (Stage) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                try await body(Stage(directory: directory, simulator: simulator, server: server))
            }
        }
    }

    /// What arrives, until a condition holds.
    private static func arrivals(
        _ deliveries: inout AsyncStream<Delivery>.Iterator,
        until isComplete: ([Delivery]) -> Bool
    ) async -> [Delivery] {
        var arrived: [Delivery] = []
        while !isComplete(arrived), let delivery = await deliveries.next() { arrived.append(delivery) }
        return arrived
    }

    @Test("sends everything that its README shows, and a test to nobody")
    func send() async throws {
        try await Self.with { stage in
            let token = try stage.simulator.bootDevices(1, apps: [ServerInTest.app])[0].hex
            var deliveries = stage.simulator.deliveries().makeAsyncIterator()
            let running = try await stage.start()
            try await running.createApp(stage.simulator)
            _ = try await stage.python("send", running, token: token)
            let arrived = await Self.arrivals(&deliveries) { $0.count == 11 }
            let texts = arrived.map { String(decoding: $0.notification.payload, as: UTF8.self) }
            let expected = [
                #"{"aps":{"alert":"simple","sound":"default"}}"#, #"{"aps":{"alert":"sound","sound":"custom"}}"#,
                #"{"aps":{"alert":"silent"}}"#, #"{"aps":{"alert":"badge","sound":"default","badge":2}}"#,
                #"{"aps":{"badge":9999}}"#, #"{"aps":{"alert":"expiry","sound":"default"}}"#,
                #"{"aps":{"alert":"priority","sound":"default"}}"#, #"{"aps":{"content-available":1}}"#,
                #"{"aps":{"alert":"custom","sound":"default"},"foo":true,"bar":[200,300],"boo":"寿司"}"#,
                #"{"aps":{"alert":{"body":"JSON","loc-key":"loc key","loc-args":["one","two"],"#
                    + #""launch-image":"aa.png"},"sound":"default"}}"#,
                #"{"aps":{"alert":"last","sound":"foo","badge":2,"content-available":1},"bar":"boo"}"#,
            ]
            #expect(Set(texts) == Set(expected))
            let now = Date().timeIntervalSince1970
            for (text, delivery) in zip(texts, arrived) {
                let headers = delivery.notification.headers
                let isLow = text.contains("priority") || text.contains("last")
                let isSilent = text == #"{"aps":{"content-available":1}}"#
                #expect(headers["apns-push-type"] == (isSilent ? "background" : "alert"), "\(text)")
                #expect(["5", nil].contains(headers["apns-priority"]) || !isLow && !isSilent, "\(text)")
                let expiration = try #require(headers["apns-expiration"].flatMap { Double($0) }, "\(text)")
                let hours: Double = text.contains("expiry") ? 4 : 1
                #expect(abs(expiration - now - hours * 3600) < 1800, "\(text)")
            }
            #expect(try await running.metric("apus_proxy_messages_total", #"result="test""#) == 1)
            #expect(try await running.metric("apus_proxy_messages_total", #"result="stored""#) == 11)
            #expect(await running.process.stop() == 0)
        }
    }

    @Test("receives the tokens that APNs called unregistered, with their times")
    func feedback() async throws {
        try await Self.with { stage in
            let token = try stage.simulator.bootDevices(1, apps: [ServerInTest.app])[0].hex
            var deliveries = stage.simulator.deliveries().makeAsyncIterator()
            let running = try await stage.start()
            try await running.createApp(stage.simulator)
            let acknowledged = try await stage.python("requests", running, token: token)
            #expect(acknowledged.count == 20 && acknowledged.allSatisfy { $0.hasPrefix("OK ") }, "\(acknowledged)")
            let device = try #require(await deliveries.next()).device
            let before = Date().timeIntervalSince1970
            _ = try stage.simulator.uninstall(ServerInTest.app, from: device)
            _ = try await stage.python("requests", running, token: token)
            let line = try #require(try await stage.python("feedback", running, token: token).last)
            let tokens = try JSONDecoder().decode([String: Double].self, from: Data(line.utf8))
            #expect(Array(tokens.keys) == [token])
            #expect(try #require(tokens[token]) > before - 3600)
            #expect(await running.process.stop() == 0)
        }
    }

    @Test("loses no acknowledged message when the server is killed: the next process sends it, once")
    func kill() async throws {
        try await Self.with { stage in
            let token = try stage.simulator.bootDevices(1, apps: [ServerInTest.app])[0].hex
            var deliveries = stage.simulator.deliveries().makeAsyncIterator()
            let first = try await stage.start(with: "none")
            try await first.createApp(stage.simulator)
            let lines = try await stage.python("requests", first, token: token)
            let ids = Set(lines.compactMap { APNsID(canonical: String($0.dropFirst("OK ".count))) })
            await first.kill()
            #expect(ids.count == 20, "\(lines)")
            let second = try await stage.start()
            let arrived = await Self.arrivals(&deliveries) { $0.count == ids.count }
            #expect(Set(arrived.map(\.notification.apnsID)) == ids)
            #expect(await second.process.stop() == 0)
        }
    }

    @Test("is served after bad frames, strange protocols and messages that are too long")
    func badFrames() async throws {
        try await Self.with { stage in
            let token = try stage.simulator.bootDevices(1, apps: [ServerInTest.app])[0].hex
            var deliveries = stage.simulator.deliveries().makeAsyncIterator()
            let running = try await stage.start()
            try await running.createApp(stage.simulator)
            let lines = try await stage.python("bad_frames", running, token: token)
            #expect(lines.dropLast().allSatisfy { $0.hasPrefix("ERROR malformed: ") }, "\(lines)")
            #expect(lines.last?.hasPrefix("OK ") == true, "\(lines)")
            let arrived = await Self.arrivals(&deliveries) { $0.count == 2 }
            let texts = arrived.map { String(decoding: $0.notification.payload, as: UTF8.self) }
            #expect(texts.contains { $0.contains("over PUSH") } && texts.contains { $0.contains("over REQ") })
            #expect(try await running.metric("apus_proxy_messages_total", #"result="malformed""#) == 12)
            #expect(await running.process.stop() == 0)
        }
    }
}
