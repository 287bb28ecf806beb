// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Logging
import PushModel
import StoreTesting
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("Sealed at rest", .timeLimit(.minutes(20)))
struct SealedAtRestTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
    private static let token = String(repeating: "5a7e", count: 16)

    private static func withServer(
        on store: TestStoreBackend = .sqlite,
        _ body: (ServerInTest) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: self.silent) { simulator in
                switch store {
                case .sqlite: try await body(ServerInTest(in: directory, simulator: simulator))
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        try await body(ServerInTest(in: directory, simulator: simulator, storeURL: database.url))
                    }
                }
            }
        }
    }

    private static func registerPhone(_ running: ServerInTest.Running) async throws {
        let device = ["token": self.token, "environment": "sandbox"]
        _ = try await running.api.call(.put, "/v1/apps/\(ServerInTest.app)/devices/phone", sending: device)
    }

    /// Whether the store has a device with the token, through a server.
    private static func expectPhone(on server: ServerInTest, arguments: [String] = []) async throws {
        let running = try await server.start(with: "none", arguments: arguments)
        let found = try await running.api.call(.get, "/v1/apps/\(ServerInTest.app)/devices/phone")
        #expect(found.text.contains(Self.token))
        #expect(await running.process.stop() == 0)
    }

    /// Whether the files of the SQLite database have the token.
    private static func isPlain(_ server: ServerInTest) throws -> Bool {
        let token = Data(try DeviceToken(hex: self.token).bytes)
        return try ["apus.db", "apus.db-wal"].map { "\(server.directory)/data/\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
            .contains { try Data(contentsOf: URL(fileURLWithPath: $0)).range(of: token) != nil }
    }

    private static func run(_ server: ServerInTest, _ arguments: String...) async throws -> CommandRun {
        var environment: [String: String] = [:]
        environment["APUS_STORE_URL"] = server.storeURL
        let place = ["--data", "\(server.directory)/data"]
        return try await CommandRun(arguments + place, environment: environment, in: server.directory)
    }

    @Test("a new store is sealed, stays sealed without the option, and opens after a rotation of the master key")
    func new() async throws {
        try await Self.withServer { server in
            let running = try await server.start(with: "none", arguments: ["--seal-at-rest", "true"])
            try await running.createApp(server.simulator)
            try await Self.registerPhone(running)
            #expect(await running.process.stop() == 0)
            #expect(try !Self.isPlain(server))
            try await Self.expectPhone(on: server)
            let rotation = try await Self.run(server, "keys", "rotate-master", "--wait-seconds", "0", "--json")
            #expect(rotation.status == 0, "\(rotation.errors)")
            #expect(try rotation.lastLine(as: RotationAnswer.self).dataKeys == 1)
            try await Self.expectPhone(on: server)
            #expect(try !Self.isPlain(server))
        }
    }

    @Test(
        "an existing store is sealed by a command; until then the option ends the start",
        arguments: TestStoreBackend.allCases
    )
    func existing(store: TestStoreBackend) async throws {
        try await Self.withServer(on: store) { server in
            let running = try await server.start(with: "none")
            try await running.createApp(server.simulator)
            try await Self.registerPhone(running)
            #expect(await running.process.stop() == 0)
            let refused = try await Self.run(server, "serve", "--port", "0", "--seal-at-rest", "true", "--json")
            #expect(refused.status == 1)
            #expect(refused.failure?.code == "store_not_sealed")
            #expect(refused.failure?.message.contains("apus store seal --servers-stopped") == true)

            let unconfirmed = try await Self.run(server, "store", "seal", "--json")
            #expect(unconfirmed.failure?.code == "servers_running")
            for expected in [1, 0] {
                let sealing = try await Self.run(server, "store", "seal", "--servers-stopped", "--json")
                #expect(sealing.status == 0, "\(sealing.errors)")
                let report = try sealing.lastLine(as: SealingReport.self)
                #expect(report.tables["devices"] == expected)
                #expect(report.formerBytesOverwritten == (store == .sqlite))
            }
            if store == .sqlite { #expect(try !Self.isPlain(server)) }
            try await Self.expectPhone(on: server)
            try await Self.expectPhone(on: server, arguments: ["--seal-at-rest", "true"])
        }
    }

    @Test("a sealed store does not open with another master key, and not before all of it is sealed")
    func closed() async throws {
        try await Self.withServer { server in
            let running = try await server.start(with: "none", arguments: ["--seal-at-rest", "true"])
            try await running.createApp(server.simulator)
            #expect(await running.process.stop() == 0)
            let path = "\(server.directory)/data/master.key"
            let key = try Data(contentsOf: URL(fileURLWithPath: path))
            try Data("\(MasterKey.generate().base64)\n".utf8).write(to: URL(fileURLWithPath: path))
            let other = try await Self.run(server, "serve", "--port", "0", "--json")
            #expect(other.status == 1)
            #expect(other.failure?.code == "data_key_closed")
            try key.write(to: URL(fileURLWithPath: path))

            let intruder = try Intruder(path: "\(server.directory)/data/apus.db")
            try await intruder.execute("UPDATE data_key SET is_complete = 0")
            let incomplete = try await Self.run(server, "serve", "--port", "0", "--json")
            #expect(incomplete.failure?.code == "sealing_incomplete")
            let sealing = try await Self.run(server, "store", "seal", "--servers-stopped", "--json")
            #expect(sealing.status == 0, "\(sealing.errors)")
            let again = try await server.start(with: "none")
            #expect(await again.process.stop() == 0)
        }
    }
}
