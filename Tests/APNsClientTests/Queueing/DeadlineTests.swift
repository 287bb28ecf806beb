// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Synchronization
import Testing

@Suite("Deadlines that pass", .timeLimit(.minutes(20)))
struct DeadlineTests {
    /// Sends `count` notifications with a deadline that passes; repeats with a later one if none was sent before it, as
    /// happens on a busy machine. Returns the outcome of each.
    private static func send(
        _ count: Int,
        to destination: APNsDestination,
        by client: APNsClient
    ) async throws -> [SendOutcome] {
        let batch = try SendBatch.sample(count: count)
        var deadline: Duration = .seconds(2)
        while true {
            let outcomes = await client.send(batch, to: destination, deadline: deadline)
            if outcomes.contains(where: { $0.failure != .notSent }) || deadline > .seconds(60) { return outcomes }
            deadline *= 4
        }
    }

    @Test("what was in flight may have arrived, what still waited was not sent")
    func waiting() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 1) }
            // The connection is known to work before the deadline that is to pass begins to run.
            if event.stream == 1 { puppet.acceptAll() }
        } _: { server in
            try await RunningClient.with { running in
                let first = try await running.client.send(.sample(count: 1), to: server.destination)
                #expect(first == [.accepted])
                let outcomes = try await Self.send(3, to: server.destination, by: running.client)
                #expect(outcomes.map(\.failure) == [.deadlineExceeded, .notSent, .notSent])
                #expect(outcomes.last?.message == "no stream was free before the deadline")
            }
            #expect(server.connections == 1)
        }
    }

    @Test("what was lost, and waited to be sent again, comes to how it was lost")
    func waitingAgain() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected, puppet.number == 1 { puppet.hello(streams: 2) }
            if event.stream == 1 { puppet.acceptAll() }
            if event.stream == 5 { puppet.close() }
        } _: { server in
            try await RunningClient.with { running in
                let first = try await running.client.send(.sample(count: 1), to: server.destination)
                #expect(first == [.accepted])
                let outcomes = try await Self.send(3, to: server.destination, by: running.client)
                // The third waited for its first turn; the next connection was being opened, and none had failed.
                #expect(outcomes.map(\.failure) == [.connectionLost, .connectionLost, .notSent])
            }
        }
    }

    @Test("a connection that fails beside one that works is not why something was not sent")
    func otherConnection() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumStreams = 4
        configuration.maximumConnections = 2
        try await PuppetServer.with { puppet, event in
            guard puppet.number == 1 else { return puppet.close() }
            if event == .connected { puppet.hello(streams: 1) }
            if event.stream == 1 { puppet.acceptAll() }
        } _: { server in
            let metrics = RecordingMetrics()
            try await RunningClient.with(configuration, metrics: metrics) { running in
                let first = try await running.client.send(.sample(count: 1), to: server.destination)
                #expect(first == [.accepted])
                async let outcomes = Self.send(5, to: server.destination, by: running.client)
                for await event in metrics.events where event == .failed { break }
                let expected: [SendFailure.Code] = [.deadlineExceeded, .notSent, .notSent, .notSent, .notSent]
                let failures = try await outcomes.map(\.failure)
                #expect(failures == expected)
            }
            #expect(server.connections >= 2)
        }
    }
}
