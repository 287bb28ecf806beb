// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import Logging
import StoreTesting
import Testing

@testable import apus

/// A server that is killed between what APNs has done and what the store is told of it.
@Suite("Channels of a server that is killed", .timeLimit(.minutes(20)))
struct KillChannelTests {
    private static let path = "/v1/apps/\(ServerInTest.app)/channels"
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    @Test(
        "channels are created once more after a crash, and unmanaged ones are listed",
        arguments: TestStoreBackend.allCases
    )
    func creating(store: TestStoreBackend) async throws {
        try await Self.place(store) { place, simulator in
            let server = try await Self.killed(place, simulator) { server in
                _ = try? await server.api.call(.post, Self.path, body: Data(#"{"name":"final"}"#.utf8))
            } when: {
                simulator.channels(of: ServerInTest.app).count == 1
            }
            let orphan = try #require(simulator.channels(of: ServerInTest.app).first).id
            let before = try await Self.list(server)
            #expect(before.channels.map(\.state) == ["creating"])
            #expect(before.unmanaged == [orphan])

            let made = try await server.apus("channels", "create", ServerInTest.app, "final")
            #expect(made.status == 0, "\(made.errors)")
            let after = try await Self.list(server)
            #expect(after.channels.map(\.state) == ["active"])
            #expect(after.channels.map(\.existsAtAPNs) == [true])
            // What is left over is given a name, and deleted.
            #expect(after.unmanaged == [orphan])
            let adopted = try await server.apus("channels", "create", ServerInTest.app, "left", "--id", orphan)
            #expect(adopted.status == 0, "\(adopted.errors)")
            let deleted = try await server.apus("channels", "delete", ServerInTest.app, "left")
            #expect(deleted.lines == ["Deleted left."])
            let listed = try await server.apus("channels", "list", ServerInTest.app)
            #expect(listed.lines.count == 2, "\(listed.lines)")
            #expect(simulator.channels(of: ServerInTest.app).map(\.id) == after.channels.map(\.id))
            #expect(await server.process.stop() == 0)
        }
    }

    @Test("are forgotten when they are deleted once more", arguments: TestStoreBackend.allCases)
    func deleting(store: TestStoreBackend) async throws {
        try await Self.place(store) { place, simulator in
            let server = try await Self.killed(place, simulator) { server in
                _ = try? await server.api.call(.delete, "\(Self.path)/final")
            } when: {
                simulator.channels(of: ServerInTest.app).isEmpty
            } before: { server in
                let made = try await server.apus(
                    "channels",
                    "create",
                    ServerInTest.app,
                    "final",
                    "--message-storage",
                    "none"
                )
                #expect(made.status == 0, "\(made.errors)")
            }
            let before = try await Self.list(server)
            #expect(before.channels.map(\.state) == ["deleting"])
            #expect(before.channels.map(\.existsAtAPNs) == [false])
            _ = try await server.api.call(.delete, "\(Self.path)/final")
            #expect(try await Self.list(server).channels.isEmpty)
            let again = try await server.apus("channels", "delete", ServerInTest.app, "final", "--json")
            #expect(again.status == 1)
            #expect(again.lines.joined().contains("channel_not_found"), "\(again.lines.joined())")
            #expect(await server.process.stop() == 0)
        }
    }

    /// Kills a server while APNs has done what a call asks for, and holds its answer back.
    ///
    /// - Returns: another server over the same store.
    private static func killed(
        _ place: ServerInTest,
        _ simulator: APNsSimulator,
        _ call: @escaping @Sendable (ServerInTest.Running) async -> Void,
        when isDone: () -> Bool,
        before prepare: (ServerInTest.Running) async throws -> Void = { _ in }
    ) async throws -> ServerInTest.Running {
        let server = try await place.start(with: "none")
        try await server.createApp(simulator)
        try await prepare(server)
        let held = simulator.inject(SimulatorFault(.hold, count: 1))
        async let answer: Void = call(server)
        try await waitUntil(isDone)
        await server.kill()
        simulator.removeFault(held)
        await answer
        return try await place.start(with: "none")
    }

    private static func list(_ server: ServerInTest.Running) async throws -> ChannelListResponse {
        try await server.api.call(.get, self.path).decoded()
    }

    /// A place over a store of the given kind, and the simulator to which its servers send.
    private static func place(
        _ store: TestStoreBackend,
        _ body: (ServerInTest, APNsSimulator) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: self.silent) { simulator in
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
}
