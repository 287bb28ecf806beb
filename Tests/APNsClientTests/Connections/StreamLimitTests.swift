// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Crypto
import Synchronization
import Testing

@Suite("Streams of a connection", .timeLimit(.minutes(1)))
struct StreamLimitTests {
    private static func key() throws -> APNsCredential {
        let pem = P256.Signing.PrivateKey().pemRepresentation
        return .key(try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: pem))
    }

    @Test("a token connection begins with one stream, and takes all that are granted after the first success")
    func oneStreamStart() async throws {
        let openAtFirst = Mutex(0)
        let most = Mutex(0)
        try await PuppetServer.with(credential: Self.key()) { puppet, event in
            switch event {
            case .connected: puppet.hello(streams: 20)
            case .request(1, _): puppet.peer.send(.ping())
            case .pong:
                // The client had the time to open more.
                openAtFirst.withLock { $0 = puppet.open.count }
                puppet.acceptAll()
            case .request:
                most.withLock { $0 = max($0, puppet.open.count) }
                if puppet.open.count == 20 { puppet.acceptAll() }
            case .ping: break
            }
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(count: 41), to: server.destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 41))
        }
        #expect(openAtFirst.withLock { $0 } == 1)
        #expect(most.withLock { $0 } == 20)
    }

    @Test("a refused provider token leaves the connection at one stream")
    func unproven() async throws {
        let most = Mutex(0)
        try await PuppetServer.with(credential: Self.key()) { puppet, event in
            switch event {
            case .connected: puppet.hello(streams: 20)
            case .request(let stream, _):
                most.withLock { $0 = max($0, puppet.open.count) }
                puppet.answer(stream, status: "403", body: #"{"reason":"InvalidProviderToken"}"#)
            case .ping, .pong: break
            }
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(count: 10), to: server.destination)
            }
            #expect(outcomes.map(\.reason) == Array(repeating: .invalidProviderToken, count: 10))
        }
        #expect(most.withLock { $0 } == 1)
    }

    @Test("a server that grants fewer streams later is followed")
    func fewerStreams() async throws {
        let most = Mutex((before: 0, after: 0))
        try await PuppetServer.with { puppet, event in
            switch event {
            case .connected: puppet.hello(streams: 10)
            case .request(let stream, _):
                most.withLock { most in
                    if stream <= 19 {
                        most.before = max(most.before, puppet.open.count)
                    } else {
                        most.after = max(most.after, puppet.open.count)
                    }
                }
                if stream == 19 {
                    puppet.peer.send(.settings([0x3: 3]))
                    puppet.acceptAll()
                } else if stream > 19, puppet.open.count == 3 {
                    puppet.peer.send(.ping())
                }
            case .pong:
                most.withLock { $0.after = max($0.after, puppet.open.count) }
                puppet.acceptAll()
            case .ping: break
            }
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(count: 28), to: server.destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 28))
            #expect(server.connections == 1)
        }
        #expect(most.withLock { $0 } == (10, 3))
    }

    @Test("bulk work that waits has another connection opened, reserve or not")
    func growth() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumStreams = 100
        configuration.urgentReserve = 4
        configuration.maximumConnections = 2
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
        } _: { server in
            let outcomes = try await RunningClient.with(configuration) { running in
                async let outcomes = running.client.send(try .sample(count: 100), to: server.destination, lane: .bulk)
                await server.wait { $0.connection == 2 && $0.event.stream == 11 }
                server.act { puppet in
                    puppet.accepts = true
                    puppet.acceptAll()
                }
                return try await outcomes
            }
            #expect(outcomes == Array(repeating: .accepted, count: 100))
            #expect(server.connections == 2)
        }
    }
}
