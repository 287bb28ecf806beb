// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import StoreTesting
import Testing

@testable import apus

/// A subscribed URL, and what posts to it killed at an instant between two of its requests.
@Suite("Messages to a URL whose poster is killed", .timeLimit(.minutes(20)))
struct KillPostingTests {
    private struct Arrivals: Decodable {
        let arrived: Int
        let requests: Int
    }

    private static let posting = ["--webhooks-allow-private-networks", "true"]

    @Test("all arrive, and what arrives twice has the same id", arguments: TestStoreBackend.allCases)
    func killed(store: TestStoreBackend) async throws {
        try await Self.place(store) { place in
            let server = try await place.start(with: "none")
            let arguments = ["keys", "create", "worker", "--scope", "admin", "--access-key", "--json"]
            let made = try await server.apus(arguments)
            let key: KeyResponse = try made.lastLine()
            let first = try await place.startWorker(.deliver, arguments: Self.posting).process
            let subscriber = try await PythonEnvironment.start(
                [PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/sns_killed_poster.py")],
                environment: [
                    "AWS_ENDPOINT_URL_SNS": try #require(server.environment["APUS_URL"]),
                    "AWS_ACCESS_KEY_ID": key.accessKeyID ?? "", "AWS_SECRET_ACCESS_KEY": key.secretAccessKey ?? "",
                    "AWS_DEFAULT_REGION": "eu-west-1", "AWS_EC2_METADATA_DISABLED": "true", "HOME": place.directory,
                ],
                in: place.directory
            )
            let said = await subscriber.nextLine()
            #expect(said == "posting", "\(subscriber.logEnd)")
            first.kill()
            await first.end()
            let second = try await place.startWorker(.deliver, arguments: Self.posting).process
            let next = await subscriber.nextLine()
            let line = try #require(next, "\(subscriber.logEnd)")
            let arrivals = try JSONDecoder().decode(Arrivals.self, from: Data(line.utf8))
            #expect(arrivals.arrived == 300)
            // The one without an answer, and of those beside it what was not booked yet.
            #expect((301...304).contains(arrivals.requests), "\(arrivals.requests) requests")
            #expect(await subscriber.end() == 0)
            #expect(await second.stop() == 0)
            #expect(await server.process.stop() == 0)
        }
    }

    private static func place(_ store: TestStoreBackend, _ body: (ServerInTest) async throws -> Void) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                switch store {
                case .sqlite: try await body(try await ServerInTest(in: directory, simulator: simulator))
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        let place = try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                        try await body(place)
                    }
                }
            }
        }
    }
}
