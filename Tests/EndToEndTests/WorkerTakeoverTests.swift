// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import ServiceLifecycle
import StoreTesting
import Testing

/// The leases last an hour, so that a campaign that ends shows that a terminated process was detected.
@Suite("The work of a process that is killed", .serialized, .timeLimit(.minutes(20)))
struct WorkerTakeoverTests {
    private static let devices = 3000

    /// The most notifications that a process has in flight.
    private static let window = 300
    private static let environment = [
        "APUS_DELIVERY_LEASE_DURATION_SECONDS": "3600", "APUS_SCHEDULING_LEASE_DURATION_SECONDS": "3600",
        "APUS_DELIVERY_MAX_IN_FLIGHT": "\(window)", "APUS_DELIVERY_CHUNK_SIZE": "100",
    ]

    @Test(
        "is continued by the process that is started in its place, long before its leases end",
        arguments: TestStoreBackend.allCases
    )
    func restarted(store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let first = try await stage.start(environment: Self.environment)
            try await first.addCredential(stage.simulator)
            // It cannot send all before it is killed: later pushes get no response.
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: Self.devices / 3))
            let campaign = try await first.beginCampaign()
            await tally.take(Self.devices / 3 + 1)
            await first.kill()
            stage.simulator.removeFault(held)
            let second = try await stage.start(environment: Self.environment)
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(try await second.metric("apus_work_expired_leases_total", #"type="batch""#) > 0)
            #expect(await second.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.most <= 2)
            #expect(total.repeated <= Self.window)
        }
    }

    @Test(
        "is continued by another process, which leaves the leases of a stopped process alone until that is killed",
        arguments: TestStoreBackend.allCases
    )
    func stoppedThenKilled(store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store, devices: Self.devices) { stage, tally in
            let first = try await stage.start(environment: Self.environment)
            try await first.addCredential(stage.simulator)
            // Its responses are held back, so that it has leases when it is stopped.
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: 100))
            let campaign = try await first.beginCampaign()
            await tally.take(150)
            try await first.standStillBetweenWrites()
            stage.simulator.removeFault(held)

            let second = try await stage.start(environment: Self.environment)
            try await Self.withLocks(of: stage.server) { store async throws in
                for _ in 0..<3 { #expect(try await store.terminatedWorkers() == []) }
            }
            #expect(try await second.metric("apus_work_expired_leases_total", "type") == 0)
            await first.kill()
            await tally.takeAll()
            stage.expectAllDelivered(try await second.settled(campaign))
            #expect(await second.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.most <= 2)
            #expect(total.repeated <= Self.window)
        }
    }

    @Test("a process holds no lock if liveness is turned off")
    func turnedOff() async throws {
        try await CampaignStage.open(on: .sqlite, devices: 100) { stage, tally in
            var environment = Self.environment
            environment["APUS_WORK_LIVENESS"] = "off"
            let first = try await stage.start(environment: environment)
            try await first.addCredential(stage.simulator)
            let campaign = try await first.beginCampaign()
            await tally.takeAll()
            stage.expectAllDelivered(try await first.settled(campaign))
            let locks = "\(stage.server.directory)/data/apus.db-workers"
            #expect(!FileManager.default.fileExists(atPath: locks))
            #expect(await first.process.stop() == 0)
        }
    }

    /// Opens the store of a server as a worker that holds its lock; without one it knows nothing of others.
    private static func withLocks(
        of server: ServerInTest,
        _ body: (any PushStore) async throws -> Void
    ) async throws {
        try await ServerStore.open(data: "\(server.directory)/data", url: server.storeURL) { store, services in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try? await service.run() } }
                group.addTask { try? await store.hold("test/1/observer") }
                try await waitUntil { try await store.terminatedWorkers() != nil }
                try await body(store)
                group.cancelAll()
            }
        }
    }
}
