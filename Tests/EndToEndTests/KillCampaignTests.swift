// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import StoreTesting
import Testing

/// Campaigns whose server dies or stands still at an instant drawn by chance.
///
/// `APUS_TEST_ROUNDS` and `APUS_TEST_DEVICES` say how many campaigns there are on each store, and how many devices
/// each has; one campaign of 6,000 unless given. `APUS_TEST_STORE` names the one store on which they are killed.
@Suite("A campaign whose server fails", .serialized, .timeLimit(.minutes(20)))
struct KillCampaignTests {
    private static let devices = CampaignStage.number("APUS_TEST_DEVICES") ?? 6000
    private static var rounds: Int { CampaignStage.number("APUS_TEST_ROUNDS") ?? 1 }

    /// What a process may have in flight: little of the campaign, so that one that began anew is noticed.
    private static let window = 600
    private static let environment = ["APUS_DELIVERY_MAX_IN_FLIGHT": "\(window)", "APUS_DELIVERY_CHUNK_SIZE": "100"]

    @Test(
        "reaches every device when it is killed at any instant, the window in flight at most twice",
        arguments: TestStoreBackend.chosen,
        1...rounds
    )
    func killed(store: TestStoreBackend, round: Int) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            var server = try await stage.start(environment: Self.environment)
            try await server.addCredential(stage.simulator)
            let campaign = try await server.beginCampaign()
            // Once as it begins, or is about to; once behind more windows than come twice.
            let several = min(4 * Self.window, Self.devices - 1)
            for instant in [Int.random(in: 0..<several), Int.random(in: several..<Self.devices)] {
                await tally.take(instant)
                await server.kill()
                server = try await stage.start(environment: Self.environment)
            }
            await tally.takeAll()
            stage.expectAllDelivered(try await server.settled(campaign))
            #expect(await server.process.stop() == 0)
            Self.expectDoubled(try await tally.total(), failures: 2)
        }
    }

    @Test(
        "is sent on by another process while one stands still, whose late settlement changes nothing",
        arguments: TestStoreBackend.allCases
    )
    func standsStill(store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let first = try await stage.start(environment: Self.environment)
            try await first.addCredential(stage.simulator)
            // Its answers are held back, so that it is in the middle when it is made to stand still. A few come, since a
            // process that has had no answer sends a few only and waits for those.
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: 100))
            let campaign = try await first.beginCampaign()
            await tally.take(150)
            try await first.standStillBetweenWrites()
            defer { first.process.goOn() }
            stage.simulator.removeFault(held)

            let second = try await stage.start(environment: Self.environment)
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))

            // The answers that it waited for are there now.
            first.process.goOn()
            try await Self.losesLease(first)
            #expect(await first.process.stop() == 0)
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
            // 50 had arrived at least, and were not answered.
            Self.expectDoubled(try await tally.total(), atLeast: 50, failures: 1)
        }
    }

    @Test(
        "is sent by several processes side by side, of which one is killed and one stands still beyond its leases",
        arguments: TestStoreBackend.allCases
    )
    func sideBySide(store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            // Small windows and shards of a tenth of a second, so that there is something for each of them.
            let killed = try await stage.start(environment: Self.environment)
            try await killed.addCredential(stage.simulator)
            let still = try await stage.start(environment: Self.environment)
            let third = try await stage.start(environment: Self.environment)
            // Their answers are held back, so that each is in the middle of something.
            let answers = 300
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: answers))
            let campaign = try await killed.beginCampaign(ratePerSecond: max(1, Self.devices / 5))
            try await Self.areWaiting([killed, still, third], behind: answers)
            await killed.kill()
            try await still.standStillBetweenWrites()
            defer { still.process.goOn() }
            stage.simulator.removeFault(held)

            await tally.takeAll()
            stage.expectAllDelivered(try await third.settled(campaign))
            still.process.goOn()
            try await Self.losesLease(still)
            #expect(await still.process.stop() == 0)
            stage.expectAllDelivered(try await third.settled(campaign))
            #expect(await third.process.stop() == 0)
            Self.expectDoubled(try await tally.total(), failures: 2)
        }
    }

    /// Waits until each process waits for answers that do not come: all that come have, and each has handed over more.
    private static func areWaiting(_ processes: [ServerInTest.Running], behind answers: Int) async throws {
        while true {
            var counts: [(answered: Int, handedOver: Int)] = []
            for process in processes {
                let answered = try await process.metric("apus_apns_accepted_total")
                counts.append((answered, try await process.metric("apus_delivery_attempts_total")))
            }
            let areAnswered = counts.reduce(0) { $0 + $1.answered } >= answers
            if areAnswered, counts.allSatisfy({ $0.handedOver > $0.answered }) { return }
        }
    }

    /// Waits until a process that stood still has found out that another one has its work.
    private static func losesLease(_ process: ServerInTest.Running) async throws {
        while try await process.metric("apus_delivery_batches_total", #"result="lease_lost""#) == 0 {}
    }

    /// What failed processes had in flight was sent twice at most, once more for each of them; and so much was for certain.
    private static func expectDoubled(_ total: CampaignTally.Total, atLeast least: Int = 0, failures: Int) {
        #expect(total.most <= 1 + failures)
        #expect((least...failures * Self.window).contains(total.repeated))
    }
}
