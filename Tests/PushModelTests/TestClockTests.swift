// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Testing

@Suite("The clock of the tests", .timeLimit(.minutes(20)))
struct TestClockTests {
    @Test("sleepers wake when their time is reached, and not before")
    func wake() async throws {
        let clock = TestClock()
        let (events, continuation) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    continuation.yield(seconds)
                }
            }
            var woken = events.makeAsyncIterator()
            try await clock.timers(3, dueWithin: .seconds(3))
            clock.advance(by: .milliseconds(1500))
            #expect(await woken.next() == 1)
            clock.advance(by: .milliseconds(500))
            #expect(await woken.next() == 2)
            clock.advance(by: .seconds(10))
            #expect(await woken.next() == 3)
            #expect(clock.now.offset == .seconds(12))
            try await group.waitForAll()
        }
    }

    @Test("a time that is reached already is not waited for")
    func past() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(5)), tolerance: nil)
    }

    @Test("a cancelled sleeper wakes with an error, whether it sleeps already or not")
    func cancel() async throws {
        let clock = TestClock()
        let sleeping = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.timer(dueIn: .seconds(1))
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test("a test can wait for the timers that a step would fire, and for others to be gone")
    func observed() async throws {
        let clock = TestClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [20, 20, 1] { group.addTask { try? await clock.sleep(for: .seconds(seconds)) } }
            try await clock.timers(dueWithin: .seconds(1))
            try await clock.timer(dueIn: .seconds(20), count: 2)
            try await clock.fire(timerDueIn: .seconds(1))
            try await clock.timers(atMost: 0, dueWithin: .seconds(1))
            async let late: Void = clock.timers(2, dueWithin: .seconds(1))
            clock.advance(by: .seconds(18))
            try await late
            group.cancelAll()
            try await clock.timers(atMost: 0)
        }
    }

    @Test("a timer is waited for by its exact time, and the date source is moved as far as the clock")
    func fired() async throws {
        let clock = TestClock()
        let now = TestDateSource()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: .seconds(3)) }
            group.addTask { try await clock.fire(timerDueIn: .seconds(2), alsoAdvancing: now) }
            try await clock.timer(dueIn: .seconds(3))
            #expect(clock.now.offset == .zero)
            try await clock.sleep(for: .seconds(2))
            #expect(now.date == TestDateSource.beginning.addingTimeInterval(2))
            try await clock.fire(timerDueIn: .seconds(1))
            try await group.waitForAll()
        }
    }

    @Test("every wait ends when the test is cancelled")
    func cancelledWaits() async throws {
        let clock = TestClock()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let waits: [@Sendable () async throws -> Void] = [
            { try await clock.timer(dueIn: .seconds(1)) }, { try await clock.timers(dueWithin: .seconds(1)) },
            { try await clock.fire(timerDueIn: .seconds(1)) }, { try await stream.nextElement() },
            { try await waitUntil { false } },
            { try await clock.pass(upTo: .seconds(1)) { try await stream.nextElement() } },
        ]
        for wait in waits {
            let waiting = Task { try await wait() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        continuation.finish()
    }

    @Test("time passes from timer to timer until what the test waits for has happened, and no further than the limit")
    func passing() async throws {
        let clock = TestClock()
        let now = TestDateSource()
        let (events, continuation) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...3 {
                    try await clock.sleep(for: .seconds(10))
                    continuation.yield(number)
                }
            }
            group.addTask { try await clock.sleep(for: .seconds(31)) }
            let last = try await clock.pass(upTo: .seconds(30), alsoAdvancing: now) {
                try await events.nextElement { $0 == 3 }
            }
            #expect(last == 3)
            #expect(clock.now.offset == .seconds(30))
            #expect(now.date == TestDateSource.beginning.addingTimeInterval(30))
            group.cancelAll()
        }
    }

    @Test("the date source moves only when it is told to")
    func now() {
        let now = TestDateSource()
        #expect(now.date == TestDateSource.beginning)
        #expect(now.advance(by: .milliseconds(1500)) == TestDateSource.beginning.addingTimeInterval(1.5))
        #expect(now() == now.date)
    }
}
