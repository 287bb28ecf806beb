// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import APNsSimulator
import ApusTesting
import Testing

@Suite("The bounded queue", .timeLimit(.minutes(20)))
struct BackPressureTests {
    @Test("many callers get through a small queue", arguments: [1, 7])
    func smallQueue(room: Int) async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumQueuedNotifications = room
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(300, apps: [app])
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with(configuration) { running in
                try await withThrowingTaskGroup(of: SendOutcome.self) { group in
                    for token in tokens {
                        group.addTask {
                            await running.client.send(
                                try .sample(),
                                payload: try .sample(),
                                token: token,
                                to: destination
                            )
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(outcomes == Array(repeating: .accepted, count: 300))
            #expect(simulator.received().allSatisfy { $0.count == 1 })
        }
    }

    @Test("a batch larger than the queue is sent all the same")
    func largeBatch() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumQueuedNotifications = 10
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(200, apps: [app])
            let destination = try simulator.destination()
            let outcomes = try await RunningClient.with(configuration) { running in
                async let first = running.client.send(try .sample(tokens: tokens), to: destination)
                async let second = running.client.send(try .sample(tokens: tokens), to: destination)
                return try await [first, second]
            }
            #expect(outcomes == Array(repeating: Array(repeating: .accepted, count: 200), count: 2))
        }
    }

    @Test("a caller who waits for room waits no longer than its deadline")
    func deadline() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumQueuedNotifications = 1
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 1) }
        } _: { server in
            try await RunningClient.with(configuration) { running in
                // One is in flight, one fills the queue.
                async let first = running.client.send(try .sample(count: 2), to: server.destination)
                await server.wait { $0.event.stream != nil }
                let third = await running.client.send(
                    try .sample(count: 1),
                    to: server.destination,
                    deadline: .milliseconds(100)
                )
                #expect(third.map(\.failure) == [.notSent])
                server.act { puppet in
                    puppet.accepts = true
                    puppet.acceptAll()
                }
                let answers = try await first
                #expect(answers == [.accepted, .accepted])
            }
        }
    }

    @Test("a caller who waits for room and is cancelled waits no longer")
    func cancellation() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumQueuedNotifications = 1
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 1) }
        } _: { server in
            try await RunningClient.with(configuration) { running in
                async let first = running.client.send(try .sample(count: 2), to: server.destination)
                await server.wait { $0.event.stream != nil }
                let third = try await withThrowingTaskGroup(of: [SendOutcome].self) { group in
                    group.addTask { await running.client.send(try .sample(count: 3), to: server.destination) }
                    group.cancelAll()
                    return try await group.next()
                }
                #expect(third?.map(\.failure) == [.cancelled, .cancelled, .cancelled])
                server.act { puppet in
                    puppet.accepts = true
                    puppet.acceptAll()
                }
                let answers = try await first
                #expect(answers == [.accepted, .accepted])
            }
        }
    }

    @Test("urgent work goes out on a connection of its own, whatever waits")
    func urgentOvertakes() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumConnections = 1
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 10) }
        } _: { server in
            try await RunningClient.with(configuration) { running in
                let bulk = try SendBatch.sample("bulk", count: 50)
                async let slow = running.client.send(bulk, to: server.destination, lane: .bulk)
                // All streams are taken: 1, 3, 5 and so on.
                await server.wait { $0.event.stream == 19 }
                async let fast = running.client.send(try .sample("urgent", count: 4), to: server.destination)
                await server.wait { $0.connection == 2 && $0.event.isRequest(saying: "urgent") }
                server.act { puppet in
                    puppet.accepts = true
                    puppet.acceptAll()
                }
                let answers = try await (fast, slow)
                #expect(answers.0 == Array(repeating: .accepted, count: 4))
                #expect(answers.1 == Array(repeating: .accepted, count: 50))
            }
        }
    }
}
