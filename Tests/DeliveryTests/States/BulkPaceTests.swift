// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import PushModel
import Synchronization
import Testing

@testable import Delivery

@Suite("The pace of bulk work", .timeLimit(.minutes(20)))
struct BulkPaceTests {
    private let start = ContinuousClock.now

    @Test("without urgent work nothing is held back")
    func alone() {
        var pace = BulkRateLimiter(rate: 1000)
        for _ in 0..<10 {
            let turn = pace.bulkTurn(5000, now: self.start)
            #expect(turn.count == 5000)
            #expect(turn.begin == nil)
        }
    }

    @Test("beside urgent work it goes in even pieces, as many as the rate says")
    func paced() {
        var pace = BulkRateLimiter(rate: 2000)
        pace.urgentWorkBegan(now: self.start)
        let turns = (0..<5).map { _ in pace.bulkTurn(1000, now: self.start) }
        #expect(turns.allSatisfy { $0.count == 10 })
        let begins = turns.map { $0.begin.map { $0 - self.start } }
        #expect(begins == [nil, .milliseconds(5), .milliseconds(10), .milliseconds(15), .milliseconds(20)])
    }

    @Test("a turn that was not taken is not made up for")
    func late() {
        var pace = BulkRateLimiter(rate: 2000)
        pace.urgentWorkBegan(now: self.start)
        _ = pace.bulkTurn(1000, now: self.start)
        let later = self.start.advanced(by: .milliseconds(100))
        #expect(pace.bulkTurn(1000, now: later).begin == nil)
        #expect(pace.bulkTurn(1000, now: later).begin == later.advanced(by: .milliseconds(5)))
    }

    @Test("a fifth of a second after the last urgent work it is as fast as before")
    func over() {
        var pace = BulkRateLimiter(rate: 2000)
        pace.urgentWorkBegan(now: self.start)
        let before = self.start.advanced(by: BulkRateLimiter.attention - .nanoseconds(1))
        #expect(pace.bulkTurn(1000, now: before).count == 10)
        let after = self.start.advanced(by: BulkRateLimiter.attention)
        #expect(pace.bulkTurn(1000, now: after).count == 1000)
        #expect(pace.bulkTurn(1000, now: after).begin == nil)
    }

    @Test("the smallest rate still goes on")
    func slowest() {
        var pace = BulkRateLimiter(rate: 0)
        pace.urgentWorkBegan(now: self.start)
        #expect(pace.bulkTurn(1000, now: self.start).count == 1)
        #expect(pace.bulkTurn(1000, now: self.start).begin == self.start.advanced(by: .seconds(1)))
    }

    @Test("the window gives bulk work its pieces, tells of those that wait, and holds urgent work back by nothing")
    func window() async throws {
        let now = self.start
        let clock = TestClock()
        let paused = Mutex<[Int]>([])
        let window = InFlightWindow(
            capacity: 8000,
            pace: BulkRateLimiter(rate: 2000),
            clock: clock,
            now: { now },
            onPause: { count in paused.withLock { $0.append(count) } }
        )
        let kind = RoutingKey(app: "a", environments: [.production], pushType: .alert)
        #expect(await window.take(1000, for: .init(lane: .bulk, kind: kind)) == 1000)
        #expect(await window.take(300, for: .init(lane: .urgent, kind: kind)) == 300)
        #expect(await window.take(1000, for: .init(lane: .bulk, kind: kind)) == 10)
        #expect(paused.withLock { $0 } == [])
        async let next = window.take(1000, for: .init(lane: .bulk, kind: kind))
        try await clock.fire(timerDueIn: .milliseconds(5))
        #expect(await next == 10)
        #expect(paused.withLock { $0 } == [10])
    }

    @Test("a waiter that is cancelled reserves no capacity")
    func cancelled() async {
        let now = self.start
        let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
        var pace = BulkRateLimiter(rate: 1)
        pace.urgentWorkBegan(now: now)
        // More turns than the test has seconds.
        for _ in 0..<1000 { _ = pace.bulkTurn(1, now: now) }
        let window = InFlightWindow(capacity: 8000, pace: pace, now: { now }, onPause: { _ in pause.yield() })
        let kind = RoutingKey(app: "a", environments: [.production], pushType: .alert)
        let waiting = Task { await window.take(5, for: .init(lane: .bulk, kind: kind)) }
        for await _ in pauses { break }
        waiting.cancel()
        #expect(await waiting.value == 0)
    }
}
