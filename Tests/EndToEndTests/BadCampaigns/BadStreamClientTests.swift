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

/// Clients of `notifications:stream` that do not take what they are answered.
///
/// `APUS_TEST_LINES` says how many notifications the one that takes nothing sends: 30,000 unless given, more than a stream
/// may have open. The one that vanishes sends a third of them.
@Suite("A client of a stream that fails", .serialized, .timeLimit(.minutes(10)))
struct BadStreamClientTests {
    private static let path = "/v1/apps/\(ServerInTest.app)/notifications:stream"
    private static let type = "application/x-ndjson"
    private static let lines = CampaignStage.number("APUS_TEST_LINES") ?? 30_000

    /// Each of them keeps a thousand notifications.
    private static let devices = max(100, Self.lines / 300)

    /// How much memory the server may take, whatever a client does.
    private static let memory = 400 << 20

    /// What a stream tells of a line.
    private struct Answer: Decodable {
        let type: String
        let acceptedThrough: Int?
        let line: Int?
        let outcome: String?
        let reason: String?
    }

    @Test(
        "by taking no answers holds up nobody else, and is told every outcome when it comes back",
        arguments: TestStoreBackend.allCases
    )
    func takesNothing(on store: TestStoreBackend) async throws {
        try await ServerInTest.with(on: store) { simulator, server in
            let tokens = try simulator.bootDevices(Self.devices, apps: [ServerInTest.app]).map(\.hex)
            let slow = try await server.connect(takingAnswers: false)
            try await slow.send(server.head(of: "\(Self.path)?stream=slow", type: Self.type))
            var arrivals = simulator.deliveries().makeAsyncIterator()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Stuck as soon as the server takes no more of it.
                group.addTask { try? await Self.send(0..<Self.lines, to: tokens, over: slow) }
                for _ in 0..<min(Self.lines, 5000) { _ = await arrivals.next() }

                // Meanwhile others are served, by a stream and without.
                let sent = try await server.send(to: tokens)
                #expect(try await server.settled(sent.id).counts.delivered == tokens.count)
                let count = try await Self.stream(1000, to: tokens, named: "quick", server)
                #expect(count == 1000)
                await slow.close()
                try await group.waitForAll()
            }
            // It begins anew: what was accepted is passed over, and what came of it is told.
            let count = try await Self.stream(Self.lines, to: tokens, named: "slow", server)
            #expect(count == Self.lines)
            #expect(Self.notifications(simulator) == Self.lines + 1000 + tokens.count, "none is sent under two ids")
            if let memory = server.process.peakMemory { #expect(memory < Self.memory, "\(memory >> 20) MB") }
        }
    }

    @Test(
        "by vanishing in the middle, time and again, loses nothing and sends nothing twice",
        arguments: TestStoreBackend.allCases
    )
    func vanishes(on store: TestStoreBackend) async throws {
        try await ServerInTest.with(on: store) { simulator, server in
            let tokens = try simulator.bootDevices(Self.devices, apps: [ServerInTest.app]).map(\.hex)
            // So many that the server has not read all of a part when its client is gone.
            let lines = Self.lines / 3
            let part = lines / 10
            for number in 0..<5 {
                let client = try await server.connect()
                try await client.send(server.head(of: "\(Self.path)?stream=torn", type: Self.type))
                // It begins anew each time, gets further, and is gone in the middle of a line.
                try? await Self.send(0..<(number + 1) * part, to: tokens, over: client)
                try? await client.send("40\r\n{\"id\":\"half a li")
                var accepted = 0
                while accepted <= number * part, let line = await client.nextLine() {
                    guard line.hasPrefix("{") else { continue }
                    let answer = try JSON.decoder.decode(Answer.self, from: Data(line.utf8))
                    accepted = max(accepted, answer.acceptedThrough ?? 0)
                }
                await client.close()
            }
            let count = try await Self.stream(lines, to: tokens, named: "torn", server)
            #expect(count == lines)
            #expect(Self.notifications(simulator) == lines, "none is sent under two ids")
            if let memory = server.process.peakMemory { #expect(memory < Self.memory, "\(memory >> 20) MB") }
        }
    }

    /// How many notifications have arrived, those that came twice under the same `apns-id` counted once.
    private static func notifications(_ simulator: APNsSimulator) -> Int {
        let devices = simulator.devices(limit: .max) ?? []
        return Set(devices.flatMap { simulator.device($0.id)?.notifications ?? [] }.map(\.apnsID)).count
    }

    /// Sends lines, a thousand in each chunk.
    private static func send(_ numbers: Range<Int>, to tokens: [String], over client: RawConnection) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1000) {
            let lines = (start..<min(start + 1000, numbers.upperBound)).map { number in
                #"{"id":"\#(number)","token":"\#(tokens[number % tokens.count])","payload":{"aps":{"alert":"Hello"}}}"#
            }
            try await client.sendChunk(lines.joined(separator: "\n") + "\n")
        }
    }

    /// Sends the same lines from the first one on, and takes the answers until all are told.
    ///
    /// - Returns: how many lines were delivered.
    private static func stream(
        _ count: Int,
        to tokens: [String],
        named name: String,
        _ server: ServerInTest.Running
    ) async throws -> Int {
        while true {
            let (delivered, reason) = try await self.streamOnce(count, to: tokens, named: name, server)
            // What the server had read of an older connection may have been stored only now: then it has to begin anew.
            if reason == "stream_in_use" { continue }
            #expect(reason == "completed")
            return delivered.count
        }
    }

    private static func streamOnce(
        _ count: Int,
        to tokens: [String],
        named name: String,
        _ server: ServerInTest.Running
    ) async throws -> (delivered: Set<Int>, reason: String?) {
        let client = try await server.connect()
        try await client.send(server.head(of: "\(self.path)?stream=\(name)&outcomesAfter=0", type: self.type))
        var delivered: Set<Int> = []
        var reason: String?
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // It may be ended before all was said.
                try? await self.send(0..<count, to: tokens, over: client)
                try? await client.send("0\r\n\r\n")
            }
            while reason == nil, let line = await client.nextLine() {
                guard line.hasPrefix("{") else { continue }
                let answer = try JSON.decoder.decode(Answer.self, from: Data(line.utf8))
                if answer.outcome == "delivered", let number = answer.line { delivered.insert(number) }
                if answer.type == "end" { reason = answer.reason ?? "" }
            }
            await client.close()
            try await group.waitForAll()
        }
        return (delivered, reason)
    }
}
