// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import ApusTesting
import NIOCore
import Testing

@testable import APNsClient

@Suite("Connections whose transport fails them", .timeLimit(.minutes(20)))
struct StagedConnectionTests {
    /// Runs `body` with a pool that has one staged connection, and opens others to a server that accepts everything.
    private static func stage(
        _ configuration: APNsClientConfiguration = .quick,
        _ body: (ConnectionPool, StagedConnection, PuppetServer) async throws -> Void
    ) async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected {
                puppet.hello(streams: 10)
                puppet.accepts = true
            }
        } _: { server in
            let pool = try ConnectionPool.sample(to: server.destination, configuration: configuration)
            try await StagedConnection.with(in: pool) { try await body(pool, $0, server) }
            await pool.drain()
        }
    }

    @Test("a connection that has ended, but whose socket lingers, gives what was in flight to another one")
    func lingersInFlight() async throws {
        try await Self.stage { pool, staged, server in
            staged.holdClosing()
            async let outcomes = pool.send(.sample(count: 3))
            try await staged.hears(3, .headers)
            // DATA on stream 0 is an error that ends the connection.
            try await staged.say { $0.send(.data(0, [1])) }
            let goAways = try await staged.heard(.goAway).count
            #expect(goAways == 1)
            await staged.advance(by: .milliseconds(500))
            let answers = try await outcomes
            #expect(answers == [.accepted, .accepted, .accepted])
            #expect(server.connections == 1)
        }
    }

    @Test("a connection that has ended, but whose socket lingers, is not waited for by new work")
    func lingersIdle() async throws {
        try await Self.stage { pool, staged, server in
            staged.holdClosing()
            try await staged.say { $0.send(.data(0, [1])) }
            let goAways = try await staged.heard(.goAway).count
            #expect(goAways == 1)
            let answers = try await pool.send(.sample(count: 3))
            #expect(answers == [.accepted, .accepted, .accepted])
            #expect(server.connections == 1)
        }
    }

    @Test("a shutdown does not wait for a connection that answers nothing, takes nothing and does not close")
    func lingersInShutdown() async throws {
        try await Self.stage { pool, staged, _ in
            staged.holdClosing()
            async let outcomes = pool.send(.sample(count: 2))
            try await staged.hears(2, .headers)
            try await staged.setWritable(false)
            await pool.drain()
            let failures = try await outcomes.map(\.failure)
            #expect(failures == [.connectionLost, .connectionLost])
        }
    }

    @Test("a caller is answered at the deadline though its peer takes no reset, and the stream is closed later")
    func stalled() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.answerTimeout = .seconds(3600)
        try await Self.stage(configuration) { pool, staged, server in
            async let outcomes = pool.send(.sample(count: 2), deadline: staged.now + .seconds(40))
            try await staged.hears(2, .headers)
            try await staged.setWritable(false)
            await staged.advance(by: .seconds(41))
            let failures = try await outcomes.map(\.failure)
            #expect(failures == [.deadlineExceeded, .deadlineExceeded])
            let early = try await staged.heard(.resetStream)
            #expect(early.isEmpty)

            try await staged.setWritable(true)
            let resets = try await staged.heard(.resetStream).count
            #expect(resets == 2)
            async let later = pool.send(.sample(count: 1))
            try await staged.hears(3, .headers)
            try await staged.say { $0.send(.headers(5, .response())) }
            let accepted = try await later
            #expect(accepted == [.accepted])
            #expect(server.connections == 0)
        }
    }

    @Test("an answer that comes after the deadline, and before the reset is written, settles nothing twice")
    func lateAnswer() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.answerTimeout = .seconds(3600)
        try await Self.stage(configuration) { pool, staged, _ in
            async let outcomes = pool.send(.sample(count: 2), deadline: staged.now + .seconds(40))
            try await staged.hears(2, .headers)
            try await staged.setWritable(false)
            await staged.advance(by: .seconds(41))
            let failures = try await outcomes.map(\.failure)
            #expect(failures == [.deadlineExceeded, .deadlineExceeded])
            try await staged.say { $0.send(.headers(1, .response()), .reset(3)) }
            try await staged.setWritable(true)
            async let later = pool.send(.sample(count: 1))
            try await staged.hears(3, .headers)
            try await staged.say { $0.send(.headers(5, .response())) }
            let accepted = try await later
            #expect(accepted == [.accepted])
        }
    }
}
