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

@Suite("Activities, when a process is dead", .timeLimit(.minutes(20)))
struct DeadProcessTests {
    private static let path = "/v1/apps/\(ServerInTest.app)/activities/lesson-42"

    /// Runs a test with the place of a server over a store of the given kind.
    private static func place(
        on store: TestStoreBackend,
        _ body: (ServerInTest) async throws -> Void
    ) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                switch store {
                case .sqlite: try await body(try await ServerInTest(in: directory, simulator: simulator))
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        try await body(
                            try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                        )
                    }
                }
            }
        }
    }

    /// Has a phone start the lesson, and tells the server of it.
    private static func lesson(_ simulator: APNsSimulator, _ api: APIClient) async throws -> LiveActivity {
        let phone = try simulator.bootDevice(apps: [ServerInTest.app]).id
        try simulator.changeApp(ServerInTest.app, on: phone) { $0.state = .foreground }
        let lesson = try simulator.startActivity(
            ActivityRequest(bundleID: ServerInTest.app, attributesType: "Lesson", contentState: ["n": 0]),
            on: phone
        )
        let token = try #require(lesson.token)
        let upload = #"{"token":"\#(token.hex)","attributesType":"Lesson","contentState":{"n":0}}"#
        _ = try await api.call(.put, "\(self.path)/tokens/phone", body: Data(upload.utf8))
        return lesson
    }

    /// Waits until the phone shows a number.
    private static func shows(_ number: Int64, _ lesson: LiveActivity, _ simulator: APNsSimulator) async throws {
        var events = simulator.events().makeAsyncIterator()
        while try #require(simulator.activity(lesson.id)).contentState["n"] != .integer(number) {
            _ = try #require(await events.next())
        }
    }

    private static func states(_ api: APIClient) async throws -> [String?] {
        struct Page: Decodable {
            struct Transition: Decodable {
                let state: String
            }
            let transitions: [Transition]
        }
        let page: Page = try await api.call(.get, "\(self.path)/transitions").decoded()
        return page.transitions.map(\.state)
    }

    @Test(
        "are changed and planned while no scheduler runs, and carried out while nobody answers requests",
        arguments: TestStoreBackend.allCases
    )
    func apart(store: TestStoreBackend) async throws {
        try await Self.place(on: store) { place in
            var front = try await place.start(with: "none")
            let deliver = try await place.startWorker(.deliver)
            let scheduler = try await place.startWorker(.schedule)
            try await front.createApp(place.simulator)
            let lesson = try await Self.lesson(place.simulator, front.api)
            scheduler.process.kill()
            await scheduler.process.end()

            let plan = #"{"at":"\#(Date().ISO8601Format())","patch":{"n":2}}"#
            _ = try await front.api.call(.put, "\(Self.path)/transitions/two", body: Data(plan.utf8))
            _ = try await front.api.call(.patch, Self.path, body: Data(#"{"patch":{"n":1}}"#.utf8))
            try await Self.shows(1, lesson, place.simulator)
            #expect(try await Self.states(front.api) == ["scheduled"])

            await front.kill()
            let next = try await place.startWorker(.schedule)
            try await Self.shows(2, lesson, place.simulator)

            front = try await place.start(with: "none")
            #expect(try await Self.states(front.api) == ["completed"])
            _ = try await front.api.call(.patch, Self.path, body: Data(#"{"patch":{"n":3}}"#.utf8))
            try await Self.shows(3, lesson, place.simulator)
            for process in [deliver.process, next.process, front.process] { #expect(await process.stop() == 0) }
        }
    }

    private struct Phones: Decodable {
        struct Phone: Decodable {
            let pushesLastHour: Int
        }
        let participants: [Phone]
    }

    @Test("have no push forgotten of those that phones' budgets count", arguments: TestStoreBackend.allCases)
    func budget(store: TestStoreBackend) async throws {
        try await Self.place(on: store) { place in
            let environment = ["APUS_DELIVERY_LEASE_DURATION_SECONDS": "2"]
            var server = try await place.start(with: "delivery,scheduling", environment: environment)
            try await server.createApp(place.simulator)
            let lesson = try await Self.lesson(place.simulator, server.api)
            for number in 1...12 {
                let api = server.api
                // Killed at whichever instant of it, every third time.
                async let answer = try? api.call(.patch, Self.path, body: Data(#"{"patch":{"n":\#(number)}}"#.utf8))
                if number.isMultiple(of: 3) {
                    await server.kill()
                    server = try await place.start(with: "delivery,scheduling", environment: environment)
                }
                _ = await answer
            }
            _ = try await server.api.call(.patch, Self.path, body: Data(#"{"patch":{"n":13}}"#.utf8))
            try await Self.shows(13, lesson, place.simulator)
            let shown = try #require(place.simulator.activity(lesson.id))
            let sent = Set(shown.timeline.filter { $0.change == .updated }.map(\.apnsID)).count
            let phones: Phones = try await server.api.call(.get, "\(Self.path)/participants").decoded()
            let counted = try #require(phones.participants.first).pushesLastHour
            #expect((sent...13).contains(counted), "\(sent) were sent, and \(counted) counted")

            await server.kill()
            let limit = ["--activities-hourly-budget", "\(counted)"]
            server = try await place.start(with: "delivery,scheduling", environment: environment, arguments: limit)
            let body = Data(#"{"patch":{"n":14},"budget":"reject"}"#.utf8)
            do {
                let answer = try await server.api.call(.patch, Self.path, body: body)
                Issue.record("there was room for another push: \(answer.text)")
            } catch let failure as CommandError {
                #expect(failure.code == "push_budget_exceeded")
            }
            #expect(await server.process.stop() == 0)
        }
    }
}
