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
@testable import apus_bench

@Suite("A server that goes by a simulator's time", .timeLimit(.minutes(20)))
struct SimulatorClockTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    @Test("goes along when that is moved by hours, and its pushes are taken then as before")
    func hours() async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let url = "http://127.0.0.1:\(simulator.controlPort)"
                let place = try await ServerInTest(in: directory, simulator: simulator)
                let server = try await place.start(arguments: ["--clock-simulator", url])
                try await server.createApp(simulator)
                let token = try simulator.bootDevice(apps: [ServerInTest.app]).token(ServerInTest.app)
                let tokens = [try #require(token).hex]
                #expect(try await server.settled(try await server.send(to: tokens).id).counts.delivered == 1)

                for _ in 0..<5 {
                    // Answered when the server goes along: a token of the time before would be refused.
                    try await SimulatorClient(url: url).advance(by: 3 * 3600)
                    let answer = try await server.settled(try await server.send(to: tokens).id)
                    #expect(answer.counts.delivered == 1, "\(answer.counts)")
                }
                #expect(await server.process.stop() == 0)
            }
        }
    }

    @Test("does not start when nobody tells the time at the address", arguments: ["serve", "deliver", "schedule"])
    func nobody(command: String) async throws {
        try await withTemporaryDirectory { directory in
            let port = try await FreePort.find()
            let run = try await CommandRun(
                command,
                "--data",
                "\(directory)/data",
                "--clock-simulator",
                "http://127.0.0.1:\(port)",
                in: directory
            )
            #expect(run.status == 1)
            #expect(run.errors.contains("clock.simulator (flag --clock-simulator)"), "\(run.errors)")
        }
    }
}
