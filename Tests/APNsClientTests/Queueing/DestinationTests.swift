// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import ApusTesting
import Testing

@Suite("Many destinations, and ones that nobody sends to any more", .timeLimit(.minutes(20)))
struct DestinationTests {
    private static let accepting: PuppetServer.Script = { puppet, event in
        if event == .connected {
            puppet.hello(streams: 10)
            puppet.accepts = true
        }
    }

    @Test("connections to a destination that nobody sends to are closed, and opened again for new work")
    func idle() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.destinationIdleTimeout = .milliseconds(20)
        let metrics = RecordingMetrics()
        try await PuppetServer.with(script: Self.accepting) { server in
            try await RunningClient.with(configuration, metrics: metrics) { running in
                for number in 1...3 {
                    let answered = try await running.client.send(.sample(count: 2), to: server.destination).count
                    #expect(answered == 2)
                    for await event in metrics.events where event == .closed { break }
                    #expect(server.connections == number)
                }
            }
        }
        #expect(metrics.counts.accepted == 6)
    }

    @Test("a destination that waits for an answer is not idle")
    func busy() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.destinationIdleTimeout = .milliseconds(1)
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
            // The client has looked for idle destinations many times by its second question.
            if event == .ping {
                puppet.peer.send(.ping(puppet.peer.frames(.ping).last?.payload ?? [], acknowledgement: true))
                if puppet.peer.frames(.ping).count == 2 { puppet.acceptAll() }
            }
        } _: { server in
            configuration.answerTimeout = .milliseconds(1)
            configuration.pingTimeout = .seconds(30)
            let outcomes = try await RunningClient.with(configuration) { running in
                try await running.client.send(.sample(count: 2), to: server.destination)
            }
            #expect(outcomes == [.accepted, .accepted])
            #expect(server.connections == 1)
        }
    }

    @Test("one destination too many takes the place of an idle one")
    func replacement() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumDestinations = 1
        let metrics = RecordingMetrics()
        try await PuppetServer.with(script: Self.accepting) { first in
            try await PuppetServer.with(script: Self.accepting) { second in
                try await RunningClient.with(configuration, metrics: metrics) { running in
                    for server in [first, second, first] {
                        let first = try await running.client.send(.sample(count: 1), to: server.destination)
                        #expect(first == [.accepted])
                    }
                    var closed = 0
                    for await event in metrics.events where event == .closed {
                        closed += 1
                        if closed == 2 { break }
                    }
                }
                #expect(first.connections == 2)
                #expect(second.connections == 1)
            }
        }
    }

    @Test("one destination too many is refused at once while all others are being sent to")
    func full() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumDestinations = 1
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
        } _: { first in
            try await PuppetServer.with(script: Self.accepting) { second in
                try await RunningClient.with(configuration) { running in
                    async let outcomes = running.client.send(.sample(count: 1), to: first.destination)
                    await first.wait { $0.event.stream == 1 }
                    let refused = try await running.client.send(.sample(count: 2), to: second.destination)
                    #expect(refused.map(\.failure) == [.notSent, .notSent])
                    #expect(refused[0].message.contains("1 other destinations"))
                    first.act { $0.acceptAll() }
                    let answers = try await outcomes
                    #expect(answers == [.accepted])
                }
                #expect(second.connections == 0)
            }
        }
    }
}
