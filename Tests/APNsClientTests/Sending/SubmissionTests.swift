// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Testing

@Suite("Submissions", .timeLimit(.minutes(20)))
struct SubmissionTests {
    /// Collects the outcomes of submissions, by their numbers.
    private struct Results {
        private let results: AsyncStream<(Int, [SendOutcome])>
        private let continuation: AsyncStream<(Int, [SendOutcome])>.Continuation

        init() { (self.results, self.continuation) = AsyncStream.makeStream() }

        func submission(_ number: Int, of batch: SendBatch, deadline: Duration = .seconds(300)) -> Submission {
            Submission(batch, deadline: deadline) { [continuation] in continuation.yield((number, $0)) }
        }

        func next(_ count: Int) async throws -> [Int: [SendOutcome]] {
            var found: [Int: [SendOutcome]] = [:]
            while found.count < count {
                let (number, outcomes) = try await self.results.nextElement()
                found[number] = outcomes
            }
            return found
        }
    }

    @Test("several batches are submitted at once, and each completion gets its own outcomes")
    func several() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(40, apps: [app])
            let unknown = try SendBatch.sample(count: 1)
            let destination = try simulator.destination()
            let results = Results()
            let found = try await RunningClient.with { running in
                let submissions = try tokens.enumerated().map { number, token in
                    results.submission(number, of: try .sample(tokens: [token, token]))
                }
                running.client.submit(submissions + [results.submission(40, of: unknown)], to: destination)
                return try await results.next(41)
            }
            for number in 0..<40 { #expect(found[number] == [.accepted, .accepted]) }
            #expect(found[40]?.map(\.reason) == [.badDeviceToken])
            #expect(simulator.received().allSatisfy { $0.count == 2 })
        }
    }

    @Test("a cancelled submission fails with cancelled as far as it was not sent; targets in flight are awaited")
    func cancelled() async throws {
        try await PuppetServer.with { puppet, event in
            if event == .connected { puppet.hello(streams: 2) }
        } _: { server in
            try await RunningClient.with { running in
                let results = Results()
                let submission = results.submission(0, of: try .sample(count: 5))
                running.client.submit([submission], to: server.destination)
                await server.wait { $0.event.stream == 3 }
                submission.cancel()
                server.act { puppet in
                    puppet.accepts = true
                    puppet.acceptAll()
                }
                let outcomes = try #require(try await results.next(1)[0])
                #expect(outcomes.prefix(2) == [.accepted, .accepted])
                #expect(outcomes.dropFirst(2).map(\.failure) == [.cancelled, .cancelled, .cancelled])
            }
        }
    }

    @Test("a submission that is cancelled before it is submitted is complete, and not sent")
    func cancelledBefore() async throws {
        try await PuppetServer.with { puppet, event in
            guard event == .connected else { return }
            puppet.hello(streams: 2)
            puppet.accepts = true
        } _: { server in
            try await RunningClient.with { running in
                // From now on a connection waits, and takes at once what is sent.
                #expect(await running.client.send(try .sample(count: 1), to: server.destination) == [.accepted])
                let results = Results()
                for number in 0..<2000 {
                    let submission = results.submission(number, of: try .sample(count: 2))
                    submission.cancel()
                    running.client.submit([submission], to: server.destination)
                    #expect(try await results.next(1)[number]?.map(\.failure) == [.cancelled, .cancelled])
                }
            }
        }
    }

    @Test("what does not fit in the queue, or has nothing to send, is complete at once; the others are sent")
    func room() async throws {
        var configuration = APNsClientConfiguration.quick
        configuration.maximumQueuedNotifications = 3
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(2, apps: [app])
            let destination = try simulator.destination()
            let results = Results()
            let found = try await RunningClient.with(configuration) { running in
                let submissions = [
                    results.submission(0, of: try .sample(tokens: tokens)),
                    results.submission(1, of: try .sample(count: 2)),
                    results.submission(2, of: try .sample(tokens: [])),
                ]
                running.client.submit(submissions, to: destination)
                return try await results.next(3)
            }
            #expect(found[0] == [.accepted, .accepted])
            #expect(found[1]?.map(\.failure) == [.notSent, .notSent])
            #expect(found[2]?.isEmpty == true)
        }
    }

    @Test("submissions that are not sent when the client shuts down, or come later, fail with shuttingDown")
    func shutDown() async throws {
        try await PuppetServer.with { puppet, event in
            // No stream is free, so nothing is sent.
            if event == .connected { puppet.hello(streams: 0) }
        } _: { server in
            let results = Results()
            let found = try await RunningClient.with { running in
                running.client.submit([results.submission(0, of: try .sample(count: 2))], to: server.destination)
                await running.shutDown()
                running.client.submit([results.submission(1, of: try .sample(count: 1))], to: server.destination)
                return try await results.next(2)
            }
            #expect(found[0]?.map(\.failure) == [.shuttingDown, .shuttingDown])
            #expect(found[1]?.map(\.failure) == [.shuttingDown])
        }
    }
}
