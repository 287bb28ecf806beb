// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import CommandLineSupport
import Foundation
import StoreTesting
import Testing

@testable import apus

/// Schedulers that are killed at an instant drawn by chance while an activity is started on an audience.
///
/// `APUS_TEST_ROUNDS` and `APUS_TEST_PHONES` say how often that is done on each store, and on how many phones; once on 2,000
/// unless given.
@Suite("A rollout whose schedulers are killed", .serialized, .timeLimit(.minutes(20)))
struct KillRolloutTests {
    private static var rounds: Int { CampaignStage.number("APUS_TEST_ROUNDS") ?? 1 }

    @Test(
        "starts the activity once on each phone and forgets none, at whichever instants they are killed",
        arguments: TestStoreBackend.chosen,
        1...rounds
    )
    func killed(store: TestStoreBackend, round: Int) async throws {
        try await RolloutStage.open(on: store) { stage, tally in
            let server = try await stage.serve()
            try await server.addCredential(stage.simulator)
            var schedulers = [try await stage.schedule(), try await stage.schedule()]
            try await stage.begin(by: server)
            for arrived in (0..<6).map({ _ in Int.random(in: 0..<stage.phones.count) }).sorted() {
                await tally.take(arrived)
                // Both of them: whichever goes on with it is among them, and the other may take it over.
                for place in schedulers.indices {
                    schedulers[place].kill()
                    await schedulers[place].end()
                    schedulers[place] = try await stage.schedule()
                }
                // A rollout over which three schedulers in a row were killed without progress is quarantined.
                let before = try await stage.rollout(server)
                try await waitUntil { try await stage.rollout(server).map { $0.isOver || $0 != before } ?? false }
            }
            try await waitUntil { try await stage.rollout(server)?.isOver == true }
            #expect(try await stage.rollout(server)?.state == "completed")
            await tally.takeAll()
            for process in schedulers + [server.process] { #expect(await process.stop() == 0) }
        }
    }
}
