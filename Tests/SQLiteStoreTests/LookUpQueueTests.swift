// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Dispatch
import Foundation
import PushStore
import SQLite
import Testing

@testable import SQLiteStore

@Suite("Short reads", .timeLimit(.minutes(20)))
struct LookUpQueueTests {
    private struct Failure: Error {}

    @Test("begin after the call, so they see what was durable by then, whether a connection is idle or not")
    func fresh() async throws {
        try await self.withQueue(readers: 2) { pool, queue in
            let count: @Sendable (Database) throws -> Int64? = { try $0.value("SELECT count(*) FROM t")?.integer }
            // They open the connections.
            for _ in 0..<3 { #expect(try await queue.run(count) == 0) }
            for number in 1...50 {
                try await pool.writer.perform { _ = try $0.run("INSERT INTO t VALUES (1)") }
                let counts = try await withThrowingTaskGroup(of: Int64?.self) { group in
                    for _ in 0..<4 { group.addTask { try await queue.run(count) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(counts == Array(repeating: Int64(number), count: 4))
            }
        }
    }

    @Test("run on the thread of the caller if a connection is open and idle")
    func caller() async throws {
        try await self.withQueue(readers: 1) { pool, _ in
            // Not open yet.
            #expect(pool.readIfIdle { _ in 1 } == nil)
            _ = try await pool.read { try $0.value("SELECT 1") }
            func runsHere() -> Bool? {
                let caller = pthread_self()
                return pool.readIfIdle { _ in pthread_equal(pthread_self(), caller) != 0 }
            }
            // The thread that executed the read may hold the connection for a moment longer.
            try await waitUntil { pool.readIfIdle { _ in 1 } == 1 }
            #expect(runsHere() == true)
        }
    }

    @Test("wait while all connections are in use, and then share a transaction")
    func share() async throws {
        try await self.withQueue(readers: 2) { pool, queue in
            let isHeld = DispatchSemaphore(value: 0)
            let (beginnings, began) = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<2 {
                pool.enqueueRead { _ in
                    began.yield()
                    isHeld.wait()
                }
            }
            // Also where the test fails: closing the pool waits for them.
            defer { for _ in 0..<2 { isHeld.signal() } }
            for await _ in beginnings.prefix(2) {}
            try await pool.writer.perform { try $0.execute("INSERT INTO t VALUES (1)") }
            let counts = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await queue.run { database in
                            let count = try database.value("SELECT count(*) FROM t")?.integer
                            // The transaction has begun, so the others do not see it.
                            try pool.writer.performAndWait { try $0.execute("INSERT INTO t VALUES (2)") }
                            return count
                        }
                    }
                }
                try await waitUntil { queue.waitingCount == 8 }
                isHeld.signal()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: 1, count: 8))
        }
    }

    @Test("are completed by a close that begins meanwhile, or fail")
    func closing() async throws {
        try await self.withQueue(readers: 2) { pool, queue in
            let results = await withTaskGroup(of: [Int64?].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var numbers: [Int64?] = []
                        while let number = try? await queue.run({ try $0.value("SELECT 7")?.integer }) {
                            numbers.append(number)
                            // A look-up that runs on this thread does not suspend the task.
                            await Task.yield()
                        }
                        return numbers
                    }
                }
                group.addTask {
                    _ = try? await queue.run { try $0.value("SELECT 7") }
                    pool.close()
                    return []
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(results.allSatisfy { $0 == 7 })
            let error = await #expect(throws: DatabaseError.self) { try await queue.run { try $0.value("SELECT 1") } }
            #expect(error?.resultCode == .misuse)
        }
    }

    @Test("fail alone")
    func fail() async throws {
        try await self.withQueue { _, queue in
            let results = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let answer = try? await queue.run { database in
                            if number % 2 == 1 { throw Failure() }
                            return try database.value("SELECT ?", [number])?.integer
                        }
                        return answer == (number % 2 == 1 ? nil : Int64(number))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results == Array(repeating: true, count: 16))
        }
    }

    @Test("give the connection to other reads now and then, however many of them come")
    func turns() async throws {
        try await self.withQueue(readers: 1) { pool, queue in
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Whenever one ends the next one waits already.
                for _ in 0..<4 {
                    group.addTask {
                        while !Task.isCancelled {
                            _ = try await queue.run { try $0.value("SELECT 1") }
                            await Task.yield()
                        }
                    }
                }
                for _ in 0..<10 {
                    let other = try await pool.read { try $0.value("SELECT 2")?.integer }
                    #expect(other == 2)
                }
                group.cancelAll()
            }
        }
    }

    @Test("are refused once the database is closed")
    func closed() async throws {
        try await self.withQueue { pool, queue in
            pool.close()
            await #expect(throws: DatabaseError.self) { try await queue.run { try $0.value("SELECT 1") } }
            await #expect(throws: DatabaseError.self) { try await queue.run { try $0.value("SELECT 1") } }
        }
    }

    private func withQueue(
        readers: Int = 5,
        _ body: (DatabasePool, ReadCoalescer) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = DatabaseConfiguration()
            configuration.maximumReaderCount = readers
            let path = directory.appendingPathComponent("a.sqlite").path
            let pool = try DatabasePool(path: path, configuration: configuration)
            try await pool.writer.perform { try $0.execute("CREATE TABLE t (number INTEGER)") }
            try await body(pool, ReadCoalescer(pool: pool, corruptRows: .silent))
            pool.close()
        }
    }
}
