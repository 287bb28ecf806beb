// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Logging
import PushModel
import PushStore
import Synchronization
import Testing

@testable import Work

@Suite("Work under a lease", .timeLimit(.minutes(20)))
struct LeasedItemTests {
    private static let lost = StoreError(code: .leaseLost, message: "for a test")
    private static let locked = StoreError(code: .locked, message: "for a test")

    /// An item whose lease is extended as a script says; `nil` succeeds, and so does everything after the script.
    private final class Item: LeasedItem {
        static let kind = "item"
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let logMetadata: Logger.Metadata = [:]
        let failures: Int
        private let script: Mutex<[StoreError?]>
        private let ended = Mutex<[String]>([])

        init(_ script: [StoreError?] = [], failures: Int = 0) {
            self.script = Mutex(script)
            self.failures = failures
        }

        var left: Int { self.script.withLock { $0.count } }
        var ends: [String] { self.ended.withLock { $0 } }

        func extendLease() throws {
            if let error = self.script.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
        }

        func end(after failure: WorkFailure) async throws {
            let text =
                switch failure {
                case .leaseLost: "lost"
                case .cancelled: "cancelled"
                case .transient: "transient"
                case .permanent(_, let failures): "permanent \(failures)"
                }
            self.ended.withLock { $0.append(text) }
        }
    }

    @Test("the lease is extended until the body has returned, also after a failure of the store")
    func extended() async throws {
        let clock = TestClock()
        let item = Item([nil, Self.locked, nil])
        let (ends, end) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await item.keepingLease(clock: clock, every: { .seconds(5) }) {
                    for await value in ends { return value }
                    throw CancellationError()
                }
            }
            for _ in 0..<3 { try await clock.fire(timerDueIn: .seconds(5)) }
            try await clock.timer(dueIn: .seconds(5))
            #expect(item.left == 0)
            end.yield(7)
            #expect(try await group.next() == 7)
        }
    }

    @Test("a lost lease cancels the body, waits for it, and is thrown")
    func lost() async throws {
        let clock = TestClock()
        let item = Item([Self.lost])
        let hasEnded = Mutex(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.fire(timerDueIn: .seconds(5)) }
            let error = await #expect(throws: StoreError.self) {
                try await item.keepingLease(clock: clock, every: { .seconds(5) }) {
                    try? await clock.sleep(for: .seconds(3600))
                    hasEnded.withLock { $0 = true }
                }
            }
            #expect(error?.code == .leaseLost)
            #expect(hasEnded.withLock { $0 })
            try await group.waitForAll()
        }
    }

    @Test("the lease of a body that goes on after a cancellation is extended until it returns")
    func stubborn() async throws {
        let clock = TestClock()
        let item = Item([nil, nil, nil])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await item.keepingLease(clock: clock, every: { .seconds(5) }) {
                begin.yield()
                // A task of its own is not cancelled with this one.
                await Task { for await _ in ends { return } }.value
            }
        }
        for await _ in begins { break }
        task.cancel()
        for _ in 0..<3 { try await clock.fire(timerDueIn: .seconds(5)) }
        try await clock.timer(dueIn: .seconds(5))
        #expect(item.left == 0)
        end.yield()
        _ = await task.result
    }

    @Test("a lease that this process takes again is extended until the body that lost it returns")
    func takenAgain() async throws {
        let clock = TestClock()
        let item = Item([Self.lost, Self.lost, nil, nil])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await item.keepingLease(clock: clock, every: { .seconds(5) }) {
                // A task of its own is not cancelled with this one.
                await Task { for await _ in ends { return } }.value
            }
        }
        for _ in 0..<4 { try await clock.fire(timerDueIn: .seconds(5)) }
        try await clock.timer(dueIn: .seconds(5))
        #expect(item.left == 0)
        end.yield()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .leaseLost)
    }

    @Test("an error ends the item by its kind, and counts as one more failure unless progress was stored")
    func errors() async {
        struct Other: Error {}
        let item = Item(failures: 3)
        let errors: [any Error] = [Self.lost, CancellationError(), Self.locked, Other()]
        for error in errors { await item.processing { _ in throw error } }
        await item.processing { failures in
            failures = 0
            throw Other()
        }
        await Item(failures: .max).processing { _ in throw Other() }
        #expect(item.ends == ["lost", "cancelled", "transient", "permanent 4", "permanent 1"])
    }
}
