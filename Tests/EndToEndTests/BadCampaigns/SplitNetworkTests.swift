// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import StoreTesting
import Testing

@testable import apus

/// The leases last an hour, so that a campaign that ends shows that the isolated process was detected.
@Suite("A campaign on a split network", .serialized, .timeLimit(.minutes(20)))
struct SplitNetworkTests {
    private static let devices = 3000

    /// The most notifications that a process has in flight.
    private static let window = 300
    private static let environment = [
        "APUS_DELIVERY_LEASE_DURATION_SECONDS": "3600", "APUS_SCHEDULING_LEASE_DURATION_SECONDS": "3600",
        "APUS_DELIVERY_MAX_IN_FLIGHT": "\(window)", "APUS_DELIVERY_CHUNK_SIZE": "100",
    ]

    @Test("is continued by another process if one loses PostgreSQL, which sends again when it is connected")
    func database() async throws {
        try await Self.open { stage, tally, database, network in
            var environment = Self.environment
            environment["APUS_STORE_URL"] = "\(database.url)&port=\(network.port)"
            let isolated = try await stage.start(environment: environment)
            try await isolated.addCredential(stage.simulator)
            // Its responses are held back, so that it has leases and pushes in flight when it is isolated.
            let held = stage.simulator.inject(SimulatorFault(.hold, skip: Self.devices / 3))
            let campaign = try await isolated.beginCampaign()
            await tally.take(Self.devices / 3 + 1)
            await network.split()
            stage.simulator.removeFault(held)

            let other = try await stage.start(environment: Self.environment)
            await tally.takeAll()
            stage.expectAllDelivered(try await other.settled(campaign))
            #expect(try await other.metric("apus_work_expired_leases_total", #"type="batch""#) > 0)

            await network.join()
            try await Self.untilConnected {
                while try await isolated.metric("apus_delivery_batches_total", #"result="lease_lost""#) == 0 {}
            }
            stage.expectAllDelivered(try await Self.untilConnected { try await isolated.settled(campaign) })
            #expect(await other.process.stop() == 0)
            // Nothing else sends this one.
            let tokens = try stage.simulator.bootDevices(1, apps: [ServerInTest.app]).map(\.hex)
            let sent = try await Self.untilConnected { try await isolated.send(to: tokens) }
            let status = try await Self.untilConnected { try await isolated.settled(sent.id) }
            #expect(status.counts.delivered == 1)
            #expect(await isolated.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.most <= 2)
            #expect(total.repeated <= Self.window)
        }
    }

    @Test("continues when APNs can be reached again, and repeats pushes without a response under the same apns-id")
    func apns() async throws {
        try await CampaignStage.open(on: .sqlite, devices: Self.devices) { stage, tally in
            try await SplitNetwork.with(stage.simulator.port, in: stage.server.directory) { network in
                let server = try await stage.start(
                    environment: Self.environment.merging(["APUS_APNS_TIMEOUT_SECONDS": "2"]) { $1 },
                    arguments: ["--apns-sandbox-port", "\(network.port)"]
                )
                try await server.addCredential(stage.simulator)
                let held = stage.simulator.inject(SimulatorFault(.hold, skip: Self.devices / 3))
                let campaign = try await server.beginCampaign()
                await tally.take(Self.devices / 3 + 1)
                await network.split()
                stage.simulator.removeFault(held)
                let metric = "apus_apns_connections_closed_total"
                while try await server.metric(metric, #"cause="lost""#) == 0 {}
                await network.join()
                await tally.takeAll()
                stage.expectAllDelivered(try await server.settled(campaign))
                // On a busy machine the client may close another connection as lost.
                let lost = try await server.metric(metric, #"cause="lost""#)
                #expect(await server.process.stop() == 0)
                let total = try await tally.total()
                #expect((1...lost * Self.window).contains(total.surplus))
            }
        }
    }

    /// Opens a stage on a PostgreSQL server with a TCP port, and a network that leads to it.
    private static func open(
        _ body: (CampaignStage, inout CampaignTally, TestPostgresDatabase, SplitNetwork) async throws -> Void
    ) async throws {
        try await TestPostgresServer.withServer { server in
            let port = try ReservedPort()
            let listening = try await server.listening(on: port.number)
            try await TestPostgresDatabase.withDatabase(on: listening) { database in
                try await CampaignStage.open(devices: self.devices, storeURL: database.url) { stage, tally in
                    try await SplitNetwork.with(port.number, in: stage.server.directory) { network in
                        try await body(stage, &tally, database, network)
                    }
                }
            }
        }
    }

    /// Repeats a call to a process that may not be connected to the database yet.
    private static func untilConnected<Value>(_ call: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call()
            } catch let failure as CommandError where failure.code.hasPrefix("store_") {}
        }
    }
}
#endif
