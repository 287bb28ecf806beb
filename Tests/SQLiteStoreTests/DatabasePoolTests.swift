// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Dispatch
import Foundation
import SQLite
import Synchronization
import Testing

@Suite("A pool of connections to SQLite", .timeLimit(.minutes(20)))
struct DatabasePoolTests {
    private static let count = "SELECT count(*) FROM t"
    private static let endless =
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

    private func withPool(readers: Int = 2, _ body: (DatabasePool, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            var configuration = DatabaseConfiguration()
            configuration.maximumReaderCount = readers
            let path = directory.appendingPathComponent("a.sqlite").path
            let pool = try DatabasePool(path: path, configuration: configuration)
            try await pool.writer.perform { try $0.execute("CREATE TABLE t (number INTEGER)") }
            try await body(pool, path)
            pool.close()
        }
    }

    @Test("a read sees one state of the database while the writer commits, and the next read sees the commit")
    func snapshots() async throws {
        try await self.withPool { pool, _ in
            let counts = try await pool.read { database in
                let before = try database.value(Self.count)
                try pool.writer.performAndWait { _ = try $0.run("INSERT INTO t VALUES (1)") }
                return [before, try database.value(Self.count)]
            }
            #expect(counts == [.integer(0), .integer(0)])
            let count = try await pool.read { try $0.value(Self.count) }
            #expect(count == .integer(1))
        }
    }

    @Test("a connection for reading changes nothing")
    func readOnly() async throws {
        try await self.withPool { pool, _ in
            let error = await #expect(throws: DatabaseError.self) {
                try await pool.read { try $0.run("INSERT INTO t VALUES (1)") }
            }
            #expect(error?.resultCode == .readOnly)
        }
    }

    @Test("more reads than connections wait for their turn")
    func waiting() async throws {
        try await self.withPool(readers: 1) { pool, _ in
            let numbers = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for number in 0..<50 {
                    group.addTask { try await pool.read { try $0.value("SELECT ?", [number])?.integer } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(numbers) == Set(0..<50))
        }
    }

    @Test("scans use half of the connections, so other reads find one; those that wait follow")
    func scans() async throws {
        try await self.withPool(readers: 4) { pool, _ in
            let isHeld = DispatchSemaphore(value: 0)
            let (beginnings, began) = AsyncStream.makeStream(of: Int.self)
            let (endings, ended) = AsyncStream.makeStream(of: Int.self)
            for number in 0..<8 {
                pool.enqueueRead(isScan: true) { _ in
                    began.yield(number)
                    isHeld.wait()
                    ended.yield(number)
                }
            }
            // Also if the test fails: closing the pool waits for them.
            defer { for _ in 0..<8 { isHeld.signal() } }
            var running: [Int] = []
            for await number in beginnings.prefix(2) { running.append(number) }
            #expect(Set(running) == [0, 1])
            for number in 0..<20 {
                #expect(try await pool.read { try $0.value("SELECT ?", [number])?.integer } == Int64(number))
            }
            for _ in 0..<8 { isHeld.signal() }
            var all: Set<Int> = []
            for await number in endings.prefix(8) { all.insert(number) }
            #expect(all == Set(0..<8))
        }
    }

    @Test("a read that takes longer than its timeout is interrupted, and its connection serves the next one")
    func timeout() async throws {
        try await self.withPool(readers: 1) { pool, _ in
            let error = await #expect(throws: DatabaseError.self) {
                try await pool.read(isScan: true, timeout: .milliseconds(20)) { try $0.value(Self.endless) }
            }
            #expect(error?.resultCode == .interrupt)
            #expect(try await pool.read { try $0.value("SELECT 1") } == .integer(1))
        }
    }

    @Test("cancelling the task interrupts its statement, and the connection serves the next read")
    func cancellation() async throws {
        try await self.withPool(readers: 1) { pool, _ in
            let (beginning, began) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await pool.read { database in
                    began.finish()
                    return try database.value(Self.endless)
                }
            }
            for await _ in beginning {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let next = try await pool.read { try $0.value("SELECT 1") }
            #expect(next == .integer(1))
        }
    }

    @Test("closing waits for reads that have begun, and later calls fail with the code misuse")
    func close() async throws {
        try await self.withPool(readers: 1) { pool, path in
            let (beginning, began) = AsyncStream.makeStream(of: Void.self)
            let isHeld = DispatchSemaphore(value: 0)
            async let first = pool.read { database in
                began.finish()
                isHeld.wait()
                return try database.value(Self.count)
            }
            for await _ in beginning {}
            let (ending, ended) = AsyncStream.makeStream(of: Void.self)
            let hasEnded = Atomic(false)
            DispatchQueue.global().async {
                pool.close()
                hasEnded.store(true, ordering: .relaxed)
                ended.finish()
            }
            try await waitUntil { pool.isClosed }
            let isEarly = hasEnded.load(ordering: .relaxed)
            #expect(!isEarly)
            isHeld.signal()
            let seen = try await first
            #expect(seen == .integer(0))
            for await _ in ending {}
            let read = await #expect(throws: DatabaseError.self) { try await pool.read { try $0.value("SELECT 1") } }
            #expect(read?.resultCode == .misuse)
            let write = await #expect(throws: DatabaseError.self) {
                try await pool.writer.perform { try $0.value("SELECT 1") }
            }
            #expect(write?.resultCode == .misuse)
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }
}
