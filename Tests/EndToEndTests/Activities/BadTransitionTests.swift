// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import StoreTesting
import Testing

@testable import apus

@Suite("Transitions that come due on a bad day", .serialized, .timeLimit(.minutes(10)))
struct BadTransitionTests {
    private static var rounds: Int { CampaignStage.number("APUS_TEST_ROUNDS") ?? 1 }

    /// Where the process is that is killed next: one that does everything, one that sends, one that plans.
    private enum Place: CaseIterable {
        case serve
        case deliver
        case schedule
    }

    @Test(
        "are carried out once each, whichever process is killed at whichever instant",
        arguments: TestStoreBackend.allCases,
        1...rounds
    )
    func killed(store: TestStoreBackend, round: Int) async throws {
        try await TransitionStage.open(on: store) { stage, tally in
            var server = try await stage.start()
            try await server.addCredential(stage.simulator)
            var deliver = try await stage.start(.deliver)
            var schedule: ChildProcess? = try await stage.start(.schedule)
            try await stage.schedule(in: 0.5)
            let all = TransitionStage.changes * stage.rides.count
            let instants = (0..<5).map { _ in Int.random(in: 0..<all) }.sorted()
            let places = (Place.allCases + Place.allCases).shuffled()
            for (place, arrived) in zip(places, instants) {
                await tally.take(arrived)
                switch place {
                case .serve:
                    await server.kill()
                    server = try await stage.start()
                case .deliver:
                    deliver.kill()
                    await deliver.end()
                    deliver = try await stage.start(.deliver)
                case .schedule:
                    schedule?.kill()
                    await schedule?.end()
                    // Or it stays dead, and the server goes on with what it has left.
                    schedule = Bool.random() ? try await stage.start(.schedule) : nil
                }
            }
            await tally.takeAll()
            for process in [server.process, deliver, schedule].compactMap(\.self) { #expect(await process.stop() == 0) }
        }
    }

    @Test("wait for a database that is gone when they are due, and are carried out once each when it is there again")
    func restarted() async throws {
        try await TestPostgresServer.withServer { server in
            try await TestPostgresDatabase.withDatabase(on: server) { database in
                try await TransitionStage.open(storeURL: database.url) { stage, tally in
                    let running = try await stage.start()
                    try await running.addCredential(stage.simulator)
                    let schedule = try await stage.start(.schedule)
                    try await stage.schedule(in: 1)
                    for part in 0..<4 {
                        await tally.take(part * stage.rides.count / 4)
                        try await server.restart()
                    }
                    await tally.takeAll()
                    for process in [running.process, schedule] { #expect(await process.stop() == 0) }
                }
            }
        }
    }

    @Test("wait for a database that another process keeps locked when they are due, and are carried out once each")
    func locked() async throws {
        try await TransitionStage.open(on: .sqlite) { stage, tally in
            let running = try await stage.start(through: Launcher.mergingOutput)
            try await running.addCredential(stage.simulator)
            // Later than the database is locked, also on a busy machine: else nobody would wait for it.
            try await stage.schedule(in: 10)
            let intruder = try Intruder(path: "\(running.directory)/data/apus.db")
            while (try? await intruder.execute("BEGIN EXCLUSIVE")) == nil { try Task.checkCancellation() }
            let left = try await intruder.count("activity_transitions WHERE state = 0")
            try #require(left > 0, "everything was carried out before the database was locked")
            // Longer than a call waits for the lock.
            #expect(await running.process.logs("locked"))
            try await intruder.execute("ROLLBACK")
            await tally.takeAll()
            #expect(await running.process.stop() == 0)
        }
    }
}
