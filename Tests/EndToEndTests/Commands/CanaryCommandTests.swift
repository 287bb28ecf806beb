// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@testable import apus

@Suite("apus canary", .timeLimit(.minutes(20)))
struct CanaryCommandTests {
    private static let app = "com.example.app"
    private static let activityType = "LessonAttributes"

    /// The simulator that plays APNs, the device of the caller, and the arguments that name both.
    private struct TestEnvironment {
        let simulator: APNsSimulator
        let directory: String
        let device: DeviceToken
        let startToken: DeviceToken
        let activityToken: DeviceToken

        var server: [String] {
            [
                "--apns-sandbox-host", "localhost", "--apns-sandbox-port", "\(self.simulator.port)",
                "--apns-sandbox-ca", "\(self.directory)/ca.pem", "--apns-sandbox-channel-host", "localhost",
                "--apns-sandbox-channel-port", "\(self.simulator.channelPort)",
            ]
        }

        var tokens: [String] {
            [
                "--token", self.device.hex, "--start-token", self.startToken.hex, "--type", activityType,
                "--activity-token", self.activityToken.hex,
            ]
        }

        var credential: [String] {
            [
                "--p8", "\(self.directory)/key.p8", "--key-id", self.simulator.demoKey.keyID,
                "--team-id", self.simulator.demoKey.teamID,
            ]
        }

        func canary(_ arguments: [String]) async throws -> CommandRun {
            let command = ["canary", app, "--json", "--pause-milliseconds", "0"] + arguments
            return try await CommandRun(command, in: self.directory)
        }

        /// Sends every case with all tokens and the key on the command line.
        func compare(_ arguments: String...) async throws -> (status: Int32, report: Report) {
            let run = try await self.canary(["--send"] + self.tokens + self.credential + self.server + arguments)
            return (run.status, try run.lastLine(as: Report.self))
        }
    }

    private struct Report: Decodable {
        struct Comparison: Decodable {
            let name: String
            let apns: Response
            let simulator: Response
            let differences: [String]
        }

        struct Response: Decodable {
            let status: Int?
            let reason: String?
        }

        struct Skipped: Decodable {
            let name: String
        }

        let cases: [Comparison]
        let skipped: [Skipped]
        let alike: Int
        let compared: Int

        var different: Set<String> { Set(self.cases.filter { !$0.differences.isEmpty }.map(\.name)) }

        func comparison(_ name: String) -> Comparison? { self.cases.first { $0.name == name } }
    }

    /// Runs a test with a simulator that plays APNs.
    private func withTestEnvironment(
        environment: APNsEnvironment = .sandbox,
        switches: [String: String] = [:],
        _ body: (TestEnvironment) async throws -> Void
    ) async throws {
        var options = APNsSimulatorOptions()
        options.activities.updateTokenDelay = 0
        for (name, value) in switches { try options.set(name, to: value) }
        try await withTemporaryDirectory { directory in
            try await withTestSimulator(environment: environment, switches: options) { simulator in
                try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
                let key = URL(fileURLWithPath: "\(directory)/key.p8")
                try Data(simulator.demoKey.p8.utf8).write(to: key)
                simulator.setBundleIDs([Self.app], ofTeam: simulator.demoKey.teamID)
                let device = try simulator.bootDevice(apps: [Self.app])
                let start = try simulator.issuePushToStartToken(Self.activityType, for: Self.app, on: device.id)
                let request = ActivityRequest(
                    bundleID: Self.app,
                    attributesType: Self.activityType,
                    contentState: [:]
                )
                try simulator.changeApp(Self.app, on: device.id) { $0.state = .foreground }
                let activity = try simulator.startActivity(request, on: device.id)
                let test = TestEnvironment(
                    simulator: simulator,
                    directory: directory,
                    device: try #require(device.token(Self.app)),
                    startToken: start,
                    activityToken: try #require(activity.token)
                )
                try await body(test)
            }
        }
    }

    @Test("a server that behaves like the simulator is reported as alike in every case")
    func alike() async throws {
        try await self.withTestEnvironment { test in
            let (status, report) = try await test.compare()
            #expect(report.different.isEmpty)
            #expect(status == 0)
            #expect(report.compared == CanaryCase.all.count)
            #expect(report.alike == report.compared)
            #expect(report.skipped.isEmpty)
            #expect(report.compared <= 20)
            #expect(test.simulator.channels(of: Self.app).isEmpty)
            #expect(test.simulator.statistics.connections == 2, "one for pushes, one for channels")
        }
    }

