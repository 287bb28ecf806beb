// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@Suite("apus activity start for a topic or an audience", .timeLimit(.minutes(20)))
struct RolloutCommandTests {
    private static let app = ServerInTest.app
    private static let content = [
        "--type", "Match", "--attributes", "{}", "--state", #"{"score":0}"#, "--title", "Final", "--body", "Kick-off",
    ]

    private static func start(_ server: ServerInTest.Running, _ more: [String]) async throws -> CommandRun {
        try await CommandRun(
            ["activity", "start", Self.app, "final"] + Self.content + more,
            environment: server.environment,
            in: server.directory
        )
    }

    /// Registers a phone that is subscribed to a topic and has told a start token.
    private static func phone(
        _ simulator: APNsSimulator,
        _ server: ServerInTest.Running
    ) async throws -> VirtualDeviceID {
        let phone = try simulator.bootDevice(apps: [Self.app]).id
        let device = "/v1/apps/\(Self.app)/devices/\(phone.rawValue)"
        let token = try #require(simulator.device(phone)?.token(Self.app))
        let body = #"{"token":"\#(token.hex)","topics":["football"]}"#
        _ = try await server.api.call(.put, device, body: Data(body.utf8))
        let start = try simulator.issuePushToStartToken("Match", for: Self.app, on: phone)
        _ = try await server.api.call(
            .put,
            "\(device)/start-tokens/Match",
            body: Data(#"{"token":"\#(start.hex)"}"#.utf8)
        )
        return phone
    }

    @Test("starts it on the phones, and watch tells how far that has come", arguments: ["topic", "audience"])
    func started(by kind: String) async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            let phones = [try await Self.phone(simulator, server), try await Self.phone(simulator, server)]
            let choice = kind == "topic" ? "football" : #"{"topic":"football"}"#
            let start = try await Self.start(server, ["--\(kind)", choice, "--rate", "100"])
            #expect(start.status == 0, "\(start.errors)")
            #expect(start.lines.first == "final is pending at version 1: 0 sent.")
            #expect(start.lines.last?.hasPrefix("Rollout ") == true)
            var events = simulator.events().makeAsyncIterator()
            for phone in phones {
                while simulator.activities(on: phone).isEmpty { _ = try #require(await events.next()) }
            }
            let command = ["activity", "watch", Self.app, "final"]
            let watch = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: command,
                environment: server.environment,
                log: "\(server.directory)/watch.log"
            )
            while let line = await watch.nextLine() {
                if line.contains("rollout_completed  2 started") { break }
            }
            _ = try await server.api.call(
                .patch,
                "/v1/apps/\(Self.app)/activities/final",
                body: Data(#"{"end":{"dismissal":"immediate"}}"#.utf8)
            )
            #expect(await watch.end() == 0)
        }
    }

    @Test(
        "says what does not belong together",
        arguments: [
            (["--topic", "a", "--audience", "{}"], "either --topic or --audience"),
            (["--rate", "5"], "--rate belongs to"),
            (["--topic", "a", "--wait"], "--wait does not wait"),
        ]
    )
    func refused(arguments: [String], message: String) async throws {
        try await withTemporaryDirectory { directory in
            let all = ["activity", "start", Self.app, "final"] + Self.content + arguments
            let run = try await CommandRun(all, in: directory)
            #expect(run.status == 2)
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }
}
