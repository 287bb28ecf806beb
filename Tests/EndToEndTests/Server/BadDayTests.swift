// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus

@Suite("Bad days of a server", .timeLimit(.minutes(20)))
struct BadDayTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    @Test("a database that is locked meanwhile is told to callers and to the probe, and works again afterwards")
    func locked() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let intruder = try Intruder(path: "\(server.directory)/data/apus.db")
            try await intruder.execute("BEGIN IMMEDIATE")
            let refused = try await server.apus("apps", "create", "com.example.late", "--json")
            #expect(refused.status == 1)
            #expect(refused.failure?.code == "store_locked")
            let probe = await #expect(throws: CommandError.self) { try await server.api.call(.get, "/readyz") }
            #expect(probe?.code == "store_locked")
            try await intruder.execute("ROLLBACK")
            #expect(try await server.apus("apps", "create", "com.example.late").status == 0)
        }
    }

    @Test("on a full disk nothing is acknowledged that is not stored, and all of what was is sent after a restart")
    func full() async throws {
        let count = 2000
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let tokens = try simulator.bootDevices(count, apps: [ServerInTest.app]).map(\.hex)
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let first = try await server.start(with: "none", through: Launcher.limitingFiles(blocks: 2048))
                try await first.createApp(simulator)
                var acknowledged: [String] = []
                var refusal: CommandError?
                while refusal == nil, acknowledged.count < 200 {
                    do {
                        acknowledged.append(try await first.send(to: tokens).id)
                    } catch let failure as CommandError {
                        refusal = failure
                    }
                }
                #expect(refusal?.code == "store_full")
                #expect(!acknowledged.isEmpty)
                await first.kill()

                let second = try await server.start()
                for id in acknowledged { #expect(try await second.settled(id).counts.delivered == count) }
                #expect(simulator.statistics.accepted == acknowledged.count * count)
                #expect(await second.process.stop() == 0)
            }
        }
    }

    /// What keeps a server from APNs.
    enum Obstacle: CaseIterable {
        case wrongAuthority
        case nobodyListens
        case noTLS
    }

    @Test(
        "while APNs cannot be reached callers get an answer, the log says why, and nothing is lost",
        arguments: Obstacle.allCases
    )
    func unreachable(obstacle: Obstacle) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let device = try simulator.bootDevice(apps: [ServerInTest.app])
                let token = try #require(device.token(ServerInTest.app))
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let first = try await server.start(
                    environment: ["APUS_WAIT_TIMEOUT_SECONDS": "1"],
                    arguments: try Self.arguments(for: obstacle, simulator, in: directory),
                    through: Launcher.mergingOutput
                )
                try await first.createApp(simulator)
                let sent = try await first.apus(
                    "send",
                    ServerInTest.app,
                    "--token",
                    token.hex,
                    "--title",
                    "x",
                    "--wait"
                )
                #expect(sent.status == 1)
                #expect(sent.lines.contains { $0.hasSuffix("1 under way.") })
                #expect(sent.errors.contains("the server continues"))
                var reason: String?
                while reason == nil, let line = await first.process.nextLine() {
                    if line.contains("Failed to connect to APNs") { reason = line }
                }
                #expect(reason?.contains("localhost") == true)
                #expect(await first.process.stop() == 0)

                var arrivals = simulator.deliveries().makeAsyncIterator()
                let second = try await server.start()
                #expect(await arrivals.next()?.device == device.id)
                #expect(await second.process.stop() == 0)
            }
        }
    }

    private static func arguments(
        for obstacle: Obstacle,
        _ simulator: APNsSimulator,
        in directory: String
    ) throws -> [String] {
        switch obstacle {
        case .wrongAuthority:
            let file = "\(directory)/other.pem"
            let other = try APNsSimulator(logger: self.silent)
            try Data(other.caPEM.utf8).write(to: URL(fileURLWithPath: file))
            return ["--apns-sandbox-ca", file]
        case .nobodyListens: return ["--apns-sandbox-port", "1"]
        case .noTLS: return ["--apns-sandbox-port", "\(simulator.controlPort)"]
        }
    }
}
