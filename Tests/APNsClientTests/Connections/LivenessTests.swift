// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import NIOCore
import Testing

@testable import APNsClient

@Suite("Servers that do not answer", .timeLimit(.minutes(20)))
struct LivenessTests {
    @Test("what is never answered fails at its deadline, and leaves the connection to the others")
    func silence() async throws {
        try await PuppetServer.with { _, _ in
        } _: { server in
            let pool = try ConnectionPool.sample(to: server.destination)
            try await StagedConnection.with(in: pool) { staged in
                async let silent = pool.send(.sample(count: 1), deadline: staged.now + .seconds(40))
                try await staged.hears(1, .headers)
                async let other = pool.send(.sample(count: 1), deadline: staged.now + .seconds(80))
                try await staged.hears(2, .headers)
                await staged.advance(by: .seconds(41))
                let failures = try await silent.map(\.failure)
                #expect(failures == [.deadlineExceeded])
                try await staged.say { $0.send(.headers(3, .response())) }
                let answers = try await other
                #expect(answers == [.accepted])
                async let later = pool.send(.sample(count: 1), deadline: staged.now + .seconds(80))
                try await staged.hears(3, .headers)
                try await staged.say { $0.send(.headers(5, .response())) }
                let last = try await later
                #expect(last == [.accepted])
            }
            await pool.drain()
            #expect(server.connections == 0)
        }
    }

    @Test("an answer that comes late, after those of later requests, is an answer")
    func late() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(2, apps: [app])
            let hold = simulator.inject(SimulatorFault(.hold, match: .init(token: tokens[0].hex)))
            let destination = try simulator.destination()
            try await RunningClient.with { running in
                let first = await running.client.send(try .sample(tokens: [tokens[1]]), to: destination)
                #expect(first == [.accepted])
                var arrivals = simulator.deliveries().makeAsyncIterator()
                async let late = running.client.send(try .sample(tokens: [tokens[0]]), to: destination)
                _ = await arrivals.next()
                let later = await running.client.send(try .sample(tokens: [tokens[1]]), to: destination)
                #expect(later == [.accepted])
                simulator.removeFault(hold)
                let outcomes = try await late
                #expect(outcomes == [.accepted])
            }
            #expect(simulator.statistics.connections == 1)
        }
    }

    @Test("a server that answers neither requests nor PING is left, and its requests go to another connection")
    func deadPeer() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.answerTimeout = .milliseconds(200)
        configuration.pingTimeout = .milliseconds(200)
        // A slow machine may take a living server for a dead one, and more than once.
        configuration.maximumResends = .max
        try await PuppetServer.with { puppet, event in
            if event == .connected {
                puppet.hello(streams: 10)
                puppet.accepts = puppet.number > 1
            }
        } _: { server in
            let outcomes = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(count: 5), to: server.destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 5))
            #expect(server.connections >= 2)
        }
    }

    @Test("a server that answers PING keeps its connection")
    func slowPeer() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.answerTimeout = .milliseconds(50)
        configuration.pingTimeout = .seconds(30)
        try await PuppetServer.with { puppet, event in
            switch event {
            case .connected: puppet.hello(streams: 10)
            case .ping:
                let ping = puppet.peer.frames(.ping).last
                puppet.peer.send(.ping(ping?.payload ?? [], acknowledgement: true))
                if puppet.peer.frames(.ping).count == 2 { puppet.acceptAll() }
            case .request, .pong: break
            }
        } _: { server in
            let outcomes = try await RunningClient.with(configuration) { running in
                await running.client.send(try .sample(count: 5), to: server.destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 5))
            #expect(server.connections == 1)
        }
    }
}
