// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import StoreTesting
import Testing

@testable import apus

/// Campaigns of `APUS_TEST_DEVICES` devices, 4,000 unless given, whose PostgreSQL server has a bad day of its own.
@Suite("A campaign on a bad day of PostgreSQL", .serialized, .timeLimit(.minutes(20)))
struct DatabaseTroubleTests {
    /// Slices are settled all the time.
    private static let environment = ["APUS_DELIVERY_MAX_IN_FLIGHT": "400", "APUS_DELIVERY_CHUNK_SIZE": "100"]

    /// How many rows, of which four leave no room for another one on their page, take more than a segment of the server's
    /// log has, which the limit must not concern.
    private static let fillers = 10_000

    @Test("goes on by itself each time that the server has crashed and is there again")
    func restarted() async throws {
        try await Self.open { stage, tally, server, _ in
            let running = try await stage.start(environment: Self.environment)
            try await running.addCredential(stage.simulator)
            let campaign = try await running.beginCampaign()
            for part in 1...3 {
                await tally.take(part * stage.devices / 4)
                try await server.restart()
            }
            await tally.takeAll()
            try await Self.expectEnd(of: campaign, on: running, stage, &tally)
        }
    }

    @Test("goes on by itself however often all of its connections are cut")
    func cut() async throws {
        try await Self.open { stage, tally, _, database in
            let running = try await stage.start(environment: Self.environment)
            try await running.addCredential(stage.simulator)
            let campaign = try await running.beginCampaign()
            for part in 1...8 {
                await tally.take(part * stage.devices / 10)
                try await database.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'apus'"
                )
            }
            await tally.takeAll()
            try await Self.expectEnd(of: campaign, on: running, stage, &tally)
        }
    }

    #if os(Linux)
    @Test("goes on by itself when there is room again for what it plans")
    func full() async throws {
        try await Self.open { stage, tally, server, database in
            let running = try await stage.start(environment: Self.environment, through: Launcher.mergingOutput)
            try await running.addCredential(stage.simulator)
            // The next of the contents of batches need room behind the limit.
            let limit = 1 << 24
            try await database.execute(
                """
                INSERT INTO apus.batch_contents (batch, topic, push_type, payload, targets)
                SELECT gen_random_uuid(), 'filler', 'alert', '', decode(repeat('00', \(limit)), 'hex')
                """
            )
            // It is planned a bit at a time.
            let campaign = try await running.beginCampaign(ratePerSecond: stage.devices / 4)
            await tally.take(1)
            try await server.limitFiles(to: limit)
            #expect(await running.process.logs("Failed to process campaign"))
            let stuck = try await running.status(of: campaign).progress
            #expect(stuck.counts.rejected.isEmpty && stuck.counts.failed.isEmpty)
            #expect(stuck.enqueued < stage.devices)

            try await server.limitFiles(to: nil)
            await tally.takeAll()
            try await Self.expectEnd(of: campaign, on: running, stage, &tally)
        }
    }

    @Test("goes on by itself when there is room again for the outcomes")
    func fullOfFailures() async throws {
        try await Self.open { stage, tally, server, database in
            let running = try await stage.start(environment: Self.environment, through: Launcher.mergingOutput)
            try await running.addCredential(stage.simulator)
            // The next of what failed need room behind the limit. It ends within a page, so that the rest of that is written
            // and the server says that the disk is full.
            try await database.execute(
                """
                ALTER TABLE apus.batch_failures SET (autovacuum_enabled = off);
                INSERT INTO apus.batch_failures (batch, position, kind, name)
                SELECT gen_random_uuid(), 0, 0, repeat('x', 1980) FROM generate_series(1, \(Self.fillers))
                """
            )
            let size = try await database.execute("SELECT pg_relation_size('apus.batch_failures')")
            try await server.limitFiles(to: try #require(size.first.flatMap { Int($0) }) + 4096)
            let refused = 400
            let rejection = Rejection(.payloadEmpty)
            stage.simulator.inject(SimulatorFault(.reject(rejection), skip: 100, count: refused))
            let campaign = try await running.beginCampaign()
            #expect(await running.process.logs("Failed to settle a chunk", "full: "))
            let stuck = try await running.status(of: campaign).progress
            #expect(!stuck.isCompleted)
            #expect(stuck.counts.failed.isEmpty)

            try await server.limitFiles(to: nil)
            await tally.take(stage.devices - refused)
            let end = try await running.settled(campaign).progress
            #expect(end.state == "completed")
            #expect(end.counts.delivered == stage.devices - refused)
            #expect(end.counts.rejected == [RejectionReason.payloadEmpty.rawValue: refused])
            #expect(end.counts.failed.isEmpty)
            let resent = try await running.metric("apus_apns_retries_total")
            #expect(await running.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.surplus <= resent)
        }
    }

    @Test("goes on by itself once the server is there again that stopped on a full disk")
    func fullLog() async throws {
        try await Self.open { stage, tally, server, database in
            let running = try await stage.start(environment: Self.environment, through: Launcher.mergingOutput)
            try await running.addCredential(stage.simulator)
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: stage.devices / 4))
            let campaign = try await running.beginCampaign()
            await tally.take(stage.devices / 4)
            // Nothing can be committed any more, whatever it is.
            let size = try await database.execute(
                "SELECT file_offset FROM pg_walfile_name_offset(pg_current_wal_lsn())"
            )
            let bytes = try #require(size.first)
            try await server.limitFiles(to: Int(bytes))
            stage.simulator.removeFault(held)
            #expect(await running.process.logs("Failed to settle a chunk"))
            // It may just be ending by itself.
            while (try? await server.restart()) == nil { try Task.checkCancellation() }
            await tally.takeAll()
            try await Self.expectEnd(of: campaign, on: running, stage, &tally)
        }
    }
    #endif

    private static func open(
        _ body: (CampaignStage, inout CampaignTally, TestPostgresServer, TestPostgresDatabase) async throws -> Void
    ) async throws {
        try await TestPostgresServer.withServer { server in
            try await TestPostgresDatabase.withDatabase(on: server) { database in
                try await CampaignStage.open(storeURL: database.url) { stage, tally in
                    try await body(stage, &tally, server, database)
                }
            }
        }
    }

    /// The campaign ends as if nothing had been. Who had sent it was there all the time, so that nothing is sent twice.
    private static func expectEnd(
        of campaign: CampaignResponse,
        on running: ServerInTest.Running,
        _ stage: CampaignStage,
        _ tally: inout CampaignTally
    ) async throws {
        var end: CampaignResponse?
        while end == nil {
            do {
                end = try await running.settled(campaign)
            } catch let failure as CommandError where failure.code.hasPrefix("store_") {
                // The server has not found the database again yet.
            }
        }
        stage.expectAllDelivered(try #require(end))
        let resent = try await running.metric("apus_apns_retries_total")
        #expect(await running.process.stop() == 0)
        let total = try await tally.total()
        #expect(total.surplus <= resent)
    }
}
