// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Broadcasts to channels", .timeLimit(.minutes(20)))
struct BroadcastTests {
    private static let payload = #"{"aps":{"timestamp":1,"event":"update","content-state":{"score":1}}}"#

    private func batch(
        _ channels: [APNsChannelID],
        expiration: APNsExpiration = .once,
        firstID: APNsID? = nil
    ) throws -> SendBatch {
        var targets = TokenList()
        for channel in channels { targets.append(channel) }
        return SendBatch(
            headers: NotificationHeaders(
                broadcastFor: try Topic(app),
                priority: .powerConsiderate,
                expiration: expiration
            ),
            payload: .shared(try APNsPayload(json: Self.payload)),
            tokens: targets,
            firstID: firstID
        )
    }

    @Test("a broadcast arrives byte for byte, with its priority and its id, on each of its channels")
    func arrives() async throws {
        try await withTestSimulator { simulator in
            let channels = try (0..<3).map { _ in try simulator.createChannel(for: app) }
            let ids = try channels.map { try APNsChannelID($0.id) }
            let firstID = APNsID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_4000)
            let batch = try self.batch(ids, firstID: firstID)
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { await $0.client.send(batch, to: destination) }
            #expect(outcomes == [.accepted, .accepted, .accepted])
            for (index, channel) in simulator.channels(of: app).enumerated() {
                #expect(channel.messages.map(\.payload) == [Array(Self.payload.utf8)])
                #expect(channel.messages.map(\.priority) == [5])
                #expect(channel.messages.map(\.requestID) == [firstID.advanced(by: index)])
            }
        }
    }

    @Test("broadcasts and pushes to devices share a connection")
    func mixed() async throws {
        try await withTestSimulator { simulator in
            let channel = try APNsChannelID(simulator.createChannel(for: app).id)
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            let destination = try simulator.destination()
            try await RunningClient.with { running in
                for _ in 0..<3 {
                    let broadcast = try self.batch([channel])
                    #expect(await running.client.send(broadcast, to: destination) == [.accepted])
                    let push = try SendBatch.sample(tokens: [token])
                    #expect(await running.client.send(push, to: destination) == [.accepted])
                }
            }
            #expect(simulator.statistics.connections == 1)
            #expect(simulator.channels(of: app).map(\.broadcasts) == [3])
            #expect(simulator.received().map(\.count) == [3])
        }
    }

    @Test("what APNs refuses is a value with its reason")
    func refusals() async throws {
        try await withTestSimulator { simulator in
            let known = try APNsChannelID(simulator.createChannel(for: app).id)
            let unknown = try APNsChannelID(Data(repeating: 7, count: 16).base64EncodedString())
            let bad = try APNsChannelID("AAAAA")
            let destination = try simulator.destination()
            try await RunningClient.with { running in
                let batch = try self.batch([unknown, known, bad])
                let outcomes = await running.client.send(batch, to: destination)
                let unregistered = Rejection(.channelNotRegistered)
                #expect(outcomes == [.rejected(unregistered), .accepted, .rejected(Rejection(.badChannelID))])
                // What is to be kept for later needs a channel that keeps something.
                let later = APNsExpiration(rawValue: Int64(Date().timeIntervalSince1970) + 60)
                let stored = try self.batch([known], expiration: later)
                #expect(
                    await running.client.send(stored, to: destination) == [.rejected(Rejection(.badExpirationDate))]
                )
            }
        }
    }
}
