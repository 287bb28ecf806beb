// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import Testing

@testable import apus

/// Phones that show a ride each, and the processes that carry out what is planned for these.
struct TransitionStage: Sendable {
    /// What was taken over is sent on sooner than after a minute; nothing else differs from the defaults.
    private static let environment = ["APUS_DELIVERY_LEASE_SECONDS": "2"]

    let server: ServerInTest
    let simulator: APNsSimulator

    /// The rides as the phones have them, by their numbers.
    let rides: [LiveActivity]

    /// Makes a stage over a store of the given kind; see ``open(rides:storeURL:_:)``.
    static func open(
        on store: StoreInTest,
        _ body: (TransitionStage, inout CampaignTally) async throws -> Void
    ) async throws {
        switch store {
        case .sqlite: try await self.open(body)
        case .postgres:
            try await PostgresDatabaseInTest.withDatabase { try await self.open(storeURL: $0.url, body) }
        }
    }

    /// Makes a stage: the store has the rides, of which the phones have told.
    ///
    /// - Parameters:
    ///   - count: how many there are; `APUS_TEST_TRANSITIONS` unless given, or 300.
    ///   - storeURL: the PostgreSQL database that is the store; `nil` for a file.
    ///   - body: what is done; it gets what counts the arrivals.
    /// - Throws: what any of these throws.
    static func open(
        rides count: Int = CampaignStage.number("APUS_TEST_TRANSITIONS") ?? 300,
        storeURL: String? = nil,
        _ body: (TransitionStage, inout CampaignTally) async throws -> Void
    ) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 10 * count
            try await withAPNsSimulator(configuration, logger: silent) { simulator in
                let rides = try (0..<count).map { _ in
                    let phone = try simulator.bootDevice(apps: [ServerInTest.app]).id
                    try simulator.changeApp(ServerInTest.app, on: phone) { $0.state = .foreground }
                    let request = ActivityRequest(
                        bundleID: ServerInTest.app,
                        attributesType: "Ride",
                        contentState: ["status": "active"]
                    )
                    return try simulator.startActivity(request, on: phone)
                }
                let server = try await ServerInTest(in: directory, simulator: simulator, storeURL: storeURL)
                let stage = TransitionStage(server: server, simulator: simulator, rides: rides)
                try await server.withStore { try await stage.fill($0) }
                var tally = CampaignTally(simulator, devices: count)
                try await body(stage, &tally)
                #expect(simulator.statistics.missedDeliveries == 0)
                try await stage.expectEachOnce()
            }
        }
    }

    /// Starts a process that does all that there is to do.
    func start(through launcher: [String] = []) async throws -> ServerInTest.Running {
        let running = try await self.server.start(
            with: "delivery,scheduling",
            environment: Self.environment,
            through: launcher
        )
        return running
    }

    /// Starts a process that does a part of it.
    func start(_ role: Worker.Role) async throws -> ChildProcess {
        try await self.server.startWorker(role, environment: Self.environment).process
    }

    // MARK: The store

    private static func name(_ number: Int) -> PushModel.ActivityID { .init(unchecked: "ride-\(number)") }

    private static let app = AppID(unchecked: ServerInTest.app)

    private func fill(_ store: any PushStore) async throws {
        let now = Date()
        try await store.createApp(App(id: Self.app, name: "test", defaultEnvironment: .sandbox, createdAt: now))
        for (number, ride) in self.rides.enumerated() {
            let activity = try Activity(
                id: Self.name(number),
                app: Self.app,
                attributesType: "Ride",
                attributes: nil,
                contentState: JSONFragment(json: #"{"status":"active"}"#),
                now: now
            )
            let upload = ActivityTokenUpload(
                installation: InstallationID(unchecked: ride.device.rawValue),
                token: try #require(ride.token),
                environment: .sandbox
            )
            _ = try await store.receive(upload, for: activity.id, of: Self.app, creating: activity, now: now)
        }
    }

    /// Plans one change of each ride, due so many seconds after it is planned or up to one more.
    func plan(in delay: Double) async throws {
        let patch = try JSONFragment(json: #"{"status":"ending"}"#)
        try await self.server.withStore { store in
            for number in self.rides.indices {
                let time = Date(timeIntervalSinceNow: delay + .random(in: 0..<1))
                let plan = TransitionPlan(
                    key: "ending",
                    time: .at(time),
                    change: ActivityChange(contentState: .patched(patch))
                )
                let planning = try await store.plan([plan], for: Self.name(number), of: Self.app, now: Date())
                guard case .planned? = planning else {
                    Issue.record("planning came to \(String(describing: planning))"); return
                }
            }
        }
    }

    /// Each change was made once, and each phone shows it: nothing was lost, and nothing was done twice.
    private func expectEachOnce() async throws {
        for ride in self.rides {
            let shown = try #require(self.simulator.activity(ride.id))
            let updates = shown.timeline.filter { $0.change == .updated }
            #expect(Set(updates.map(\.apnsID)).count == 1, "what phone \(ride.device) was sent")
            #expect(shown.contentState["status"] == "ending")
            #expect(!shown.timeline.map(\.change).contains(.ignored))
        }
        try await self.server.withStore { store in
            for number in self.rides.indices {
                let activity = try #require(try await store.activity(Self.name(number), of: Self.app))
                #expect(activity.lifecycle.version == 2)
                let states = try await store.transitions(of: activity.id, app: Self.app).map(\.state)
                #expect(states == [.done])
            }
        }
    }
}
