// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus_bench

@Suite("apus activity watch", .timeLimit(.minutes(20)))
struct ActivityWatchTests {
    private static let app = ServerInTest.app
    private static let path = "/v1/apps/\(ServerInTest.app)/activities"

    /// A lesson that one phone shows.
    private static func lesson(_ simulator: APNsSimulator, _ server: ServerInTest.Running) async throws {
        let phone = try simulator.bootDevice(apps: [Self.app]).id
        try simulator.changeApp(Self.app, on: phone) { $0.state = .foreground }
        let lesson = try simulator.startActivity(
            ActivityRequest(bundleID: Self.app, attributesType: "Lesson", contentState: ["status": "active"]),
            on: phone
        )
        let token = try #require(lesson.token)
        let upload = #"{"token":"\#(token.hex)","attributesType":"Lesson","contentState":{"status":"active"}}"#
        _ = try await server.api.call(.put, "\(Self.path)/lesson-42/tokens/phone", body: Data(upload.utf8))
        let plan = #"{"at":"2036-03-20T09:00:00Z","patch":{"status":"late"}}"#
        _ = try await server.api.call(.put, "\(Self.path)/lesson-42/transitions/late", body: Data(plan.utf8))
    }

    private static func change(_ server: ServerInTest.Running, _ body: String) async throws {
        _ = try await server.api.call(.patch, "\(Self.path)/lesson-42", body: Data(body.utf8))
    }

    private static func watch(
        _ server: ServerInTest.Running,
        _ more: String...,
        through launcher: [String] = []
    ) throws -> ChildProcess {
        let command = launcher + [BuiltExecutable.path, "activity", "watch", Self.app, "lesson-42"] + more
        return try ChildProcess(
            executable: command[0],
            arguments: Array(command.dropFirst()),
            environment: server.environment.merging(["TERM": "xterm"]) { $1 },
            log: "\(server.directory)/watch.log"
        )
    }

    @Test("tells line by line what happens, with what pushes came to, and ends with the activity")
    func lines() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            try await Self.lesson(simulator, server)
            let watch = try Self.watch(server)
            #expect(
                await watch.nextLine()
                    == "lesson-42: active, version 1; 1 active, 0 starting, 0 ended; {\"status\":\"active\"}"
            )
            #expect(await watch.logs("transition_scheduled  late"))
            try await Self.change(server, #"{"patch":{"status":"ending"}}"#)
            #expect(await watch.logs(#"active, version 2"#))
            #expect(await watch.logs("updated  version 2  sent to 1: 1 delivered"))
            try await Self.change(server, #"{"end":{}}"#)
            #expect(await watch.logs("ended, version 3"))
            #expect(await watch.logs("ended  version 3  sent to 1: 1 delivered"))
            while await watch.nextLine() != nil {}
            #expect(await watch.end() == 0)
        }
    }

    @Test("draws a view over and over again on a terminal, and Ctrl-C ends it")
    func terminal() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            try await Self.lesson(simulator, server)
            let watch = try Self.watch(server, through: Launcher.onTerminal)
            for text in [
                "version 1", "1 active, 0 starting, 0 ended", #"{"status":"active"}"#, "2036-03-20T09:00:00.000Z (in ",
            ] {
                #expect(await watch.logs(text), "\(text)")
            }
            try await Self.change(server, #"{"patch":{"status":"ending"}}"#)
            // Back to the first of its lines, which are written anew.
            while let line = await watch.nextLine() {
                if line.contains("version 2") { break }
            }
            #expect(await watch.logs(#"{"status":"ending"}"#))
            #expect(await watch.logs("\u{1B}[?7h\u{1B}["))
            #expect(await watch.logs("updated  version 2  sent to 1: 1 delivered"))
            try await Self.change(server, #"{"end":{}}"#)
            #expect(await watch.logs("ended  version 3"))
            while await watch.nextLine() != nil {}
            #expect(await watch.end() == 0)
        }
        try await ServerInTest.with(roles: "none") { simulator, server in
            try await Self.lesson(simulator, server)
            let watch = try Self.watch(server)
            #expect(await watch.nextLine() != nil)
            watch.interrupt()
            while await watch.nextLine() != nil {}
            #expect(await watch.end() != 0)
        }
    }

    @Test("goes on after the server was started again, with JSON for programs, and nothing is told twice")
    func restarted() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                let place = try await ServerInTest(in: directory, simulator: simulator)
                let port = ["--port", "\(try await FreePort.find())"]
                let first = try await place.start(with: "none", arguments: port)
                try await first.createApp(simulator)
                try await Self.lesson(simulator, first)
                let watch = try Self.watch(first, "--json")
                let begin = try await Self.line(watch)
                #expect(Self.kinds(begin) == ["registered", "token_received", "transition_scheduled"])
                #expect(begin["activity"]?["contentState"] == ["status": "active"])
                #expect(await first.process.stop() == 0)
                let second = try await place.start(with: "none", arguments: port)
                try await Self.change(second, #"{"patch":{"status":"ending"}}"#)
                let updated = try await Self.line(watch)
                #expect(Self.kinds(updated) == ["updated"])
                #expect(updated["activity"]?["participantCounts"]?["active"] == 1)
                watch.kill()
                await watch.end()
                #expect(await second.process.stop() == 0)
            }
        }
    }

    @Test("an activity that does not exist is told at once")
    func unknown() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let run = try await server.apus("activity", "watch", Self.app, "none", "--json")
            #expect(run.status == 1)
            #expect(run.failure?.code == "activity_not_found")
        }
    }

    private static func line(_ watch: ChildProcess) async throws -> JSONValue {
        try JSONValue(json: Array(try #require(await watch.nextLine()).utf8))
    }

    private static func kinds(_ line: JSONValue) -> [String] {
        guard case .array(let entries)? = line["entries"] else { return [] }
        return entries.compactMap { if case .string(let kind)? = $0["type"] { kind } else { nil } }
    }
}
