// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Crypto
import Synchronization
import Testing

@Suite("Streams of a connection", .timeLimit(.minutes(20)))
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

    @Test("a server that refuses every stream from now on is asked again only after a pause")
    func refusals() async throws {
        let requests = Mutex(0)
        let clock = ContinuousClock()
        let start = clock.now
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 100) }
            guard let stream = event.stream else { return }
            // The connection is known to work before the deadline that is to pass begins to run.
            guard stream > 1 else { return puppet.acceptAll() }
            requests.withLock { $0 += 1 }
            puppet.refuse(stream)
        } _: { server in
            let outcomes = try await RunningClient.with { running in
                let first = try await running.client.send(.sample(count: 1), to: server.destination)
                #expect(first == [.accepted])
                return try await running.client.send(.sample(count: 10), to: server.destination, deadline: .seconds(3))
            }
            // Some may be on their way when the deadline passes; the others wait for the end of a pause.
            let failures: [SendFailure.Code?] = [.notSent, .deadlineExceeded]
            #expect(outcomes.allSatisfy { failures.contains($0.failure) }, "\(outcomes)")
        }
        let pauses = Int((clock.now - start) / .milliseconds(100))
        let count = requests.withLock { $0 }
        #expect(count <= 10 * (1 + pauses), "\(count) requests in \(pauses) pauses")
    }

    @Test("a server that takes fewer streams than it announces gets all, on one connection")
    func overstated() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumResends = 0
        let taken = Mutex<[UInt32]>([])
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 100) }
            taken.withLock { taken in
                if event == .pong {
                    for stream in taken { puppet.answer(stream, status: "200", body: "") }
                    taken = []
                }
                guard let stream = event.stream else { return }
                guard taken.count < 2 else { return puppet.refuse(stream) }
                taken.append(stream)
                // The answer comes when the client has had the time to open more.
                if taken.count == 1 { puppet.peer.send(.ping()) }
            }
        } _: { server in
            let outcomes = try await RunningClient.with(configuration) { running in
                try await running.client.send(.sample(count: 40), to: server.destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 40))
            #expect(server.connections == 1)
        }
    }

    @Test("bulk work that waits has another connection opened")
    func growth() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumStreams = 100
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
