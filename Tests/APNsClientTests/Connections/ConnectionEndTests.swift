// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import ApusTesting
import Testing

@Suite("The end of a connection is counted", .timeLimit(.minutes(20)))
struct ConnectionEndTests {
    /// What a server does with the first request of its first connection.
    enum Ending: CaseIterable {
        case closesUnanswered
        case closesAnswered
        case goAwayAnswered
        case goAwayUnanswered
        case goAwayRefused

        /// How the connection ends by that.
        var end: ConnectionCloseReason {
            switch self {
            case .closesUnanswered, .closesAnswered, .goAwayUnanswered: .lost
            case .goAwayAnswered, .goAwayRefused: .goAway
            }
        }

        /// Whether the request is answered on another connection.
        var isSentAgain: Bool {
            switch self {
            case .closesUnanswered, .goAwayUnanswered, .goAwayRefused: true
            case .closesAnswered, .goAwayAnswered: false
            }
        }

        func happen(to puppet: inout Puppet) {
            switch self {
            case .closesUnanswered: puppet.close()
            case .closesAnswered:
                puppet.acceptAll()
                puppet.close()
            case .goAwayAnswered:
                puppet.peer.send(.goAway(lastStream: 1))
                puppet.acceptAll()
            case .goAwayUnanswered:
                puppet.peer.send(.goAway(lastStream: 1))
                puppet.close()
            case .goAwayRefused: puppet.peer.send(.goAway(lastStream: 0))
            }
        }
    }

    @Test(
        "as lost where APNs closes it without GOAWAY, or with a request unanswered that it had taken",
        arguments: Ending.allCases
    )
    func byServer(ending: Ending) async throws {
        let metrics = RecordingMetrics()
        try await PuppetServer.with { puppet, event in
            switch (event, puppet.number) {
            case (.connected, let number):
                puppet.hello(streams: 10)
                puppet.accepts = number > 1
            case (.request, 1): ending.happen(to: &puppet)
            default: break
            }
        } _: { server in
            try await RunningClient.with(metrics: metrics) { running in
                let outcomes = try await running.client.send(.sample(count: 1), to: server.destination)
                #expect(outcomes == [.accepted])
                for await event in metrics.events where event == .closed { break }
            }
            #expect(server.connections == (ending.isSentAgain ? 2 : 1))
        }
        #expect(metrics.ends == [ending.end] + (ending.isSentAgain ? [.ended] : []))
    }

    @Test("as ended by this side where all was answered, and as lost where it was not waited for any longer")
    func byClient() async throws {
        let metrics = RecordingMetrics()
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
            if event.isRequest(saying: "answered") { puppet.acceptAll() }
        } _: { server in
            try await RunningClient.with(metrics: metrics) { running in
                let outcomes = try await running.client.send(.sample("answered", count: 1), to: server.destination)
                #expect(outcomes == [.accepted])
            }
            #expect(metrics.ends == [.ended])
            try await RunningClient.with(metrics: metrics) { running in
                async let outcomes = running.client.send(.sample("silent", count: 1), to: server.destination)
                await server.wait { $0.event.isRequest(saying: "silent") }
                await running.shutDown()
                let failures = try await outcomes.map(\.failure)
                #expect(failures == [.connectionLost])
            }
            #expect(metrics.ends == [.ended, .lost])
        }
    }
}
