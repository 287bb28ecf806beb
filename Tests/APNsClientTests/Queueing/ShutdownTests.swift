// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Logging
import NIOPosix
import Testing

@Suite("Graceful shutdown", .timeLimit(.minutes(20)))
struct ShutdownTests {
    private static let failure = SendOutcome.failed(
        SendFailure(code: .shuttingDown, message: "the APNs client is shutting down")
    )

    @Test("what is in flight is answered, what waits fails, and then all is refused")
    func drain() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.drainTimeout = .seconds(300)
        configuration.maximumQueuedNotifications = 3
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
        } _: { server in
            try await RunningClient.with(configuration) { running in
                let batch = try SendBatch.sample(count: 5)
                async let sent = running.client.send(batch, to: server.destination, deadline: .seconds(300))
                await server.wait { $0.event.stream == 3 }
                async let waiting = running.client.send(try .sample(count: 2), to: server.destination)
                await running.shutDown()
                // Whether it waited for room or was too late: it is refused while others are still in flight.
                let refused = try await waiting
                #expect(refused == [Self.failure, Self.failure])
                server.act { $0.acceptAll() }
                let answers = await sent
                #expect(answers == [.accepted, .accepted, Self.failure, Self.failure, Self.failure])
                var other = server.destination
                other.endpoint.port = 1
                for destination in [server.destination, other] {
                    let outcomes = try await running.client.send(.sample(count: 1), to: destination)
                    #expect(outcomes == [Self.failure])
                }
            }
            #expect(server.connections == 1)
        }
    }

    @Test("what is not answered within the drain timeout is lost, what was never sent is refused, and nothing hangs")
    func drainTimeout() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
        } _: { server in
            try await RunningClient.with { running in
                async let sent = running.client.send(try .sample(count: 5), to: server.destination)
                await server.wait { $0.event.stream == 3 }
                await running.shutDown()
                let outcomes = try await sent
                #expect(outcomes.prefix(2).map(\.failure) == [.connectionLost, .connectionLost])
                #expect(outcomes.dropFirst(2) == [Self.failure, Self.failure, Self.failure])
            }
        }
    }

    @Test("what was lost and waits to be sent again is told apart from what was never sent")
    func lost() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected, puppet.number == 1 { puppet.hello(streams: 2) }
            if event.stream == 3 { puppet.close() }
        } _: { server in
            try await RunningClient.with { running in
                async let sent = running.client.send(try .sample(count: 3), to: server.destination)
                // There is another connection only once the lost ones are in the queue again.
                await server.wait { $0.connection == 2 }
                await running.shutDown()
                let outcomes = try await sent
                #expect(outcomes.map(\.failure) == [.connectionLost, .connectionLost, .shuttingDown])
            }
        }
    }

    @Test("a connection that is still being opened does not hold the shutdown up")
    func opening() async throws {
        var configuration = try PuppetServer.Configuration()
        configuration.protocols = nil
        var clientConfiguration = APNsClientConfiguration.quick
        clientConfiguration.connectTimeout = .seconds(50)
        clientConfiguration.drainTimeout = .seconds(50)
        try await PuppetServer.with(configuration) { _, _ in
        } _: { server in
            try await RunningClient.with(clientConfiguration) { running in
                async let sent = running.client.send(try .sample(count: 2), to: server.destination)
                await server.wait { $0.event == .connected }
                await running.shutDown()
                let outcomes = try await sent
                #expect(outcomes == [Self.failure, Self.failure])
            }
        }
    }

    @Test("a client whose task is cancelled drains as well")
    func cancelledRun() async throws {
        let client = APNsClient(
            configuration: .quick,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: .silent
        )
        try await PuppetServer.with { puppet, event in
            if event == .connected {
                puppet.hello(streams: 2)
                puppet.accepts = true
            }
        } _: { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.run() }
                let outcomes = try await client.send(.sample(count: 9), to: server.destination)
                #expect(outcomes == Array(repeating: .accepted, count: 9))
                group.cancelAll()
                try await group.waitForAll()
            }
            let outcomes = try await client.send(.sample(count: 1), to: server.destination)
            #expect(outcomes == [Self.failure])
        }
    }

    @Test("a client that was never used shuts down at once")
    func unused() async throws {
        try await RunningClient.with { await $0.shutDown() }
    }
}
