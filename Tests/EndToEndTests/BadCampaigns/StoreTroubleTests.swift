// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@testable import apus

/// Campaigns of `APUS_TEST_DEVICES` devices, 4,000 unless given, whose server cannot write to its store for a while.
@Suite("A campaign on a bad day of the store", .serialized, .timeLimit(.minutes(10)))
struct StoreTroubleTests {
    /// Slices are settled all the time.
    private static let environment = ["APUS_DELIVERY_MAX_IN_FLIGHT": "400", "APUS_DELIVERY_CHUNK_SIZE": "100"]

    @Test("a campaign resumes when another process releases its database lock")
    func locked() async throws {
        try await CampaignStage.open { stage, tally in
            let server = try await stage.start(environment: Self.environment, through: Launcher.mergingOutput)
            try await server.addCredential(stage.simulator)
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: 100))
            let campaign = try await server.beginCampaign()
            await tally.take(150)
            let intruder = try Intruder(path: "\(server.directory)/data/apus.db")
            try await intruder.execute("BEGIN EXCLUSIVE")
            stage.simulator.removeFault(held)
            // Longer than a call waits for the lock.
            #expect(await server.process.logs("Failed to settle a chunk"))
            #expect(try await server.status(of: campaign).progress.counts.failed.isEmpty)
            try await intruder.execute("ROLLBACK")

            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            let resent = try await server.hasResent()
            #expect(await server.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent, "who had sent them was there all the time")
        }
    }

    #if os(Linux)
    @Test(
        "goes on by itself when there is room again on a disk that was full",
        arguments: [300, 700]
    )
    func full(kilobytes: Int) async throws {
        try await CampaignStage.open { stage, tally in
            let server = try await stage.start(
                environment: Self.environment,
                through: Launcher.limitingFiles(blocks: 2 * kilobytes, isFinal: false) + Launcher.mergingOutput
            )
            try await server.addCredential(stage.simulator)
            let campaign = try await server.beginCampaign()
            #expect(await server.process.logs("full: "))
            let stuck = try await server.status(of: campaign).progress
            #expect(stuck.counts.rejected.isEmpty)
            #expect(stuck.counts.failed.isEmpty)

            let command = ["prlimit", "--pid", "\(server.process.processID)", "--fsize=unlimited:"]
            let room = try ChildProcess(
                executable: "/usr/bin/env",
                arguments: command,
                log: "\(server.directory)/prlimit.log"
            )
            #expect(await room.end() == 0, "\(room.logEnd)")
            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            let resent = try await server.hasResent()
            #expect(await server.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent, "who had sent them was there all the time")
        }
    }
    #endif

    @Test("is finished after a restart when the disk was full until then, what was not settled under the same apns-ids")
    func fullUntilKilled() async throws {
        try await CampaignStage.open { stage, tally in
            let first = try await stage.start(
                environment: Self.environment,
                through: Launcher.limitingFiles(blocks: 1400) + Launcher.mergingOutput
            )
            try await first.addCredential(stage.simulator)
            let campaign = try await first.beginCampaign()
            #expect(await first.process.logs("full: "))
            await first.kill()

            let second = try await stage.start()
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated <= 400)
            #expect(total.most <= 2)
        }
    }
}
