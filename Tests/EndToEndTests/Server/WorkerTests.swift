// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

@Suite("apus deliver and apus schedule", .timeLimit(.minutes(20)))
struct WorkerTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    @Test("send and plan what a server accepts that does neither", arguments: TestStoreBackend.allCases)
    func workers(store: TestStoreBackend) async throws {
        let count = 3000
        try await Self.place(store) { place, simulator in
            let front = try await place.start(with: "none")
            let tokens = try simulator.bootDevices(count, apps: [ServerInTest.app])
            try await front.createApp(simulator)
            let planner = try await place.startWorker(.schedule)
            let senders = [try await place.startWorker(.deliver), try await place.startWorker(.deliver)]
            #expect(Set(([planner] + senders).map(\.ready.pid)).count == 3)

            let accepted = try await front.send(to: tokens.map(\.hex))
            #expect(try await front.settled(accepted.id).counts.delivered == count)

            try await Self.register(tokens, in: place)
            let campaign = try await front.settled(try await front.beginCampaign())
            #expect(campaign.progress.counts.delivered == count)
            #expect(simulator.statistics.accepted == 2 * count)
            for worker in [planner] + senders { #expect(await worker.process.stop() == 0) }
            #expect(await front.process.stop() == 0)
        }
    }

    @Test("serve their probes and metrics where they are told a port", arguments: [Worker.Role.deliver, .schedule])
    func probes(role: Worker.Role) async throws {
        try await Self.place(.sqlite) { place, _ in
            let worker = try await place.startWorker(
                role,
                arguments: ["--probes-port", "0", "--metrics-unauthenticated", "true"]
            )
            let probes = APIClient(url: try #require(worker.ready.probes), key: "")
            #expect(try await probes.call(.get, "/healthz").text.contains("ok"))
            #expect(try await probes.call(.get, "/readyz").text.contains("ready"))
            #expect(try await probes.call(.get, "/metrics").text.contains("apus_build_info"))
            let failure = await #expect(throws: CommandError.self) { try await probes.call(.get, "/v1/apps") }
            #expect(failure?.message.contains("/v1/apps") == true)
            #expect(await worker.process.stop() == 0)
        }
    }

    @Test("no process on a shared database makes a master key of its own", arguments: ["serve", "deliver"])
    func missingKey(command: String) async throws {
        try await TestPostgresDatabase.withDatabase { database in
            try await withTemporaryDirectory { directory in
                let run = try await CommandRun(
                    [command, "--data", "\(directory)/data"],
                    environment: ["APUS_STORE_URL": database.url],
                    in: directory
                )
                #expect(run.status == 1)
                #expect(run.errors.contains("APUS_MASTER_KEY"))
                #expect(!FileManager.default.fileExists(atPath: "\(directory)/data/master.key"))
            }
        }
    }

    /// Runs a test with a simulator and an empty store of the given kind.
    private static func place(
        _ store: TestStoreBackend,
        _ body: (ServerInTest, APNsSimulator) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                switch store {
                case .sqlite: try await body(try await ServerInTest(in: directory, simulator: simulator), simulator)
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        let place = try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                        try await body(place, simulator)
                    }
                }
            }
        }
    }

    private static func register(_ tokens: [DeviceToken], in place: ServerInTest) async throws {
        let app = try AppID(validating: ServerInTest.app)
        let registrations = try tokens.enumerated().map { number, token in
            DeviceRegistration(
                app: app,
                installation: try DeviceID(validating: "installation-\(number)"),
                token: token,
                environment: .sandbox
            )
        }
        try await place.withStore { store in
            _ = try await store.register(registrations, now: Date())
        }
    }
}
