// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Testing

@Suite("Callers who are cancelled", .timeLimit(.minutes(20)))
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

    @Test("what was lost and waits to be sent again may have reached APNs, and a cancelled caller is told so")
    func lostBeforeCancellation() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected, puppet.number == 1 { puppet.hello(streams: 2) }
            if event.stream == 3 { puppet.close() }
        } _: { server in
            try await RunningClient.with { running in
                let outcomes = try await withThrowingTaskGroup(of: [SendOutcome].self) { group in
                    group.addTask { await running.client.send(try .sample(count: 3), to: server.destination) }
                    // There is another connection only once the lost ones are in the queue again.
                    await server.wait { $0.connection == 2 }
                    group.cancelAll()
                    return try await group.next()
                }
                #expect(outcomes?.map(\.failure) == [.connectionLost, .connectionLost, .cancelled])
            }
        }
    }

    @Test(
        "what was lost once may have reached APNs, though it is refused the second time, when its caller is cancelled"
    )
    func refusedAfterLoss() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
            if event.stream == 3, puppet.number == 1 { puppet.close() }
        } _: { server in
            try await RunningClient.with { running in
                let outcomes = try await withThrowingTaskGroup(of: [SendOutcome].self) { group in
                    group.addTask { await running.client.send(try .sample(count: 3), to: server.destination) }
                    await server.wait { $0.connection == 2 && $0.event.stream == 3 }
                    group.cancelAll()
                    server.act { puppet in
                        guard puppet.number == 2 else { return }
                        for stream in [1, 3] as [UInt32] { puppet.refuse(stream) }
                    }
                    return try await group.next()
                }
                #expect(outcomes?.map(\.failure) == [.connectionLost, .connectionLost, .cancelled])
                #expect(server.connections == 2)
            }
        }
    }

    @Test("a task that is cancelled before it sends gets no notification out")
    func beforehand() async throws {
        try await PuppetServer.with { puppet, event in
            guard event == .connected else { return }
            puppet.hello(streams: 2)
            puppet.accepts = true
        } _: { server in
            try await RunningClient.with { running in
                // From now on a connection waits, and takes at once what is sent.
                #expect(await running.client.send(try .sample(count: 1), to: server.destination) == [.accepted])
                for _ in 0..<2000 {
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
}
