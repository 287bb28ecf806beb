// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import StoreTesting
import Synchronization
import Testing

@testable import apus

/// A campaign of `APUS_TEST_DEVICES` devices, 4,000 unless given, while others say nonsense to the server.
@Suite("A server that is flooded", .serialized, .timeLimit(.minutes(10)))
struct FloodTests {
    /// How much memory the server may take: less than what is thrown at it.
    private static let memory = 400 << 20

    /// How the flood stands.
    private final class Flood: Sendable {
        let isOver = Atomic(false)
        /// Told of each round that is over; ends when a round could not be carried out.
        let (rounds, told) = AsyncStream.makeStream(of: Void.self)
    }

    /// A request that is wrong, and what may become of it.
    private struct Nonsense: Sendable {
        let text: String
        /// The statuses of which one has to come.
        let statuses: [String]
        /// Whether the server may hang up instead, because it has not read all by then.
        var mayHangUp = false
    }

    @Test(
        "with wrong requests, endless bodies and connections that say nothing finishes its campaign all the same",
        arguments: TestStoreBackend.allCases
    )
    func flood(on store: TestStoreBackend) async throws {
        try await CampaignStage.open(on: store) { stage, tally in
            // However long the flood takes, nothing is given up meanwhile.
            let server = try await stage.start(environment: ["APUS_DELIVERY_RESPONSE_TIMEOUT_SECONDS": "600"])
            try await server.addCredential(stage.simulator)
            var silent: [RawConnection] = []
            for number in 0..<200 {
                let connection = try await server.connect()
                // Every other one has begun a request, and never gets to its end.
                let beginning = "POST /v1/apps HTTP/1.1\r\nHost: localhost\r\nX-"
                if number.isMultiple(of: 2) { try await connection.send(beginning) }
                silent.append(connection)
            }
            let flood = Flood()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        defer { flood.told.finish() }
                        repeat {
                            try await Self.flood(server)
                            flood.told.yield()
                        } while !flood.isOver.load(ordering: .acquiring) && !Task.isCancelled
                    }
                }
                // It takes some seconds, and however slow the flood is, the end of it comes behind several rounds.
                let held = stage.simulator.inject(SimulatorFault(.hold, skip: stage.devices - stage.devices / 8))
                let campaign = try await server.beginCampaign(ratePerSecond: stage.devices / 4)
                var rounds = flood.rounds.makeAsyncIterator()
                for _ in 0..<6 {
                    let round: Void? = await rounds.next()
                    try #require(round != nil, "the flood has ended")
                }
                let meanwhile = try await server.status(of: campaign).progress
                #expect(!meanwhile.isCompleted)
                stage.simulator.removeFault(held)
                await tally.takeAll()
                stage.expectAllDelivered(try await server.settled(campaign))
                flood.isOver.store(true, ordering: .releasing)
                try await group.waitForAll()
            }
            // Those are slow, and still heard.
            for connection in silent.prefix(10) { try? await connection.send("Slow: yes\r\n") }
            for connection in silent { await connection.close() }
            _ = try await server.api.call(.get, "/readyz")
            if let memory = server.process.peakMemory { #expect(memory < Self.memory, "\(memory >> 20) MB") }
            let resent = try await server.hasResent()
            #expect(await server.process.stop() == 0)
            let total = try await tally.total()
            #expect(total.repeated == 0 || resent)
        }
    }

    /// Says everything once that is wrong.
    private static func flood(_ server: ServerInTest.Running) async throws {
        for nonsense in self.nonsense(server) {
            let connection = try await server.connect()
            // It may have hung up before all was said.
            try? await connection.send(nonsense.text)
            let status = await connection.nextLine()?.split(separator: " ").dropFirst().first.map(String.init)
            if let status {
                #expect(nonsense.statuses.contains(status), "\(nonsense.text.prefix(80))")
            } else {
                #expect(nonsense.mayHangUp, "no answer: \(nonsense.text.prefix(80))")
            }
            await connection.close()
        }
        try await self.pourIn(server)
    }

    private static func nonsense(_ server: ServerInTest.Running) -> [Nonsense] {
        let send = "/v1/apps/\(ServerInTest.app)/notifications"
        func request(_ body: String, to path: String = send, authorization: String? = nil, length: Int? = nil) -> String
        {
            """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Authorization: \(authorization ?? "Bearer \(server.environment["APUS_API_KEY"] ?? "")")\r
            Content-Type: application/json\r
            Content-Length: \(length ?? body.utf8.count)\r
            \r
            \(body)
            """
        }
        let deep = String(repeating: "[", count: 10_000)
        let longHead = "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n"
        let wrongTokens = #"{"targets":{"tokens":["no token"]},"notification":{}}"#
        return [
            Nonsense(text: request("{"), statuses: ["400"]),
            Nonsense(text: request(deep), statuses: ["400"]),
            Nonsense(text: request(wrongTokens), statuses: ["400", "422"]),
            Nonsense(text: request("{}", authorization: "Bearer apus_nobody_nothing"), statuses: ["401"]),
            Nonsense(text: request("{}", authorization: "Basic eHg6eHg="), statuses: ["401"]),
            Nonsense(text: request("{}", to: "/v1/no/such/thing"), statuses: ["404"]),
            Nonsense(text: request("{}", length: 1 << 40), statuses: ["413"]),
            Nonsense(text: request("{}", length: -1), statuses: ["400"]),
            Nonsense(text: "\u{0}\u{1}\u{2} not HTTP at all\r\n\r\n", statuses: ["400"]),
            Nonsense(text: longHead, statuses: ["400", "431"], mayHangUp: true),
        ]
    }

    /// Sends a body of 32 MB where 16 MB are the most.
    private static func pourIn(_ server: ServerInTest.Running) async throws {
        let connection = try await server.connect()
        let megabyte = String(repeating: " ", count: 1 << 20)
        do {
            try await connection.send(server.head(of: "/v1/apps/\(ServerInTest.app)/notifications"))
            for _ in 0..<32 { try await connection.sendChunk(megabyte) }
            try await connection.send("0\r\n\r\n")
        } catch {
            // It has hung up, which is an answer.
        }
        if let status = await connection.nextLine() { #expect(status.contains(" 413 "), "\(status)") }
        await connection.close()
    }
}
