// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus
@testable import apus_bench

@Suite("Whoever watches what he has created", .timeLimit(.minutes(20)))
struct CampaignWatchTests {
    private static let app = ServerInTest.app
    private static let creation = ["campaign", "create", app, "--title", "Hello", "--watch"]
    private static let validation = ["tokens", "validate", app, "--duration", "0", "--watch"]

    @Test("sees its end even if the server restarts meanwhile", arguments: [creation, validation])
    func restart(arguments: [String]) async throws {
        try await Self.place { server, simulator in
            let port = "\(try await FreePort.find())"
            let first = try await server.start(with: "none", arguments: ["--port", port])
            try await first.createApp(simulator)
            let watch = try Self.apus(arguments, in: first)
            let created = try #require(await watch.nextLine())
            #expect(created.hasPrefix("Created "))
            _ = await watch.nextLine()
            #expect(await first.process.stop() == 0)
            #expect(await watch.nextLine()?.hasPrefix("apus: No response from ") == true)
            let second = try await server.start(with: "delivery,scheduling", arguments: ["--port", port])
            var last: String?
            while let line = await watch.nextLine() { last = line }
            #expect(await watch.end() == 0)
            #expect(last?.hasPrefix("completed: ") == true, "\(last ?? "")")
            #expect(await second.process.stop() == 0)
        }
    }

    @Test("is told that it was created when the server stays away", arguments: [creation, validation], [false, true])
    func gone(arguments: [String], asJSON: Bool) async throws {
        try await Self.place { server, simulator in
            let first = try await server.start(with: "none")
            try await first.createApp(simulator)
            let watch = try Self.apus(arguments + ["--retry-timeout", "0"] + (asJSON ? ["--json"] : []), in: first)
            let created = try #require(await watch.nextLine())
            _ = await watch.nextLine()
            #expect(await first.process.stop() == 0)
            var rest: [String] = []
            while let line = await watch.nextLine() { rest.append(line) }
            #expect(await watch.end() == 3)
            if asJSON {
                struct Created: Decodable {
                    let id: String
                }
                let id = try JSON.decoder.decode(Created.self, from: Data(created.utf8)).id
                #expect(rest.last?.contains(#""code":"watch_interrupted""#) == true, "\(rest)")
                #expect(rest.last?.contains(id) == true)
            } else {
                let id = try #require(created.split(whereSeparator: { " :".contains($0) }).dropFirst().first)
                #expect(
                    rest.contains { $0.contains("\(id) was created. Watching ended: ") },
                    "\(rest)"
                )
                #expect(rest.last?.hasSuffix(" watch \(Self.app) \(id)") == true)
            }
        }
    }

    @Test("learns from the status that it was called off, or that he may look at it no more")
    func calledOff() async throws {
        try await Self.place { server, simulator in
            let first = try await server.start(with: "none")
            try await first.createApp(simulator)
            let watch = try Self.apus(Self.creation + ["--json"], in: first)
            let campaign = try JSON.decoder.decode(
                CampaignResponse.self,
                from: Data(try #require(await watch.nextLine()).utf8)
            )
            _ = await watch.nextLine()
            _ = try await first.steer("cancel", campaign)
            #expect(await watch.end() == 1)

            let other = try Self.apus(Self.creation, in: first)
            for _ in 0..<2 { _ = await other.nextLine() }
            let keys = try await first.apus("keys", "list", "--json")
            let key = try keys.lastLine(as: KeyResponse.self)
            #expect(try await first.apus("keys", "revoke", key.id).status == 0)
            #expect(await other.end() == 3)
            #expect(await first.process.stop() == 0)
        }
    }

    private static func place(_ body: (ServerInTest, APNsSimulator) async throws -> Void) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                try await body(try await ServerInTest(in: directory, simulator: simulator), simulator)
            }
        }
    }

    /// Starts a command whose lines tell also what it writes to standard error.
    private static func apus(_ arguments: [String], in server: ServerInTest.Running) throws -> ChildProcess {
        try ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", #"exec "$0" "$@" 2>&1"#, BuiltExecutable.path] + arguments,
            environment: server.environment,
            log: "\(server.directory)/watch.log"
        )
    }
}
