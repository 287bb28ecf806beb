// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Dispatch
import Foundation
import PushModel
import PushStore
import SQLite
import StoreTesting
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Changes that wait", .timeLimit(.minutes(20)))
struct WriteQueueTests {
    @Test("an urgent change passes the bulk ones that wait, and these are never passed twice in a row")
    func urgentFirst() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try DatabasePool(path: directory.appendingPathComponent("a.sqlite").path)
            let queue = GroupCommitQueue(
                pool: pool,
                broadcast: StoreChangeBroadcaster(),
                corruptRows: .silent,
                checkpointer: nil
            )
            let (order, told) = AsyncStream.makeStream(of: String.self)
            func add(_ name: String, in lane: Lane, _ change: @escaping @Sendable () -> Void = {}) {
                let job = GroupCommitQueue.Job(
                    run: { _ in
                        change()
                        return GroupCommitQueue.Success(changes: []) { told.yield(name) }
                    },
                    fail: { _ in told.yield("failed") }
                )
                queue.enqueue(job, in: lane)
            }
            let (beginning, began) = AsyncStream.makeStream(of: Void.self)
            let isHeld = DispatchSemaphore(value: 0)
            add("first", in: .bulk) {
                began.finish()
                isHeld.wait()
            }
            for await _ in beginning {}
            for number in 0..<10 { add("bulk \(number)", in: .bulk) }
            add("urgent", in: .urgent)
            isHeld.signal()
            let names = await order.prefix(12).reduce(into: []) { $0.append($1) }
            #expect(names == ["first", "urgent"] + (0..<10).map { "bulk \($0)" })
            pool.close()
        }
    }

    @Test(
        "a change that fails stores nothing and leaves the changes of its group alone",
        arguments: Failure.allCases
    )
    fileprivate func fail(_ failure: Failure) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try DatabasePool(path: directory.appendingPathComponent("a.sqlite").path)
            try await pool.writer.perform { try $0.execute("CREATE TABLE t (number INTEGER PRIMARY KEY)") }
            let queue = GroupCommitQueue(
                pool: pool,
                broadcast: StoreChangeBroadcaster(),
                corruptRows: .silent,
                checkpointer: nil
            )
            let runs = Mutex([0, 0, 0])
            let (beginning, began) = AsyncStream.makeStream(of: Void.self)
            let isHeld = DispatchSemaphore(value: 0)
            let (ends, ended) = AsyncStream.makeStream(of: String.self)
            func add(_ number: Int, _ change: @escaping @Sendable (Database) throws -> Void) {
                let job = GroupCommitQueue.Job(
                    run: { database in
                        try change(database)
                        return GroupCommitQueue.Success(changes: []) { ended.yield("stored \(number)") }
                    },
                    fail: { _ in ended.yield("failed \(number)") }
                )
                queue.enqueue(job, in: .urgent)
            }
            add(9) { _ in
                began.finish()
                isHeld.wait()
            }
            for await _ in beginning {}
            for number in 0..<3 {
                add(number) { database in
                    runs.withLock { $0[number] += 1 }
                    if number != 1 || failure == .afterChange {
                        try database.run("INSERT INTO t VALUES (?)", [number])
                    }
                    guard number == 1 else { return }
                    // A full disk does so too; this change ignores that.
                    guard failure != .ofTransaction else { return try database.execute("ROLLBACK") }
                    throw CancellationError()
                }
            }
            isHeld.signal()
            let names = await ends.prefix(4).reduce(into: []) { $0.append($1) }
            #expect(names == ["stored 9", "stored 0", "failed 1", "stored 2"])
            let stored = try await pool.read { database in
                try database.rows("SELECT number FROM t ORDER BY number").map { try $0.integer("number") }
            }
            #expect(stored == [0, 2])
            #expect(runs.withLock { $0 } == failure.runs)
            pool.close()
        }
    }

    @Test("those of a lane share a commit; of the bulk lane only a few, and always one after an urgent one")
    func turns() {
        var turns = WriteScheduler<String>()
        #expect(turns.next().isEmpty)
        for number in 0..<10 { turns.append("b\(number)", in: .bulk) }
        for number in 0..<3 { turns.append("u\(number)", in: .urgent) }
        #expect(turns.next() == ["u0", "u1", "u2"])
        turns.append("u3", in: .urgent)
        #expect(turns.next() == (0..<4).map { "b\($0)" })
        #expect(turns.next() == ["u3"])
        #expect(turns.next() == (4..<8).map { "b\($0)" })
        #expect(turns.next() == (8..<10).map { "b\($0)" })
        #expect(turns.next().isEmpty)
        turns.append("u4", in: .urgent)
        #expect(turns.next() == ["u4"])
    }

    @Test("the log is copied beside the commits, and between two of them only when little is left of it")
    func log() {
        var log = WALState()
        log.grow(to: WALState.threshold - 1)
        #expect(log.next() == .nothing)
        log.grow(to: WALState.threshold)
        #expect(log.next() == .copyBeside)
        log.grow(to: WALState.threshold + WALState.round)
        #expect(log.next() == .nothing)
        log.endCopying(through: WALState.threshold)
        #expect(log.next() == .copyBeside)
        log.endCopying(through: WALState.threshold + WALState.round)
        #expect(log.next() == .nothing)
        log.grow(to: WALState.threshold + WALState.round + WALState.remainder)
        #expect(log.next() == .copyHere)
        log.endCopying(through: WALState.threshold + WALState.round + WALState.remainder)
        // It begins anew.
        log.grow(to: 3)
        #expect(log.next() == .nothing)
        log.grow(to: WALState.limit)
        #expect(log.next() == .copyHere)
    }

    @Test("a log that a reader needs is not copied at each commit")
    func heldLog() {
        var log = WALState()
        log.grow(to: WALState.threshold)
        #expect(log.next() == .copyBeside)
        log.endCopying(through: 7)
        log.grow(to: WALState.threshold + WALState.round - 1)
        #expect(log.next() == .nothing)
        log.grow(to: WALState.threshold + WALState.round)
        #expect(log.next() == .copyBeside)
    }

    @Test("what is copied of a log that has begun anew says nothing of the new one")
    func newLog() {
        var log = WALState()
        log.grow(to: WALState.threshold)
        #expect(log.next() == .copyBeside)
        log.grow(to: 1)
        log.endCopying(through: WALState.threshold)
        log.grow(to: WALState.threshold)
        #expect(log.next() == .copyBeside)
    }

    @Test("what is committed while the log is copied stays, and the log does not outlive the store")
    func copied() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            let configuration = SQLiteStoreConfiguration(path: path)
            // A batch takes some 85 pages.
            let plans = try (0..<120).map { number in
                try StoreFixtures.plan(targets: 10_000, now: StoreFixtures.now.addingTimeInterval(Double(number)))
            }
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                try await store.addSampleApp()
                for plan in plans { try await store.accept(plan) }
                // Until then SQLite keeps almost all of it in the log.
                try await waitUntil {
                    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                    return (size ?? 0) / 4096 > WALState.threshold / 2
                }
            }
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                let claimed = try await store.claim(limit: 1000, now: StoreFixtures.now.addingTimeInterval(100))
                #expect(claimed.map(\.batch.id) == plans.map { $0.batches[0].id })
                // Not the values themselves, which the message of a failure would print.
                let isSame = claimed.map(\.batch) == plans.map { $0.batches[0] }
                #expect(isSame)
            }
        }
    }
}

/// When a change of a group fails.
private enum Failure: CaseIterable {
    case beforeChange
    case afterChange
    case ofTransaction

    /// How often each change of the group runs: again with savepoints, and at last alone.
    var runs: [Int] {
        switch self {
        case .beforeChange: [1, 1, 1]
        case .afterChange: [2, 2, 1]
        case .ofTransaction: [3, 3, 1]
        }
    }
}
