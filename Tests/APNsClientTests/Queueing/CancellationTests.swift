// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Testing

@Suite("Callers who are cancelled", .timeLimit(.minutes(5)))
struct CancellationTests {
    @Test("what waits fails with cancelled, what is in flight is awaited")
    func inFlight() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
        } _: { server in
            try await RunningClient.with { running in
                let outcomes = try await withThrowingTaskGroup(of: [SendOutcome].self) { group in
                    group.addTask { await running.client.send(try .sample(count: 5), to: server.destination) }
                    await server.wait { $0.event.stream == 3 }
                    group.cancelAll()
                    server.act { puppet in
                        puppet.accepts = true
                        puppet.acceptAll()
                    }
                    return try await group.next()
                }
                let answers = try #require(outcomes)
                #expect(answers.prefix(2) == [.accepted, .accepted])
                #expect(answers.dropFirst(2).map(\.failure) == [.cancelled, .cancelled, .cancelled])
                let later = try await running.client.send(.sample(count: 5), to: server.destination)
                #expect(later == Array(repeating: .accepted, count: 5))
            }
        }
    }

    @Test("a cancelled caller is told what may have reached APNs apart from what never did, and nothing is sent again")
    func lostAfterCancellation() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
        } _: { server in
            try await RunningClient.with { running in
                let outcomes = try await withThrowingTaskGroup(of: [SendOutcome].self) { group in
                    group.addTask { await running.client.send(try .sample(count: 2), to: server.destination) }
                    await server.wait { $0.event.stream == 3 }
                    group.cancelAll()
                    server.act { $0.close() }
                    return try await group.next()
                }
                #expect(outcomes?.map(\.failure) == [.connectionLost, .connectionLost])
                #expect(server.connections == 1)
            }
        }
    }

    @Test("a task that is cancelled before it sends gets no notification out")
    func beforehand() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
        } _: { server in
            try await RunningClient.with { running in
                let outcomes = try await withThrowingTaskGroup(of: [SendOutcome].self) { group in
                    group.cancelAll()
                    group.addTask { await running.client.send(try .sample(count: 3), to: server.destination) }
                    return try await group.next()
                }
                #expect(outcomes?.map(\.failure) == [.cancelled, .cancelled, .cancelled])
            }
        }
    }
}
