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

/// Phones of an audience, and the processes that start a match on them.
struct RolloutStage: Sendable {
    /// What was taken over is gone on with sooner than after 15 seconds; nothing else differs from the defaults.
    private static let environment = [
        "APUS_DELIVERY_LEASE_DURATION_SECONDS": "2", "APUS_SCHEDULING_LEASE_DURATION_SECONDS": "2",
    ]
    private static let app = AppID(unchecked: ServerInTest.app)
    private static let match = PushModel.ActivityID(unchecked: "final")
    private static let type = AttributesType(unchecked: "Match")

    let server: ServerInTest
    let simulator: APNsSimulator

    /// The phones that have told a start token.
    let phones: [VirtualDeviceID]

    /// Those that have not.
    let others: [VirtualDeviceID]

    /// Makes a stage over a store of the given kind: the store has the phones with their tokens.
    ///
    /// `APUS_TEST_PHONES` says how many phones have told a start token; 2,000 unless given.
    static func open(
        on store: TestStoreBackend,
        _ body: (RolloutStage, inout CampaignTally) async throws -> Void
    ) async throws {
        let count = CampaignStage.number("APUS_TEST_PHONES") ?? 2000
        switch store {
        case .sqlite: try await self.open(phones: count, storeURL: nil, body)
        case .postgres:
            try await TestPostgresDatabase.withDatabase { database in
                try await self.open(phones: count, storeURL: database.url, body)
            }
        }
    }

    private static func open(
        phones count: Int,
        storeURL: String?,
        _ body: (RolloutStage, inout CampaignTally) async throws -> Void
    ) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 10 * count
            try await withAPNsSimulator(configuration, logger: silent) { simulator in
                let devices = try (0..<count + count / 4).map { _ in
                    try simulator.bootDevice(apps: [ServerInTest.app]).id
                }
                let others = devices.indices.filter { $0 % 5 == 4 }.map { devices[$0] }
                let server = try await ServerInTest(in: directory, simulator: simulator, storeURL: storeURL)
                let stage = RolloutStage(
                    server: server,
                    simulator: simulator,
                    phones: devices.indices.filter { $0 % 5 != 4 }.map { devices[$0] },
                    others: others
                )
                try await server.withStore { try await stage.fill($0, devices) }
                var tally = CampaignTally(simulator, devices: stage.phones.count)
                try await body(stage, &tally)
                let total = try await tally.total()
                #expect(simulator.statistics.missedDeliveries == 0)
                #expect(total.repeated == 0, "what no sender was killed over was sent twice")
                try await stage.expectEachOnce()
            }
        }
    }

    private func fill(_ store: any PushStore, _ devices: [VirtualDeviceID]) async throws {
        let now = Date()
        try await store.createApp(App(id: Self.app, name: "test", defaultEnvironment: .sandbox, createdAt: now))
        let registrations = try devices.map { device in
            DeviceRegistration(
                app: Self.app,
                installation: DeviceID(unchecked: device.rawValue),
                token: try #require(self.simulator.device(device)?.token(ServerInTest.app)),
                environment: .sandbox,
                profile: DeviceProfile(topics: ["football"])
            )
        }
        for start in stride(from: 0, to: registrations.count, by: 500) {
            let end = min(start + 500, registrations.count)
            _ = try await store.register(Array(registrations[start..<end]), now: now)
        }
        // Together, since those that wait for the disk at the same time wait once.
        for start in stride(from: 0, to: self.phones.count, by: 100) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for phone in self.phones[start..<min(start + 100, self.phones.count)] {
                    let token = PushToStartToken(
                        app: Self.app,
                        installation: DeviceID(unchecked: phone.rawValue),
                        attributesType: Self.type,
                        token: try self.simulator.issuePushToStartToken(
                            Self.type.rawValue,
                            for: ServerInTest.app,
                            on: phone
                        ),
                        environment: .sandbox,
                        issuedAt: now
                    )
                    group.addTask { _ = try await store.keep(token) }
                }
                try await group.waitForAll()
            }
        }
    }

    // MARK: Processes

    /// Starts the process that takes calls and sends.
    func serve() async throws -> ServerInTest.Running {
        try await self.server.start(with: "delivery", environment: Self.environment)
    }

    /// Starts a process that goes on with rollouts.
    func schedule() async throws -> ChildProcess {
        try await self.server.startWorker(.schedule, environment: Self.environment).process
    }

    /// Asks for the match on all phones, so many a second, which makes many small shards.
    func begin(by server: ServerInTest.Running) async throws {
        let body = """
            {"id":"\(Self.match)","attributesType":"\(Self.type)","attributes":{},"contentState":{"score":0},
             "alert":{"title":"Final","body":"Kick-off"},"topic":"football","ratePerSecond":\(self.phones.count / 4)}
            """
        _ = try await server.api.call(
            .post,
            "/v1/apps/\(ServerInTest.app)/activities",
            body: Data(body.utf8)
        )
    }

    /// Asks how far the rollout has come; `nil` before it is stored.
    func rollout(_ server: ServerInTest.Running) async throws -> RolloutResponse? {
        let path = "/v1/apps/\(ServerInTest.app)/activities/\(Self.match)"
        return try await server.api.call(.get, path).decoded(as: ActivityResponse.self).rollouts?.first
    }

    // MARK: What has come of it

    /// Each phone shows the match once that has told a start token, and no other one does.
    private func expectEachOnce() async throws {
        for phone in self.phones { #expect(self.simulator.activities(on: phone).count == 1, "\(phone)") }
        for phone in self.others { #expect(self.simulator.activities(on: phone).isEmpty, "\(phone)") }
        try await self.server.withStore { store in
            let rollouts = try await store.rollouts(of: Self.match, app: Self.app)
            let rollout = try #require(rollouts.first)
            #expect(rollout.state == .completed)
            let counts = RolloutProgress.Counts(startsSent: self.phones.count, withoutToken: self.others.count)
            #expect(rollout.progress.counts == counts)
            let phones = try await store.participantCounts(of: Self.match, app: Self.app)
            #expect(phones == ParticipantCounts(starting: self.phones.count))
            let status = try #require(try await store.notification(rollout.id.notification))
            #expect(status.isDone)
            #expect(status.notification.targetCount == self.phones.count)
        }
    }
}
