// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Testing

@Suite("The clock of the tests", .timeLimit(.minutes(5)))
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
            await clock.sleepers(atLeast: 3)
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
    func cancel() async {
        let clock = TestClock()
        let sleeping = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test("a test can wait for those whom a step would wake, and for others to be gone")
    func observed() async {
        let clock = TestClock()
        await withTaskGroup(of: Void.self) { group in
            for seconds in [20, 1] { group.addTask { try? await clock.sleep(for: .seconds(seconds)) } }
            await clock.sleepers(atLeast: 1, within: .seconds(1))
            await clock.sleepers(atLeast: 2)
            clock.advance(by: .seconds(1))
            await clock.sleepers(atMost: 1)
            async let late: Void = clock.sleepers(atLeast: 1, within: .seconds(1))
            clock.advance(by: .seconds(18))
            await late
            group.cancelAll()
            await clock.sleepers(atMost: 0)
        }
    }

    @Test("the date source moves only when it is told to")
    func now() {
        let now = TestNow()
        #expect(now.date == TestNow.beginning)
        #expect(now.advance(by: .milliseconds(1500)) == TestNow.beginning.addingTimeInterval(1.5))
        #expect(now() == now.date)
    }
}
