// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import Testing

@testable import apus

/// Campaigns whose server dies or stands still at an instant drawn by chance.
///
/// `APUS_TEST_ROUNDS` and `APUS_TEST_DEVICES` say how many campaigns there are on each store, and how many devices
/// each has; one campaign of 10,000 unless given. `APUS_TEST_STORE` names the one store on which they are killed.
@Suite("A campaign whose server fails", .serialized, .timeLimit(.minutes(5)))
struct KillCampaignTests {
    private static let devices = CampaignStage.number("APUS_TEST_DEVICES") ?? 10_000
    private static var rounds: Int { CampaignStage.number("APUS_TEST_ROUNDS") ?? 1 }

    @Test(
        "reaches every device when it is killed at any instant, the window in flight at most twice",
        arguments: StoreInTest.chosen,
        1...rounds
    )
    func killed(store: StoreInTest, round: Int) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let first = try await stage.start()
            try await first.addCredential(stage.simulator)
            let campaign = try await first.beginCampaign()
            await tally.take(Int.random(in: 0..<Self.devices))
            await first.kill()

            let second = try await stage.start()
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
            try Self.expectDoubled(await tally.total())
        }
    }

    @Test(
        "is sent on by another process while one stands still, whose late settlement changes nothing",
        arguments: StoreInTest.allCases
    )
    func standsStill(store: StoreInTest) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let first = try await stage.start()
            try await first.addCredential(stage.simulator)
            // Its answers are held back, so that it is in the middle when it is made to stand still. A few come, since a
            // process that has had no answer sends a few only and waits for those.
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: 100))
            let campaign = try await first.beginCampaign()
            await tally.take(150)
            try await first.standStillBetweenWrites()
            stage.simulator.removeFault(held)

            let second = try await stage.start()
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))

            // The answers that it waited for are there now.
            first.process.goOn()
            #expect(await first.process.stop() == 0)
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
            try Self.expectDoubled(await tally.total())
        }
    }

    @Test(
        "is sent by several processes side by side, of which one is killed and one stands still beyond its leases",
        arguments: StoreInTest.allCases
    )
    func sideBySide(store: StoreInTest) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            // Small windows, so that each of them has its part.
            let window = 600
            let environment = ["APUS_DELIVERY_WINDOW": "\(window)", "APUS_DELIVERY_SLICE_TARGETS": "100"]
            let killed = try await stage.start(environment: environment)
            try await killed.addCredential(stage.simulator)
            let still = try await stage.start(environment: environment)
            let third = try await stage.start(environment: environment)
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: 300))
            // Each shard of a throttled campaign has a second's worth: there is something for all of them.
            let campaign = try await killed.beginCampaign(throttle: max(1, Self.devices / 5))
            await tally.take(350)
            await killed.kill()
            try await still.standStillBetweenWrites()
            stage.simulator.removeFault(held)

            await tally.takeAll()
            stage.expectAllDelivered(try await third.settled(campaign))
            still.process.goOn()
            #expect(await still.process.stop() == 0)
            stage.expectAllDelivered(try await third.settled(campaign))
            #expect(await third.process.stop() == 0)
            try Self.expectDoubled(await tally.total(), byProcesses: 2, window: window)
        }
    }

    /// What failed processes had in flight was sent twice at most, once more for each of them.
    private static func expectDoubled(_ total: CampaignTally.Total, byProcesses count: Int = 1, window: Int? = nil) throws {
        let window = try #require(window ?? ConfigurationKey.window.fallback.flatMap { Int($0) })
        #expect(total.most <= 1 + count)
        #expect(total.repeated <= count * window)
    }
}
