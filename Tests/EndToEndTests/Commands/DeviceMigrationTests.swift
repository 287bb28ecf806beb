// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import StoreTesting
import Testing

@testable import apus

/// What docs/devices.md says about devices from another database.
@Suite("Devices from another database", .timeLimit(.minutes(20)))
struct DeviceMigrationTests {
    private static let app = ServerInTest.app

    /// A command of the guide, and what it imports.
    struct Case: Sendable {
        let number: Int
        let lines: Int
        let registeredAt: String
    }

    @Test(
        "the commands of docs/devices.md for psql import the tokens of a table with a column of tokens",
        arguments: [
            Case(number: 0, lines: 50, registeredAt: "2026-02-01T00:01:37.000Z"),
            Case(number: 1, lines: 90, registeredAt: "1970-01-01T00:00:00.000Z"),
        ]
    )
    func psql(_ known: Case) async throws {
        let guide = try String(contentsOfFile: PythonEnvironment.file("docs/devices.md"), encoding: .utf8)
        let commands = guide.components(separatedBy: "\n```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.filter { $0.hasPrefix("psql ") }
        try #require(commands.count == 2, "the commands of the guide")
        let table = """
            CREATE TABLE public.devices (device_id uuid PRIMARY KEY, apns_token TEXT, timezone TEXT,
                updated_at timestamptz NOT NULL);
            INSERT INTO devices SELECT ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
                CASE WHEN n % 10 < 9 THEN lpad(to_hex(n - n % 2), 64, '0') END, 'Asia/Tokyo',
                '2026-02-01T00:00:00Z'::timestamptz + n * interval '1 second'
            FROM generate_series(0, 99) AS n
            """
        try await TestPostgresDatabase.withDatabase { database in
            try await ServerInTest.with(roles: "none") { _, server in
                let made = try await CommandRun(
                    ["psql", "--quiet", "--command", table, database.url],
                    of: "/usr/bin/env",
                    in: server.directory
                )
                #expect(made.status == 0, "\(made.errors)")
                for _ in 0..<2 {
                    let run = try await Self.shell(commands[known.number], database: database.url, server)
                    #expect(run.status == 0, "\(run.errors)")
                    #expect(run.lines == ["Imported \(known.lines) devices of \(Self.app), 0 lines rejected."])
                }
                try await Self.expectImported(by: server, registeredAt: known.registeredAt)
            }
        }
    }

    /// Each of 50 tokens is that of two rows; the later one counts.
    private static func expectImported(by server: ServerInTest.Running, registeredAt: String) async throws {
        let lines = try await server.apus("devices", "export", Self.app).lines
        let devices = try lines.map { try JSON.decoder.decode(Exported.self, from: Data($0.utf8)) }
        #expect(devices.count == 50)
        let last = try #require(devices.first { $0.device.hasSuffix("0097") })
        #expect(last.token == String(repeating: "0", count: 62) + "60")
        #expect(last.timeZone == "Asia/Tokyo")
        #expect(last.registeredAt == registeredAt)
    }

    private struct Exported: Decodable {
        let device: String
        let token: String
        let timeZone: String?
        let registeredAt: String
    }

    private static func shell(
        _ command: String,
        database: String,
        _ server: ServerInTest.Running
    ) async throws -> CommandRun {
        let programs = URL(fileURLWithPath: BuiltExecutable.path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let environment = ["DATABASE_URL": database, "PATH": "\(programs):\(path)"]
        return try await CommandRun(
            ["-o", "pipefail", "-c", command],
            of: "/bin/bash",
            environment: server.environment.merging(environment) { $1 },
            in: server.directory
        )
    }

    @Test("an import that is interrupted says where it was, and continues there")
    func interrupted() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        let lines = ["device,token"] + (2...30_000).map { "i\($0),\(String(format: "%064x", $0))" }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let first = try await server.start(with: "none")
                try await first.createApp(simulator)
                let file = "\(directory)/devices.csv"
                try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: file))
                // The pipe stays open behind the lines, until the shell's own input ends.
                let command = #"{ head -n 20000 "$1"; cat; } | "$0" devices import "$2" - --format csv --json"#
                let run = try ChildProcess(
                    executable: "/bin/bash",
                    arguments: ["-c", command, BuiltExecutable.path, file, Self.app],
                    environment: first.environment,
                    log: "\(directory)/import.log"
                )
                let line = try #require(await run.nextLine())
                let progress = try JSON.decoder.decode(ImportResponseLine.self, from: Data(line.utf8))
                let read = try #require(progress.linesRead)
                #expect(progress.type == "progress")
                await first.kill()
                var output = [line]
                while output.last?.contains("--skip") != true, let line = await run.nextLine() { output.append(line) }
                // Its input ends the shell, which waits for it.
                await run.stop()
                let reports = output.compactMap { line in
                    try? JSON.decoder.decode(ImportResponseLine.self, from: Data(line.utf8))
                }
                let stored = try #require(reports.last?.linesRead)
                #expect(stored >= read)
                #expect(output.last?.contains("--skip \(stored).") == true, "\(output.suffix(2)) \(run.logEnd)")

                let second = try await server.start(with: "none")
                let rest = try await second.apus("devices", "import", Self.app, file, "--skip", "\(stored)")
                #expect(rest.status == 0, "\(rest.errors)")
                #expect(rest.lines == ["Imported \(30_000 - stored) devices of \(Self.app), 0 lines rejected."])
                let export = try await second.apus("devices", "export", Self.app, "\(directory)/all.csv")
                #expect(export.lines == ["Wrote 29999 devices of \(Self.app) to \(directory)/all.csv."])
                #expect(await second.process.stop() == 0)
            }
        }
    }

    @Test("the first registration of the app replaces the device with its token, or updates the one with its ID")
    func firstRegistration() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let file = "\(server.directory)/devices.csv"
            let table = "device,token,userID,topics\nrow-1,\(Self.token(1)),u1,news\nrow-2,\(Self.token(2)),u2,news\n"
            try Data(table.utf8).write(to: URL(fileURLWithPath: file))
            let run = try await server.apus("devices", "import", Self.app, file)
            #expect(run.status == 0, "\(run.errors)")
            // The first app has an ID of its own, the second one that of the table and by now another token.
            for (device, token) in [("kit-1", 1), ("row-2", 3)] {
                let put = try await server.apus("devices", "put", Self.app, device, "--token", Self.token(token))
                #expect(put.status == 0, "\(put.errors)")
            }
            let again = try await server.apus("devices", "import", Self.app, file)
            #expect(
                again.lines == [
                    "Imported 0 devices of \(Self.app), 0 lines rejected, 2 skipped because the server has newer data."
                ]
            )
            let lines = try await server.apus("devices", "export", Self.app).lines
            #expect(lines.count == 2)
            for (device, token) in [("kit-1", 1), ("row-2", 3)] {
                let line = try #require(lines.first { $0.contains(#""device":"\#(device)""#) })
                #expect(line.contains(#""token":"\#(Self.token(token))""#))
                #expect(!line.contains("userID") && line.contains(#""topics":[]"#), "what the app did not say")
            }
        }
    }

    private static func token(_ number: Int) -> String { String(format: "%064x", number) }
}
