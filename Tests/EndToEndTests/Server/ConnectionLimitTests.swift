// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Logging
import Testing

@testable import apus

@Suite("A server with few files to open", .timeLimit(.minutes(5)))
struct ConnectionLimitTests {
    @Test("stays up under more connections than it may have open, and answers again when they are gone")
    func silent() async throws {
        let quiet = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: quiet) { simulator in
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let running = try await server.start(through: Launcher.limitingOpenFiles(200))
                try await running.createApp(simulator)
                var silent: [RawConnection] = []
                for _ in 0..<300 { silent.append(try await running.connect()) }
                // The first ones were let in: what they ask for is answered although all that may be open are.
                let first = silent[0]
                try await first.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await first.nextLine() == "HTTP/1.1 200 OK")
                for connection in silent { await connection.close() }
                let token = try #require(try simulator.bootDevices(1, apps: [ServerInTest.app]).first).hex
                let sent = try await running.send(to: [token])
                #expect(try await running.settled(sent.id).counts.delivered == 1)
                let log = try String(contentsOfFile: "\(directory)/server.log", encoding: .utf8)
                #expect(log.contains("As many connections are open as may be"))
                #expect(await running.process.stop() == 0)
            }
        }
    }

    @Test(
        "has its connections bounded by what is left of its open files",
        arguments: [(200, 2, 100), (1024, 2, 760), (1_048_576, 64, 1_048_064), (1, 1, 1), (Int.max, 1, Int.max - 260)]
    )
    func room(files: Int, processors: Int, connections: Int) {
        #expect(OpenFiles.connections(within: files, processors: processors) == connections)
    }
}
