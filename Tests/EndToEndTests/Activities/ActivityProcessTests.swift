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

@Suite("Processes that share the work on activities", .timeLimit(.minutes(20)))
struct ActivityProcessTests {
    @Test(
        "one answers, one carries out what is planned, one sends it: the phone shows it",
        arguments: TestStoreBackend.allCases
    )
    func lesson(store: TestStoreBackend) async throws {
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
        let workers = [try await place.startWorker(.deliver), try await place.startWorker(.schedule)]
        try await front.createApp(simulator)
        let phone = try simulator.bootDevice(apps: [ServerInTest.app]).id
        try simulator.changeApp(ServerInTest.app, on: phone) { $0.state = .foreground }
        let lesson = try simulator.startActivity(
            ActivityRequest(bundleID: ServerInTest.app, attributesType: "Lesson", contentState: ["status": "active"]),
            on: phone
        )
        let path = "/v1/apps/\(ServerInTest.app)/activities/lesson-42"
        let token = try #require(lesson.token)
        let later = Date(timeIntervalSinceNow: 3600).ISO8601Format()
        _ = try await front.api.call(
            .put,
            "\(path)/tokens/phone",
            body: Data(
                #"{"token":"\#(token.hex)","attributesType":"Lesson","contentState":{"status":"active"},"instants":{"endsAt":"\#(later)"}}"#
                    .utf8
            )
        )
        for (key, body) in [
            ("ending", #"{"instant":"endsAt","offsetSeconds":-900,"patch":{"status":"ending"}}"#),
            ("over", #"{"instant":"endsAt","patch":{"status":"over"},"end":{"afterSeconds":300}}"#),
        ] {
            _ = try await front.api.call(.put, "\(path)/transitions/\(key)", body: Data(body.utf8))
        }
        var events = simulator.events().makeAsyncIterator()
        func wait(_ condition: (LiveActivity) -> Bool) async throws {
            while !condition(try #require(simulator.activity(lesson.id))) { _ = try #require(await events.next()) }
        }
        // The lesson is said to end in a quarter of an hour, and then at once.
        for (seconds, status) in [(900.0, "ending"), (0.0, "over")] {
            let instant = Date(timeIntervalSinceNow: seconds).ISO8601Format()
            _ = try await front.api.call(.patch, path, body: Data(#"{"instants":{"endsAt":"\#(instant)"}}"#.utf8))
            try await wait { $0.contentState["status"] == .string(status) }
        }
        try await wait { $0.state == .ended }
        let changes = try #require(simulator.activity(lesson.id)).timeline.map(\.change)
        let pushes = changes.filter { $0 == .updated || $0 == .ended || $0 == .ignored }
        #expect(pushes == [.updated, .ended])
        for worker in workers { #expect(await worker.process.stop() == 0) }
        #expect(await front.process.stop() == 0)
    }
}
