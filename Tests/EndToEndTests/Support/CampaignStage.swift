// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Logging
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

/// Devices that are registered in a server's store and booted in a simulator, for campaigns on bad days.
struct CampaignStage: Sendable {
    /// What was taken over is sent on sooner than after a minute; nothing else differs from the defaults.
    private static let environment = [
        "APUS_DELIVERY_LEASE_DURATION_SECONDS": "2", "APUS_SCHEDULING_LEASE_DURATION_SECONDS": "2",
    ]
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    let server: ServerInTest
    let simulator: APNsSimulator

    /// How many devices there are.
    let devices: Int

    /// A number from the environment of the tests, by which they are made longer.
    static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    /// Makes a stage over a store of the given kind; see ``open(devices:storeURL:_:_:)``.
    static func open(
        on store: TestStoreBackend,
        devices: Int = Self.number("APUS_TEST_DEVICES") ?? 4000,
        _ change: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        _ body: (CampaignStage, inout CampaignTally) async throws -> Void
    ) async throws {
        switch store {
        case .sqlite: try await self.open(devices: devices, change, body)
        case .postgres:
            try await TestPostgresDatabase.withDatabase { database in
                try await self.open(devices: devices, storeURL: database.url, change, body)
            }
        }
    }

    /// Makes a stage, and looks afterwards at everything that devices got.
    ///
    /// - Parameters:
    ///   - devices: how many; `APUS_TEST_DEVICES` unless given, or 4,000.
    ///   - storeURL: the PostgreSQL database that is the store; `nil` for a file.
    ///   - change: what is to be different about the simulator.
    ///   - body: what is done; it gets what counts the arrivals. Every process that it starts has ended when it returns.
    static func open(
        devices: Int = Self.number("APUS_TEST_DEVICES") ?? 4000,
        storeURL: String? = nil,
        _ change: (inout APNsSimulatorConfiguration) -> Void = { _ in },
        _ body: (CampaignStage, inout CampaignTally) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 4 * devices
            change(&configuration)
            try await withAPNsSimulator(configuration, logger: Self.silent) { simulator in
                let tokens = try simulator.bootDevices(devices, apps: [ServerInTest.app])
                let server = try await ServerInTest(in: directory, simulator: simulator, storeURL: storeURL)
                let stage = CampaignStage(server: server, simulator: simulator, devices: devices)
                try await stage.register(tokens)
                var tally = CampaignTally(simulator, devices: devices)
                try await body(stage, &tally)
                _ = try await tally.total()
                #expect(simulator.statistics.missedDeliveries == 0)
            }
        }
    }

    /// Starts a process that plans and delivers.
    func start(
        environment: [String: String] = [:],
        arguments: [String] = [],
        through launcher: [String] = []
    ) async throws -> ServerInTest.Running {
        try await self.server.start(
            with: "delivery,scheduling",
            environment: Self.environment.merging(environment) { $1 },
            arguments: arguments,
            through: launcher
        )
    }

    /// Every device has been reached, and is counted once.
    func expectAllDelivered(_ campaign: CampaignResponse) {
        #expect(campaign.progress.state == "completed")
        #expect(campaign.progress.enqueued == self.devices)
        #expect(campaign.progress.inFlight == 0)
        #expect(campaign.progress.counts.delivered == self.devices)
        #expect(campaign.progress.counts.rejected.isEmpty)
        #expect(campaign.progress.counts.failed.isEmpty)
    }

    private func register(_ tokens: [DeviceToken]) async throws {
        let app = try AppID(validating: ServerInTest.app)
        let now = Date()
        let registrations = try tokens.enumerated().map { number, token in
            DeviceRegistration(
                app: app,
                installation: try DeviceID(validating: "installation-\(number)"),
                token: token,
                environment: .sandbox
            )
        }
        try await self.server.withStore { store in
            try await store.createApp(App(id: app, name: "test", defaultEnvironment: .sandbox, createdAt: now))
            _ = try await store.register(registrations, now: now)
        }
    }
}
