// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import StoreTesting
import Testing

@testable import apus

@Suite("Processes that share the work on a broadcast", .timeLimit(.minutes(20)))
struct BroadcastProcessTests {
    private static let activities = "/v1/apps/\(ServerInTest.app)/activities"
    private static let environment = ["APUS_DELIVERY_LEASE_DURATION_SECONDS": "2"]
    private static let changes = 40

    @Test(
        "bring every phone to the newest state, in order, though those that send are killed",
        arguments: TestStoreBackend.allCases
    )
    func killed(store: TestStoreBackend) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                switch store {
                case .sqlite: try await Self.run(try await ServerInTest(in: directory, simulator: simulator))
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        try await Self.run(
                            try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                        )
                    }
                }
            }
        }
    }

    private static func run(_ place: ServerInTest) async throws {
        let simulator = place.simulator
        let front = try await place.start(with: "none")
        try await front.createApp(simulator)
        let made = try await front.apus("channels", "create", ServerInTest.app, "final", "--message-storage", "none")
        #expect(made.status == 0, "\(made.errors)")
        let channel = try #require(simulator.channels(of: ServerInTest.app).first).id
        let phones = try (0..<5).map { _ in
            let phone = try simulator.bootDevice(apps: [ServerInTest.app]).id
            try simulator.changeApp(ServerInTest.app, on: phone) { $0.state = .foreground }
            let request = ActivityRequest(
                bundleID: ServerInTest.app,
                attributesType: "Match",
                contentState: ["score": 0],
                pushType: .channel(channel)
            )
            return try simulator.startActivity(request, on: phone).id
        }
        let match = #"{"id":"match","attributesType":"Match","contentState":{"score":0},"channel":"final"}"#
        _ = try await front.api.call(.post, Self.activities, body: Data(match.utf8))

        // The first of those that send is killed while there is something on its way, and so is the second.
        var sender = try await place.startWorker(.deliver, environment: Self.environment).process
        let scheduler = try await place.startWorker(.schedule, environment: Self.environment).process
        for score in 1...Self.changes {
            let body = #"{"patch":{"score":\#(score)}}"#
            _ = try await front.api.call(.patch, "\(Self.activities)/match", body: Data(body.utf8))
            guard score.isMultiple(of: 15), score < Self.changes else { continue }
            sender.kill()
            await sender.end()
            sender = try await place.startWorker(.deliver, environment: Self.environment).process
        }
        try await Self.wait(phones, simulator) { $0.contentState["score"] == .integer(Int64(Self.changes)) }
        let plan = #"{"at":"\#(Date().ISO8601Format())","patch":{"score":"over"},"end":{"afterSeconds":300}}"#
        _ = try await front.api.call(.put, "\(Self.activities)/match/transitions/over", body: Data(plan.utf8))
        try await Self.wait(phones, simulator) { $0.state == .ended }

        for id in phones {
            let shown = try #require(simulator.activity(id))
            #expect(shown.contentState["score"] == "over")
            // What a killed process had sent already may come again under its id; no phone shows an older state for that.
            let shownPushes = shown.timeline.filter { $0.change == .updated }.compactMap(\.apnsID)
            let ignored = shown.timeline.filter { $0.change == .ignored }.compactMap(\.apnsID)
            #expect(Set(ignored).isSubset(of: Set(shownPushes)))
        }
        let messages = try #require(simulator.channels(of: ServerInTest.app).first).messages
        let stamps = try messages.map { message -> Int64 in
            let payload = try JSONValue(json: message.payload)
            let timestamp: Int64? = if case .integer(let number)? = payload["aps"]?["timestamp"] { number } else { nil }
            return try #require(timestamp, "a broadcast has no timestamp")
        }
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 <= $1 }, "\(stamps)")
        for process in [sender, scheduler] { #expect(await process.stop() == 0) }
        let deleted = try await front.apus("channels", "delete", ServerInTest.app, "final")
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(await front.process.stop() == 0)
    }

    /// Waits until all phones show what they should.
    private static func wait(
        _ phones: [ActivityID],
        _ simulator: APNsSimulator,
        _ condition: (LiveActivity) -> Bool
    ) async throws {
        // Read from before the first look, so that nothing is missed between the two.
        var events = simulator.events().makeAsyncIterator()
        while !phones.allSatisfy({ simulator.activity($0).map(condition) ?? false }) {
            _ = try #require(await events.next(), "the simulator has ended")
        }
    }
}
