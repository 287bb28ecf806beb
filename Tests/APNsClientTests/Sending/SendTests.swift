// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Logging
import Testing

@Suite("Sending to a simulator", .timeLimit(.minutes(20)))
struct SendTests {
    @Test("one notification arrives byte for byte, with its headers and its id", arguments: ["127.0.0.1", "localhost"])
    func one(host: String) async throws {
        let metrics = RecordingMetrics()
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            var headers = try NotificationHeaders.sample()
            headers.priority = .powerConsiderate
            headers.collapseID = try CollapseID("match-7")
            let payload = try APNsPayload(json: #"{"aps":{"alert":"試合開始"}, "b":1, "a":2}"#)
            let id = APNsID.random()
            let destination = try simulator.destination(host: host)
            let outcome = try await RunningClient.with(metrics: metrics) { running in
                await running.client.send(headers, payload: payload, token: token, apnsID: id, to: destination)
            }
            #expect(outcome == .accepted)
            let received = try #require(simulator.received().first?.first)
            #expect(received.apnsID == id)
            #expect(received.payload == payload.bytes)
            #expect(received.headers["apns-topic"] == app)
            #expect(received.headers["apns-push-type"] == "alert")
            #expect(received.headers["apns-priority"] == "5")
            #expect(received.headers["apns-collapse-id"] == "match-7")
            #expect(received.headers["apns-expiration"] == nil)
        }
        // A name with several addresses is no reason to report a failure while one of them works.
        #expect(metrics.counts == RecordingMetrics.Counts(opened: 1, accepted: 1))
    }

    // Only Linux has the whole of 127.0.0.0/8 without further settings.
    #if os(Linux)
    @Test("an IP address is verified against the certificate")
    func address() async throws {
        let host = "127.0.0.2"
        try await withAPNsSimulator(APNsSimulatorConfiguration(host: host), logger: .silent) { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            let destination = try simulator.destination(host: host)
            let outcome = try await RunningClient.with { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome == .accepted)
        }
    }
    #endif

    @Test("a notification without an id gets one from APNs")
    func withoutID() async throws {
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            let destination = try simulator.destination()
            let outcome = try await RunningClient.with { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome == .accepted)
            #expect(simulator.received().map(\.count) == [1])
        }
    }

    @Test("a batch of 2,000 reaches each device once, with the id of its place", arguments: [SendLane.urgent, .bulk])
    func batch(lane: SendLane) async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(2000, apps: [app])
            let firstID = APNsID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_4000)
            let batch = try SendBatch.sample(tokens: tokens, firstID: firstID)
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { running in
                await running.client.send(batch, to: destination, lane: lane)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 2000))
            #expect(simulator.received().map { $0.map(\.apnsID) } == (0..<2000).map { [firstID.advanced(by: $0)] })
        }
    }

    @Test("many callers share one client, and each gets its own answers")
    func manyCallers() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(40, apps: [app])
            let unknown = try DeviceToken.sample(1)
            let destination = try simulator.destination()
            let answers = try await RunningClient.with { running in
                try await withThrowingTaskGroup(of: (Int, [SendOutcome]).self) { group in
                    for (number, token) in tokens.enumerated() {
                        let targets = number.isMultiple(of: 2) ? [token, unknown] : [unknown, token, token]
                        let batch = try SendBatch.sample(tokens: targets)
                        group.addTask { (number, await running.client.send(batch, to: destination)) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
            }
            for (number, outcomes) in answers {
                let places: [Bool] = number.isMultiple(of: 2) ? [true, false] : [false, true, true]
                #expect(outcomes.map { $0 == .accepted } == places)
            }
            #expect(simulator.received().enumerated().allSatisfy { $1.count == ($0.isMultiple(of: 2) ? 1 : 2) })
        }
    }

    @Test("a batch without targets is answered at once, and opens no connection")
    func empty() async throws {
        try await withTestSimulator { simulator in
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(tokens: []), to: destination)
            }
            #expect(outcomes.isEmpty)
            #expect(simulator.statistics.connections == 0)
        }
    }
}
