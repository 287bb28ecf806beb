// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Foundation
import SQLite
import Testing

@testable import SQLiteStore

@Suite("Short reads that wait", .timeLimit(.minutes(5)))
struct LookUpQueueTests {
    private struct Failure: Error {}

    @Test("share the transaction behind the one under way, and see what was durable when they were asked for")
    func share() async throws {
        try await self.withQueue { pool, queue in
            let (beginning, began) = AsyncStream.makeStream(of: Void.self)
            let isHeld = DispatchSemaphore(value: 0)
            let count: @Sendable (Database) throws -> Int64? = { database in
                try database.value("SELECT count(*) FROM t")?.integer
            }
            async let first = queue.run { database in
                // The transaction sees one state from here on.
                let before = try count(database)
                began.finish()
                isHeld.wait()
                return (before, try count(database))
            }
            // Also where the test fails: the transaction waits for it.
            defer { isHeld.signal() }
            for await _ in beginning {}
            try await pool.writer.perform { try $0.execute("INSERT INTO t VALUES (1)") }
            let counts = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for _ in 0..<8 { group.addTask { try await queue.run(count) } }
                isHeld.signal()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: 1, count: 8))
            #expect(try await first == (0, 0))
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
        _ body: (DatabasePool, LookUpQueue) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = DatabaseConfiguration()
            configuration.maximumReaderCount = readers
            let path = directory.appendingPathComponent("a.sqlite").path
            let pool = try DatabasePool(path: path, configuration: configuration)
            try await pool.writer.perform { try $0.execute("CREATE TABLE t (number INTEGER)") }
            try await body(pool, LookUpQueue(pool: pool))
            pool.close()
        }
    }
}
