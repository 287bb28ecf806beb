// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import Work

@Suite("The pruner", .timeLimit(.minutes(20)))
struct PrunerTests {
    private struct Failure: Error {}

    @Test("applies the steps of a rule in their order, each until nothing is left, at its interval")
    func steps() async throws {
        let clock = TestClock()
        let now = TestDateSource()
        let left = Mutex(5)
        let deleted = Mutex<[String]>([])
        let rule = PruneRule(
            "test",
            every: .seconds(60),
            initialDelay: .seconds(10),
            steps: { _ in
                left.withLock { left in
                    let count = min(2, left)
                    left -= count
                    return .init(["a": count], hasMore: left > 0)
                }
            },
            { _ in .init(["b": 1, "c": 0]) }
        )
        let pruner = Pruner([rule], clock: clock, now: { now.date }, logger: .silent) { kind, count in
            deleted.withLock { $0.append("\(kind)\(count)") }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pruner.run() }
            try await clock.timer(dueIn: .seconds(10))
            #expect(deleted.withLock { $0.isEmpty })
            try await clock.fire(timerDueIn: .seconds(10))
            try await clock.timer(dueIn: .seconds(60))
            #expect(deleted.withLock { $0 } == ["a2", "a2", "a1", "b1"])
            try await clock.fire(timerDueIn: .seconds(60))
            try await clock.timer(dueIn: .seconds(60))
            #expect(deleted.withLock { $0 }.count == 5)
            group.cancelAll()
        }
    }

    @Test("tries a rule that failed again, and other rules go on")
    func failures() async throws {
        let clock = TestClock()
        let failed = Mutex(0)
        let worked = Mutex(0)
        let rules = [
            PruneRule(
                "bad",
                every: .seconds(60),
                steps: { _ in
                    failed.withLock { $0 += 1 }
                    throw Failure()
                }
            ),
            PruneRule(
                "good",
                every: .seconds(60),
                steps: { _ in
                    worked.withLock { $0 += 1 }
                    return .init()
                }
            ),
        ]
        let pruner = Pruner(rules, clock: clock, now: { Date() }, logger: .silent) { _, _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pruner.run() }
            try await clock.fire(timerDueIn: .seconds(60), count: 2)
            try await clock.timer(dueIn: .seconds(60), count: 2)
            #expect(failed.withLock { $0 } == 2)
            #expect(worked.withLock { $0 } == 2)
            group.cancelAll()
        }
    }

    @Test("rests between two transactions for a multiple of the duration of the first")
    func rest() async throws {
        let clock = TestClock()
        let isFirst = Mutex(true)
        let rule = PruneRule(
            "slow",
            every: .seconds(3600),
            rest: 4,
            steps: { _ in
                let hasMore = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if hasMore { try await clock.sleep(for: .seconds(2)) }
                return .init(hasMore: hasMore)
            }
        )
        let pruner = Pruner([rule], clock: clock, now: { Date() }, logger: .silent) { _, _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pruner.run() }
            try await clock.fire(timerDueIn: .seconds(2))
            try await clock.fire(timerDueIn: .seconds(8))
            try await clock.timer(dueIn: .seconds(3600))
            group.cancelAll()
        }
    }
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