    @Test("every planted difference is reported, and nothing else")
    func planted() async throws {
        let switches = [
            "pastExpiration": "reject", "priorityCheck": "none", "malformedExpiration": "accept",
            "nonJSONPayload": "accept", "connections.foreignBundleID": "BadTopic",
        ]
        try await self.withTestEnvironment(switches: switches) { test in
            let start = SimulatorFault.Match(token: test.startToken.hex)
            test.simulator.inject(SimulatorFault(.reject(Rejection(.tooManyRequests)), match: start))
            let update = SimulatorFault.Match(token: test.activityToken.hex)
            test.simulator.inject(SimulatorFault(.drop, match: update, count: 1))
            let (status, report) = try await test.compare()
            #expect(status == 1)
            #expect(
                report.different == [
                    "expired", "background-priority-10", "malformed-expiration", "payload-not-json", "other-topic",
                    "activity-start", "activity-update",
                ]
            )
            #expect(report.alike == report.compared - 7)
            let expired = try #require(report.comparison("expired"))
            #expect(expired.apns.reason == "BadExpirationDate")
            #expect(expired.simulator.status == 200)
            #expect(expired.differences == ["status", "reason"])
            #expect(report.comparison("other-topic")?.differences == ["reason"])
            #expect(report.comparison("activity-start")?.apns.reason == "TooManyRequests")
            let lost = try #require(report.comparison("activity-update"))
            #expect(lost.apns.status == nil)
            #expect(lost.differences.first?.hasPrefix("no response from APNs") == true)
        }
    }

    @Test("a header field that is missing in a response is reported")
    func headers() async throws {
        // In production, responses to pushes to devices have no apns-unique-id.
        try await self.withTestEnvironment(environment: .production) { test in
            let (status, report) = try await test.compare()
            #expect(status == 1)
            #expect(
                report.different == [
                    "alert", "background", "collapse", "expired", "activity-start", "activity-update", "activity-end",
                ]
            )
            #expect(report.comparison("alert")?.differences == ["only the simulator sends apns-unique-id"])
        }
    }

    @Test("without a channel, the cases that need one are skipped")
    func noChannel() async throws {
        try await self.withTestEnvironment(switches: ["channels.enabledByDefault": "false"]) { test in
            let (status, report) = try await test.compare()
            #expect(status == 1)
            #expect(report.different == ["channel-create"])
            #expect(report.skipped.map(\.name) == ["broadcast", "channel-delete"])
            let silent = try await test.compare("--no-broadcast")
            #expect(silent.status == 0)
            #expect(silent.report.skipped.map(\.name) == ["channel-create", "broadcast", "channel-delete"])
        }
    }

    @Test("without --send, every request is shown and nothing is sent")
    func preview() async throws {
        struct Preview: Decodable {
            struct Entry: Decodable {
                struct Request: Decodable {
                    let path: String
                    let headers: [String: String]
                    let payload: String
                }
                let name: String
                let request: Request
            }
            let cases: [Entry]
        }
        try await self.withTestEnvironment { test in
            let run = try await test.canary(test.tokens + test.server)
            #expect(run.status == 0)
            let preview = try run.lastLine(as: Preview.self)
            #expect(preview.cases.map(\.name) == CanaryCase.all.map(\.name))
            let alert = try #require(preview.cases.first)
            #expect(alert.request.path == "/3/device/\(test.device.hex)")
            #expect(alert.request.headers["apns-topic"] == Self.app)
            #expect(alert.request.payload.contains("Apus canary"))

            let words = try await CommandRun("canary", Self.app, "--token", test.device.hex, in: test.directory)
            #expect(words.status == 0)
            #expect(words.lines.contains("  apns-push-type: alert"))
            #expect(words.lines.contains("activity-start is not sent: it needs --start-token."))
            #expect(test.simulator.statistics.connections == 0)
        }
    }

    @Test("device and credential are read from the store of a running server")
    func fromStore() async throws {
        try await ServerInTest.with { simulator, server in
            let device = try simulator.bootDevice(apps: [ServerInTest.app])
            simulator.setBundleIDs([ServerInTest.app], ofTeam: simulator.demoKey.teamID)
            let token = try #require(device.token(ServerInTest.app))
            let put = try await server.apus("devices", "put", ServerInTest.app, "phone-1", "--token", token.hex)
            #expect(put.status == 0)
            let arguments = [
                "canary", ServerInTest.app, "--send", "--device", "phone-1", "--data", "\(server.directory)/data",
                "--pause-milliseconds", "0", "--apns-sandbox-host", "localhost", "--apns-sandbox-port",
                "\(simulator.port)", "--apns-sandbox-ca", "\(server.directory)/ca.pem", "--apns-sandbox-channel-host",
                "localhost", "--apns-sandbox-channel-port", "\(simulator.channelPort)",
            ]
            let run = try await server.apus(arguments)
            #expect(run.status == 0)
            let count = CanaryCase.all.count - 3
            #expect(run.lines.last == "\(count) of \(count) alike")
            #expect(simulator.device(device.id)?.notifications.count == 4)
            let unknown = try await server.apus(arguments.map { $0 == "phone-1" ? "phone-2" : $0 })
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("has no device 'phone-2'"))
        }
    }

    @Test("without a server at the address, or a store, the message says what to check")
    func failures() async throws {
        try await self.withTestEnvironment { test in
            let port = try ReservedPort()
            let arguments =
                test.tokens + test.credential + test.server + ["--send", "--apns-sandbox-port", "\(port.number)"]
            let absent = try await test.canary(arguments)
            #expect(absent.status == 1)
            #expect(absent.failure?.code == "unreachable")
            let data = "\(test.directory)/no-data"
            let store = try await test.canary(["--device", "phone-1", "--data", data])
            #expect(store.failure?.code == "store_not_found")
            #expect(!FileManager.default.fileExists(atPath: data))
        }
    }
}
