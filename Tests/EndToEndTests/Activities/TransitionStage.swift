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
@testable import apus_bench

/// Phones that show a ride each, and the processes that carry out what is planned for these.
struct TransitionStage: Sendable {
    /// What was taken over is sent on sooner than after a minute; nothing else differs from the defaults.
    private static let environment = ["APUS_DELIVERY_LEASE_DURATION_SECONDS": "2"]

    /// A part of what phones are sent of the last change of a ride.
    static let last = #""stage":"over""#

    /// How many changes of each ride are planned.
    static let changes = 2

    /// How many rides are told of in one call.
    private static let ridesAtOnce = 500

    let server: ServerInTest
    let simulator: APNsSimulator

    /// The rides as the phones have them, by their numbers.
    let rides: [LiveActivity]

    /// Makes a stage over a store of the given kind; see ``open(rides:storeURL:_:)``.
    static func open(
        on store: TestStoreBackend,
        _ body: (TransitionStage, inout TransitionTally) async throws -> Void
    ) async throws {
        switch store {
        case .sqlite: try await self.open(body)
        case .postgres:
            try await TestPostgresDatabase.withDatabase { try await self.open(storeURL: $0.url, body) }
        }
    }

    /// Makes a stage: the store has the rides, of which the phones have told, and what is planned of these, for instants that
    /// are not known yet.
    ///
    /// - Parameters:
    ///   - transitions: how many changes are planned; `APUS_TEST_TRANSITIONS` unless given, or 400.
    ///   - storeURL: the PostgreSQL database that is the store; `nil` for a file.
    ///   - body: what is done; it gets what counts the arrivals.
    /// - Throws: what any of these throws.
    static func open(
        transitions: Int = CampaignStage.number("APUS_TEST_TRANSITIONS") ?? 400,
        storeURL: String? = nil,
        _ body: (TransitionStage, inout TransitionTally) async throws -> Void
    ) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        let count = transitions / Self.changes
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 10 * transitions
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
                var tally = TransitionTally(simulator, rides: count)
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
        let plans = try [("ending", "first", #"{"status":"ending"}"#), ("over", "last", "{\(Self.last)}")].map {
            NewTransition(
                key: TransitionKey(unchecked: $0.0),
                time: .relative(to: InstantName(unchecked: $0.1), seconds: 0),
                change: ActivityChange(contentState: .patched(try RawJSONObject(json: $0.2))),
                // On a busy machine a change may come long after its time: so it is not folded into the one behind it.
                misfire: .runLate(within: 86_400)
            )
        }
        try await ActivityPopulation.each(self.rides.count) { number in
            let ride = self.rides[number]
            let activity = try Activity(
                id: Self.name(number),
                app: Self.app,
                attributesType: "Ride",
                attributes: nil,
                contentState: RawJSONObject(json: #"{"status":"active"}"#),
                now: now
            )
            let upload = UpdateTokenRegistration(
                installation: DeviceID(unchecked: ride.device.rawValue),
                token: try #require(ride.token),
                environment: .sandbox
            )
            _ = try await store.receive(upload, for: activity.id, of: Self.app, creating: activity, now: now)
            _ = try #require(try await store.plan(plans, for: activity.id, of: Self.app, now: now))
        }
    }

    /// Tells the instants for which the changes of all rides are planned: they come due within one second that begins in so
    /// many seconds, half of them at two instants, and the second change of a ride after its first.
    func schedule(in delay: Double) async throws {
        // Telling takes its time, too.
        let start = Date(timeIntervalSinceNow: delay + Double(self.rides.count) / 1000)
        let orders = self.rides.indices.map { number in
            let parts = number.isMultiple(of: 2) ? (0, 0) : (Double.random(in: 0..<0.5), Double.random(in: 0..<0.5))
            let instants: [InstantName: Date?] = [
                "first": start.addingTimeInterval(parts.0), "last": start.addingTimeInterval(0.5 + parts.1),
            ]
            return ActivityUpdate(activity: Self.name(number), change: ActivityChange(instants: instants))
        }
        try await self.server.withStore { store in
            for place in stride(from: 0, to: orders.count, by: Self.ridesAtOnce) {
                let part = Array(orders[place..<min(place + Self.ridesAtOnce, orders.count)])
                for result in try await store.change(part, of: Self.app, now: Date()) {
                    guard case .changed = result else { Issue.record("telling the instants came to \(result)"); return }
                }
            }
        }
    }

    /// Each change was made once and in its order, and each phone shows what came of it: nothing was lost, and nothing was
    /// done twice.
    private func expectEachOnce() async throws {
        for ride in self.rides {
            let shown = try #require(self.simulator.activity(ride.id))
            let updates = shown.timeline.filter { $0.change == .updated }
            // One for each change; none for the first where the second overtook it.
            #expect((1...Self.changes).contains(Set(updates.map(\.apnsID)).count), "what phone \(ride.device) was sent")
            #expect(shown.contentState["status"] == "ending")
            #expect(shown.contentState["stage"] == "over")
            #expect(!shown.timeline.map(\.change).contains(.ignored))
        }
        try await self.server.withStore { store in
            for number in self.rides.indices {
                let activity = try #require(try await store.activity(Self.name(number), of: Self.app))
                #expect(activity.lifecycle.version == 1 + Self.changes)
                let transitions = try await store.transitions(of: activity.id, app: Self.app)
                #expect(transitions.map(\.state) == [.completed, .completed])
                let story = try await store.timeline(of: activity.id, app: Self.app, after: nil, limit: 100).elements
                #expect(story.filter { $0.kind == .updated }.map(\.detail) == ["ending", "over"])
            }
        }
    }
}
