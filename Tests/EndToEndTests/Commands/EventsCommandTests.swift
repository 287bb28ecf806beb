// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus
@testable import apus_bench

@Suite("apus events", .timeLimit(.minutes(20)))
struct EventsCommandTests {
    private static let path = "/v1/apps/\(ServerInTest.app)"

    @Test("what happens is printed as it happens, also after the server was started again, and nothing twice")
    func watch() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let port = "\(try await FreePort.find())"
                let first = try await server.start(with: "none", arguments: ["--port", port])
                try await first.createApp(simulator)
                let watch = try ChildProcess(
                    executable: BuiltExecutable.path,
                    arguments: ["events", "watch", ServerInTest.app, "--cursor", "oldest", "--json"],
                    environment: first.environment,
                    log: "\(directory)/watch.log"
                )
                var sent = [try await first.send(to: ["ab"]).id]
                #expect(try await Self.notification(watch) == sent[0])
                #expect(await first.process.stop() == 0)
                let second = try await server.start(with: "none", arguments: ["--port", port])
                for token in ["cd", "ef"] { sent.append(try await second.send(to: [token]).id) }
                #expect(try await Self.notification(watch) == sent[1])
                #expect(try await Self.notification(watch) == sent[2])
                watch.kill()
                await watch.end()
                #expect(await second.process.stop() == 0)
            }
        }
    }

    @Test("an app that does not exist is told at once")
    func noApp() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let run = try await server.apus("events", "watch", "com.example.none", "--json")
            #expect(run.status == 1)
            #expect(run.failure?.code == "app_not_found")
        }
    }

    @Test("a webhook of this machine is posted to only where the configuration allows it, and none where it is off")
    func privateWebhook() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let allowing = ["--webhooks-allow-private-networks", "true", "--webhooks-allow-http", "true"]
                let off = allowing + ["--webhooks-enabled", "false"]
                for (arguments, failure) in [
                    ([], "private_address"), (allowing, "connection_failed"), (off, "unavailable"),
                ] {
                    let running = try await server.start(with: "none", arguments: arguments)
                    if arguments.isEmpty { try await running.createApp(simulator) }
                    struct Created: Decodable {
                        let id: String
                    }
                    // The API resolves no name, so only posting finds the address.
                    let body = ["url": arguments.isEmpty ? "https://localhost:1/" : "http://127.0.0.1:1/"]
                    let webhook = try await running.api.call(.post, "\(Self.path)/webhooks", sending: body)
                        .decoded(as: Created.self)
                    let answer = try await running.api.call(.post, "\(Self.path)/webhooks/\(webhook.id):test")
                    #expect(answer.text.contains(#""error":"\#(failure)""#), "\(answer.text)")
                    #expect(await running.process.stop() == 0)
                }
            }
        }
    }

    /// The notification of which the next line tells.
    private static func notification(_ watch: ChildProcess) async throws -> String? {
        let line = try #require(await watch.nextLine())
        guard case .string(let id)? = try JSONValue(json: Array(line.utf8))["data"]?["notification"] else { return nil }
        return id
    }
}
