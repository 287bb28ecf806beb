// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import HTTP2Session
import Testing

@Suite("What is lost on the way is sent again", .timeLimit(.minutes(20)))
struct ResendTests {
    private let firstID = APNsID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_4000)

    @Test("a GOAWAY in the middle of a batch loses nothing and doubles nothing")
    func goAway() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(2000, apps: [app])
            let goAway = SimulatorFault.Action.goAway(reason: .shutdown, code: .noError, lastStreamID: nil)
            for token in [tokens[0], tokens[700], tokens[1500]] {
                simulator.inject(SimulatorFault(goAway, match: .init(token: token.hex), count: 1))
            }
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(tokens: tokens, firstID: self.firstID), to: destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 2000))
            #expect(simulator.statistics.connections >= 4)
            #expect(simulator.received().map { $0.map(\.apnsID) } == (0..<2000).map { [self.firstID.advanced(by: $0)] })
        }
    }

    @Test("a connection that is cut in the middle of a batch has its requests sent again with the same ids")
    func drop() async throws {
        let metrics = RecordingMetrics()
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(2000, apps: [app])
            for token in [tokens[500], tokens[1500]] {
                let match = SimulatorFault.Match(token: token.hex)
                simulator.inject(SimulatorFault(.drop, match: match, count: 1, deliversFirst: true))
            }
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with(metrics: metrics) { running in
                await running.client.send(try .sample(tokens: tokens, firstID: self.firstID), to: destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 2000))
            let received = simulator.received()
            #expect(received.map { Set($0.map(\.apnsID)) } == (0..<2000).map { [self.firstID.advanced(by: $0)] })
            #expect(received[500].count >= 2)
        }
        #expect(metrics.counts.accepted == 2000)
        #expect(metrics.counts.retried >= 2)
    }

    @Test("REFUSED_STREAM does not count as an attempt")
    func refused() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumResends = 0
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(50, apps: [app])
            simulator.inject(SimulatorFault(.reset(.refusedStream), count: 20))
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(tokens: tokens, firstID: self.firstID), to: destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 50))
            #expect(simulator.received().map { $0.map(\.apnsID) } == (0..<50).map { [self.firstID.advanced(by: $0)] })
            #expect(simulator.statistics.requests == 70)
        }
    }

    @Test("a stream that is reset is sent again as often as is configured, then given up", arguments: [0, 2])
    func reset(maximumResends: Int) async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumResends = maximumResends
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(2, apps: [app])
            let match = SimulatorFault.Match(token: tokens[0].hex)
            simulator.inject(SimulatorFault(.reset(.internalError), match: match))
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(tokens: tokens), to: destination)
            }
            #expect(outcomes.map(\.failure) == [.streamReset, nil])
            #expect(outcomes[0].message.contains("INTERNAL_ERROR"))
            #expect(simulator.statistics.faulted == maximumResends + 1)
        }
    }

    @Test(
        "a batch may limit how often what is lost is sent again; what is refused or sent elsewhere goes again all the same",
        arguments: [0, 2]
    )
    func batchLimit(maximumResends: Int) async throws {
        let metrics = RecordingMetrics()
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(3, apps: [app])
            let faults: [(SimulatorFault.Action, Int?)] = [
                (.reset(.internalError), nil), (.reset(.refusedStream), 3), (.reject(Rejection(.shutdown)), 1),
            ]
            for (token, (action, count)) in zip(tokens, faults) {
                simulator.inject(SimulatorFault(action, match: .init(token: token.hex), count: count))
            }
            let destination = try simulator.destination()
            var batch = try SendBatch.sample(tokens: tokens)
            batch.maximumResends = maximumResends
            let outcomes = try await RunningClient.with(metrics: metrics) { [batch] running in
                await running.client.send(batch, to: destination)
            }
            #expect(outcomes.map(\.failure) == [.streamReset, nil, nil])
            #expect(outcomes.dropFirst() == [.accepted, .accepted])
            #expect(simulator.statistics.faulted == (1 + maximumResends) + 3 + 1)
            #expect(metrics.counts.retried == maximumResends + 3 + 1)
        }
    }

    @Test("a notification whose connection is cut each time is given up as lost")
    func lost() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumResends = 1
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            simulator.inject(SimulatorFault(.drop))
            let destination = try simulator.destination()
            let outcome = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome.failure == .connectionLost)
            #expect(simulator.statistics.connections == 2)
        }
    }

    @Test("ExpiredProviderToken has the notification sent again with a new token on a new connection")
    func expiredToken() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(3, apps: [app])
            let fault = SimulatorFault.Action.reject(Rejection(.expiredProviderToken))
            simulator.inject(SimulatorFault(fault, match: .init(token: tokens[1].hex), count: 1))
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(tokens: tokens, firstID: self.firstID), to: destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 3))
            #expect(simulator.statistics.connections == 2)
            #expect(simulator.statistics.signatureChecks == 2)
            #expect(simulator.received().map { $0.map(\.apnsID) } == (0..<3).map { [self.firstID.advanced(by: $0)] })
        }
    }

    @Test(
        "what many are told of one connection has all of them sent again on another, at once",
        arguments: [
            RejectionReason.expiredProviderToken, .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken, .shutdown,
        ]
    )
    func manySentElsewhere(reason: RejectionReason) async throws {
        var configuration = APNsClientConfiguration.quick
        // An outage would have nothing sent before the deadline.
        configuration.minimumBackoff = .seconds(3600)
        configuration.maximumBackoff = .seconds(3600)
        configuration.maximumConnections = 1
        let metrics = RecordingMetrics()
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(101, apps: [app])
            let destination = try simulator.destination()
            try await RunningClient.with(configuration, metrics: metrics) { running in
                let first = await running.client.send(try .sample(tokens: [tokens[100]]), to: destination)
                #expect(first == [.accepted])
                // Otherwise only some of them would be on the first connection, and the others be told the same on the second.
                for await event in metrics.events where event == .granted { break }
                simulator.inject(SimulatorFault(.reject(Rejection(reason)), count: 50))
                let batch = try SendBatch.sample(tokens: Array(tokens[..<100]), firstID: self.firstID)
                let outcomes = await running.client.send(batch, to: destination, deadline: .seconds(300))
                #expect(outcomes == Array(repeating: .accepted, count: 100))
            }
            #expect(simulator.statistics.connections == 2)
            #expect(simulator.statistics.signatureChecks == 2, "each connection has one provider token")
            let ids = simulator.received()[..<100].map { $0.map(\.apnsID) }
            #expect(ids == (0..<100).map { [self.firstID.advanced(by: $0)] })
        }
        #expect(metrics.counts.retried == 50)
    }

    @Test(
        "what APNs says on every connection is told to all callers, and few connections are opened for it",
        arguments: [
            RejectionReason.expiredProviderToken, .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken, .shutdown,
        ]
    )
    func sentElsewhereInVain(reason: RejectionReason) async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.minimumBackoff = .seconds(3600)
        configuration.maximumBackoff = .seconds(3600)
        configuration.maximumConnections = 1
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(40, apps: [app])
            simulator.inject(SimulatorFault(.reject(Rejection(reason))))
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(tokens: tokens), to: destination)
            }
            #expect(outcomes == Array(repeating: .rejected(Rejection(reason)), count: 40))
            // The first one was tried on a second connection, which then told the same of all.
            #expect(simulator.statistics.connections == 2)
            #expect(simulator.statistics.faulted == 41)
        }
    }

    @Test("a token that expires wherever it is sent is told to the caller, after the configured attempts")
    func alwaysExpired() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumResends = 1
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            simulator.inject(SimulatorFault(.reject(Rejection(.expiredProviderToken))))
            let destination = try simulator.destination()
            let outcome = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome == .rejected(Rejection(.expiredProviderToken)))
            #expect(simulator.statistics.connections == 2)
        }
    }
}
