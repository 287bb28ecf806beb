// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Dispatch
import Foundation
import GRDB
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
            let count: @Sendable (Database) throws -> Int = { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM t") ?? -1
            }
            async let first = queue.run { database in
                // The transaction sees one state from here on.
                let before = try count(database)
                began.finish()
                isHeld.wait()
                return (before, try count(database))
            }
            for await _ in beginning {}
            try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
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
                            return try Int.fetchOne(database, sql: "SELECT \(number)")
                        }
                        return answer == (number % 2 == 1 ? nil : number)
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
                            _ = try await queue.run { try Int.fetchOne($0, sql: "SELECT 1") }
                        }
                    }
                }
                for _ in 0..<10 {
                    let other = try await pool.read { try Int.fetchOne($0, sql: "SELECT 2") }
                    #expect(other == 2)
                }
                group.cancelAll()
            }
        }
    }

    @Test("are refused once the database is closed")
    func closed() async throws {
        try await self.withQueue { pool, queue in
            try pool.close()
            await #expect(throws: DatabaseError.self) { try await queue.run { _ in } }
            await #expect(throws: DatabaseError.self) { try await queue.run { _ in } }
        }
    }

    private func withQueue(
        readers: Int = 5,
        _ body: (DatabasePool, LookUpQueue) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = Configuration()
            configuration.maximumReaderCount = readers
            let path = directory.appendingPathComponent("a.sqlite").path
            let pool = try DatabasePool(path: path, configuration: configuration)
            try await pool.write { try $0.execute(sql: "CREATE TABLE t (number INTEGER)") }
            try await body(pool, LookUpQueue(pool: pool))
            try pool.close()
        }
    }
}
