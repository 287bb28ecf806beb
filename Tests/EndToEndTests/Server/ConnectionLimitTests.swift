// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Logging
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("A server with few files to open", .timeLimit(.minutes(20)))
struct ConnectionLimitTests {
    @Test("stays up under more connections than it may have open, and answers again when they are gone")
    func silent() async throws {
        let quiet = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: quiet) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let running = try await server.start(through: Launcher.limitingOpenFiles(200))
                try await running.createApp(simulator)
                let first = try await running.connect()
                #expect(try await Self.isAnswered(first, running))
                var silent: [RawConnection] = []
                for _ in 0..<6 {
                    silent += try await Self.connect(50, to: running)
                    // The first one stays, since it has shown a valid key, and so it is answered. The server closes a
                    // connection that is idle, so that it has to ask again and again on a machine on which this takes long.
                    #expect(try await Self.isAnswered(first, running))
                }
                for connection in silent + [first] { await connection.close() }
                let token = try #require(try simulator.bootDevices(1, apps: [ServerInTest.app]).first).hex
                let sent = try await running.send(to: [token])
                #expect(try await running.settled(sent.id).counts.delivered == 1)
                let log = try String(contentsOfFile: "\(directory)/server.log", encoding: .utf8)
                #expect(log.contains("Almost all connections are taken"))
                #expect(await running.process.stop() == 0)
            }
        }
    }

    /// Opens connections, all at the same time.
    private static func connect(_ count: Int, to running: ServerInTest.Running) async throws -> [RawConnection] {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await running.connect() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Sends a request, and reads the head of the response.
    private static func isAnswered(_ connection: RawConnection, _ server: ServerInTest.Running) async throws -> Bool {
        let key = server.environment["APUS_API_KEY"] ?? ""
        try await connection.send(
            "GET /v1/apps HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\r\n"
        )
        // The body of the response before has no line feed at its end.
        while let line = await connection.nextLine() { if line.hasSuffix("HTTP/1.1 200 OK") { return true } }
        return false
    }

    @Test(
        "has its connections bounded by what is left of its open files",
        arguments: [(200, 2, 100), (1024, 2, 760), (1_048_576, 64, 1_048_064), (1, 1, 1), (Int.max, 1, Int.max - 260)]
    )
    func room(files: Int, processors: Int, connections: Int) {
        #expect(FileDescriptorLimit.connections(within: files, processors: processors) == connections)
    }
}
