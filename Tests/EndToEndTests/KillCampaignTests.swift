// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Logging
import PushModel
import PushStore
import SQLiteStore
import Testing

@testable import apus

/// Campaigns whose server dies or stands still at an instant drawn by chance.
///
/// `APUS_TEST_ROUNDS` and `APUS_TEST_DEVICES` say how many campaigns there are, and how many devices each has; one
/// campaign of 10,000 unless given.
@Suite("A campaign whose server fails", .serialized, .timeLimit(.minutes(5)))
struct KillCampaignTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
    /// What was taken over is sent on sooner than after a minute; nothing else differs from the defaults.
    private static let environment = ["APUS_DELIVERY_LEASE_SECONDS": "2", "APUS_SCHEDULING_LEASE_SECONDS": "2"]

    private static var rounds: Int { Self.number("APUS_TEST_ROUNDS") ?? 1 }
    private static var devices: Int { Self.number("APUS_TEST_DEVICES") ?? 10_000 }

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test(
        "reaches every device when it is killed at any instant, the window in flight at most twice",
        arguments: 1...rounds
    )
    func killed(round: Int) async throws {
        try await Self.campaign { server, simulator, tally in
            let first = try await server.start(with: "delivery,scheduling", environment: Self.environment)
            try await first.addCredential(simulator)
            let campaign = try await first.beginCampaign()
            await tally.take(Int.random(in: 0..<Self.devices))
            await first.kill()

            let second = try await server.start(with: "delivery,scheduling", environment: Self.environment)
            await tally.takeAll()
            try Self.expectExact(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
        }
    }

    @Test("is sent on by another process while one stands still, whose late settlement changes nothing")
    func standsStill() async throws {
        try await Self.campaign { server, simulator, tally in
            let first = try await server.start(with: "delivery,scheduling", environment: Self.environment)
            try await first.addCredential(simulator)
            // Its answers are held back, so that it waits for them, and is not in the store, when it is made to stand still.
            let held = simulator.inject(SimulatorFault(.hold, skip: 1))
            let campaign = try await first.beginCampaign()
            await tally.take(100)
            first.process.standStill()
            simulator.removeFault(held)

            let second = try await server.start(with: "delivery,scheduling", environment: Self.environment)
            await tally.takeAll()
            try Self.expectExact(try await second.settled(campaign))

            // The answers that it waited for are there now.
            first.process.goOn()
            #expect(await first.process.stop() == 0)
            try Self.expectExact(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
        }
    }

    private static func expectExact(_ campaign: CampaignAnswer) throws {
        #expect(campaign.progress.state == "finished")
        #expect(campaign.progress.planned == Self.devices)
        #expect(campaign.progress.counts.delivered == Self.devices)
        #expect(campaign.progress.counts.rejected.isEmpty)
        #expect(campaign.progress.counts.failed.isEmpty)
    }

    /// Runs a test with devices that are registered in a store and booted in a simulator, and counts what they get.
    private static func campaign(
        _ body: (ServerInTest, APNsSimulator, inout Tally) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 3 * Self.devices
            try await withAPNsSimulator(configuration, logger: Self.silent) { simulator in
                let tokens = try simulator.bootDevices(Self.devices, apps: [ServerInTest.app])
                let server = try await ServerInTest(in: directory, simulator: simulator)
                try await Self.register(tokens, in: "\(directory)/data")
                var tally = Tally(simulator, devices: Self.devices)
                try await body(server, simulator, &tally)
                let window = try #require(ConfigurationKey.window.fallback.flatMap { Int($0) })
                #expect(tally.times.count == Self.devices)
                #expect(Set(tally.devices.values).count == Self.devices)
                #expect(tally.times.values.allSatisfy { $0 <= 2 })
                #expect(tally.times.values.count { $0 == 2 } <= window)
            }
        }
    }

    private static func register(_ tokens: [DeviceToken], in data: String) async throws {
        let app = try AppID(validating: ServerInTest.app)
        let now = Date()
        let registrations = try tokens.enumerated().map { number, token in
            DeviceRegistration(
                app: app,
                installation: try InstallationID(validating: "installation-\(number)"),
                token: token,
                environment: .sandbox
            )
        }
        try await LocalStore.open(data) { store in
            try await store.createApp(App(id: app, name: "test", defaultEnvironment: .sandbox, createdAt: now))
            try await store.register(registrations, now: now)
        }
    }
}

/// What the devices of a campaign were sent.
private struct Tally {
    private let count: Int
    private var arrivals: AsyncStream<Delivery>.Iterator
    private(set) var times: [APNsID: Int] = [:]
    private(set) var devices: [APNsID: VirtualDeviceID] = [:]

    init(_ simulator: APNsSimulator, devices: Int) {
        self.count = devices
        self.arrivals = simulator.deliveries().makeAsyncIterator()
    }

    /// Waits until so many notifications have arrived.
    mutating func take(_ count: Int) async {
        while self.times.count < count, let arrival = await self.arrivals.next() {
            let id = arrival.notification.apnsID
            self.times[id, default: 0] += 1
            // A resend carries the id of the first: one id never reaches two devices.
            let device = self.devices.updateValue(arrival.device, forKey: id)
            #expect(device ?? arrival.device == arrival.device)
        }
    }

    /// Waits until every device has been reached.
    mutating func takeAll() async {
        await self.take(self.count)
    }
}
