// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import StoreTesting
import Synchronization
import Testing

@testable import Work

@Suite("A claim loop", .timeLimit(.minutes(20)))
struct ClaimLoopTests {
    /// A queue whose claims follow a script; after it nothing is claimable.
    private final class Queue: Sendable {
        private let script: Mutex<[Result<Claimed<Int>, any Error>]>
        private let claim: AsyncStream<Int>.Continuation
        private let begin: AsyncStream<Int>.Continuation
        private let ends = Mutex<[Int: CheckedContinuation<Void, Never>]>([:])

        /// The limit of each claim.
        let claims: AsyncStream<Int>

        /// Each item that is processed.
        let begun: AsyncStream<Int>

        init(_ script: [Result<Claimed<Int>, any Error>] = []) {
            self.script = Mutex(script)
            (self.claims, self.claim) = AsyncStream.makeStream()
            (self.begun, self.begin) = AsyncStream.makeStream()
        }

        func claim(_ limit: Int) throws -> Claimed<Int> {
            let result = self.script.withLock { $0.isEmpty ? .success(Claimed([])) : $0.removeFirst() }
            self.claim.yield(limit)
            return try result.get()
        }

        /// Waits until the item is to end.
        func process(_ item: Int) async {
            await withCheckedContinuation { continuation in
                self.ends.withLock { $0[item] = continuation }
                self.begin.yield(item)
            }
        }

        func end(_ item: Int) { self.ends.withLock { $0.removeValue(forKey: item) }?.resume() }
    }

    private struct Loop: Service {
        let loop: ClaimLoop<Slots<Int>>
        let changes: AsyncStream<StoreChange>
        let stop: AsyncStream<Void>.Continuation

        func run() async throws { await self.loop.run(on: self.changes, onStop: { self.stop.finish() }) }
    }

    private struct Stage {
        let clock = TestClock()
        let now = TestDateSource()
        let store = StoreChangeBroadcaster()
        var pause: Duration = .zero

        /// Runs a loop with two slots beside a body, and shuts it down gracefully.
        ///
        /// `draining` is called when nothing more is to be claimed.
        func run(_ queue: Queue, _ body: () async throws -> Void, draining: () -> Void = {}) async throws {
            let (stops, stop) = AsyncStream.makeStream(of: Void.self)
            let loop = ClaimLoop(
                kind: "items",
                capacity: Slots<Int>(2),
                pollInterval: .seconds(1),
                pause: self.pause,
                clock: self.clock,
                now: { [now = self.now] in now.date },
                logger: .silent
            ) { limit in
                try queue.claim(limit)
            } process: { item, slot in
                await queue.process(item)
                slot.end()
            }
            let services = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [Loop(loop: loop, changes: self.store.changes(), stop: stop)],
                    logger: .silent
                )
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                try await body()
                await services.triggerGracefulShutdown()
                for await _ in stops {}
                draining()
                try await group.waitForAll()
            }
        }
    }

    @Test("claims at the start, after a change, at each poll and at the next due time")
    func wakeUps() async throws {
        let stage = Stage()
        let due = stage.now.date.addingTimeInterval(1.25)
        let queue = Queue([.success(Claimed([])), .success(Claimed([])), .success(Claimed([], nextDue: due))])
        var claims = queue.claims.makeAsyncIterator()
        try await stage.run(queue) { () async throws in
            #expect(await claims.next() == 2)
            stage.store.send([.jobsDue])
            #expect(await claims.next() == 2)
            try await stage.clock.fire(timerDueIn: .seconds(1), alsoAdvancing: stage.now)
            #expect(await claims.next() == 2)
            // The due time comes before the next poll.
            try await stage.clock.fire(timerDueIn: .milliseconds(250), alsoAdvancing: stage.now)
            #expect(await claims.next() == 2)
        }
    }

    @Test("pauses after a claim that found nothing, and counts the signals of the pause as one")
    func pause() async throws {
        let queue = Queue([.success(Claimed([])), .success(Claimed([1])), .success(Claimed([]))])
        var claims = queue.claims.makeAsyncIterator()
        var begun = queue.begun.makeAsyncIterator()
        var stage = Stage()
        stage.pause = .milliseconds(20)
        try await stage.run(queue) { () async throws in
            #expect(await claims.next() == 2)
            for _ in 0..<3 { stage.store.send([.jobsDue]) }
            try await stage.clock.fire(timerDueIn: .milliseconds(20), alsoAdvancing: stage.now)
            #expect(await claims.next() == 2)
            #expect(await begun.next() == 1)
            // Something was found, so there is no pause.
            stage.store.send([.jobsDue])
            #expect(await claims.next() == 1)
            queue.end(1)
        }
    }

    @Test("goes on after a claim that failed")
    func failure() async throws {
        struct Failure: Error {}
        let stage = Stage()
        let queue = Queue([.failure(Failure()), .success(Claimed([7]))])
        var claims = queue.claims.makeAsyncIterator()
        try await stage.run(queue) { () async throws in
            #expect(await claims.next() == 2)
            stage.store.send([.jobsDue])
            #expect(try await queue.begun.nextElement() == 7)
            queue.end(7)
        }
    }

    @Test("claims no more than there are free slots, again as long as there is more, and after the end of an item")
    func limits() async throws {
        let stage = Stage()
        let queue = Queue([.success(Claimed([1], hasMore: true)), .success(Claimed([2])), .success(Claimed([3]))])
        var claims = queue.claims.makeAsyncIterator()
        var begun = queue.begun.makeAsyncIterator()
        try await stage.run(queue) { () async throws in
            #expect(await claims.next() == 2)
            #expect(await claims.next() == 1)
            #expect(Set([await begun.next(), await begun.next()]) == [1, 2])
            queue.end(1)
            #expect(await claims.next() == 1)
            #expect(await begun.next() == 3)
            queue.end(2)
            queue.end(3)
        }
    }

    @Test("awaits its items on shutdown, and claims nothing more")
    func shutdown() async throws {
        let stage = Stage()
        let queue = Queue([.success(Claimed([1])), .success(Claimed([2]))])
        var claims = queue.claims.makeAsyncIterator()
        try await stage.run(queue) { () async throws in
            #expect(await claims.next() == 2)
            #expect(try await queue.begun.nextElement() == 1)
        } draining: {
            stage.store.send([.jobsDue])
            queue.end(1)
        }
        let left = try queue.claim(0)
        #expect(left.items == [2])
    }
}
