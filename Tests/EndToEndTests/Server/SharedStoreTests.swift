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

@Suite("Servers that share a PostgreSQL database", .timeLimit(.minutes(20)))
struct SharedStoreTests {
    @Test("what one server accepts another one sends, and both know what became of it")
    func twoServers() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        let count = 3000
        try await TestPostgresDatabase.withDatabase { database in
            try await withTemporaryDirectory { directory in
                try await withAPNsSimulator(logger: silent) { simulator in
                    let tokens = try simulator.bootDevices(count, apps: [ServerInTest.app]).map(\.hex)
                    let place = try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                    let front = try await place.start(with: "none")
                    let sender = try await place.start(with: "delivery")
                    try await front.createApp(simulator)
                    let accepted = try await front.send(to: tokens)
                    #expect(try await front.settled(accepted.id).counts.delivered == count)
                    #expect(try await sender.status(of: accepted.id).counts.delivered == count)
                    #expect(simulator.statistics.accepted == count)
                    #expect(await front.process.stop() == 0)
                    #expect(await sender.process.stop() == 0)
                }
            }
        }
    }

    @Test("a campaign of one server is planned and sent by two others, each device once")
    func campaign() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        let count = 3000
        try await TestPostgresDatabase.withDatabase { database in
            try await withTemporaryDirectory { directory in
                try await withAPNsSimulator(logger: silent) { simulator in
                    let tokens = try simulator.bootDevices(count, apps: [ServerInTest.app]).map(\.hex)
                    let place = try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                    let front = try await place.start(with: "none")
                    let others = [
                        try await place.start(with: "delivery,scheduling"),
                        try await place.start(with: "delivery,scheduling"),
                    ]
                    try await front.createApp(simulator)
                    let now = Date()
                    let registrations = try tokens.enumerated().map { number, token in
                        DeviceRegistration(
                            app: AppID(unchecked: ServerInTest.app),
                            installation: DeviceID(unchecked: "phone-\(number)"),
                            token: try DeviceToken(hex: token),
                            environment: .sandbox,
                            profile: DeviceProfile(topics: ["news"])
                        )
                    }
                    try await ServerStore.open(data: "\(directory)/data", url: database.url) { store, _ in
                        _ = try await store.register(registrations, now: now)
                    }
                    let run = try await front.apus(
                        "campaign",
                        "create",
                        ServerInTest.app,
                        "--topic",
                        "news",
                        "--title",
                        "Hello",
                        "--watch"
                    )
                    #expect(run.status == 0, "\(run.errors)")
                    #expect(run.lines.last == "completed: \(count) of \(count), \(count) delivered")
                    #expect(simulator.statistics.accepted == count)
                    for server in [front] + others { #expect(await server.process.stop() == 0) }
                }
            }
        }
    }

    @Test("a key is created in the database that the environment names, and opens the server")
    func keys() async throws {
        try await TestPostgresDatabase.withDatabase { database in
            try await withTemporaryDirectory { directory in
                let created = try await CommandRun(
                    ["keys", "create", "first", "--scope", "admin", "--data", "\(directory)/data", "--json"],
                    environment: ["APUS_STORE_URL": database.url],
                    in: directory
                )
                #expect(created.status == 0)
                #expect(try await database.execute("SELECT name FROM apus.api_keys") == ["first"])
            }
        }
    }

    @Test("a URL of another kind is refused, and neither it nor its password is shown")
    func badURL() throws {
        let environment = ["APUS_STORE_URL": "mysql://somebody:open-sesame@host/apus"]
        let sources = try ConfigurationSources(flags: [:], environment: environment, file: nil)
        let failure = try #require(throws: CommandError.self) { try sources.entries() }
        #expect(failure.message.contains("store.url (environment APUS_STORE_URL)"))
        #expect(failure.message.contains("postgres://"))
        #expect(!failure.message.contains("open-sesame"))
    }
}
