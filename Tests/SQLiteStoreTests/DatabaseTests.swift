// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushStore
import SQLite
import Testing

@testable import SQLiteStore

@Suite("A connection to SQLite", .timeLimit(.minutes(20)))
struct DatabaseTests {
    private struct Failure: Error {}

    private func withQueue(_ body: (DatabaseQueue, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("a.sqlite").path
            let queue = DatabaseQueue(path: path)
            try await queue.perform { try $0.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, value)") }
            try await body(queue, path)
            queue.close()
        }
    }

    // MARK: Values

    @Test(
        "values are read as they were bound",
        arguments: [
            DatabaseValue.null, .integer(.min), .integer(0), .integer(.max), .real(0.1), .text(""), .text("a\0b"),
            .text("Füße 🐦"), .text(String(repeating: "ü", count: 5000)), .blob([]), .blob([0, 0xFF]),
            .blob(Array(repeating: 7, count: 100_000)),
        ]
    )
    func values(value: DatabaseValue) async throws {
        try await self.withQueue { queue, _ in
            let found = try await queue.perform { database in
                // More than one, so that a long value is bound before another one.
                try database.run("INSERT INTO t (number, value) VALUES (?2, ?1)", [Argument(value), 3])
                return try database.row("SELECT value, ? AS bound, ? AS number FROM t", [Argument(value), 4])
            }
            #expect(found?["value"] == value)
            #expect(found?["bound"] == value)
            #expect(found?["number"] == .integer(4))
        }
    }

    @Test("text that is not UTF-8 is repaired, and values of another type are corrupt")
    func corruptValues() async throws {
        try await self.withQueue { queue, _ in
            let row = try #require(
                try await queue.perform { database in
                    try database.row(
                        "SELECT CAST(x'41FF42' AS TEXT) AS text, 1.5 AS real, 'x' AS word, NULL AS empty"
                    )
                }
            )
            #expect(try row.text("text") == "A\u{FFFD}B")
            #expect(try row.integer("empty") == nil)
            #expect(row["missing"] == nil)
            #expect(throws: StoreError.self) { try row.integer("real") }
            #expect(throws: StoreError.self) { try row.integer("word") }
            #expect(throws: StoreError.self) { try row.bytes("word") }
            #expect(throws: StoreError.self) { try row.text("real") }
            #expect(throws: StoreError.self) { try StoredRow(row).int64("empty") }
            #expect(throws: StoreError.self) { try row.text("missing") }
        }
    }

    // MARK: Statements

    @Test("a failure has the extended result code and the message of SQLite")
    func failures() async throws {
        try await self.withQueue { queue, _ in
            try await queue.perform { database in
                try database.execute("CREATE TABLE child (parent INTEGER REFERENCES t (number), name TEXT UNIQUE)")
                try database.run("INSERT INTO t VALUES (1, NULL)")
                try database.run("INSERT INTO child VALUES (1, 'a')")
                func failure(_ sql: String, _ arguments: StatementArguments = []) -> DatabaseError? {
                    #expect(throws: DatabaseError.self) { try database.run(sql, arguments) }
                }
                let unique = failure("INSERT INTO child VALUES (1, ?)", ["a"])
                #expect(unique?.extendedResultCode == .constraintUnique)
                #expect(unique?.resultCode == .constraint)
                #expect(unique?.message == "UNIQUE constraint failed: child.name")
                #expect(failure("INSERT INTO t VALUES (1, NULL)")?.extendedResultCode == .constraintPrimaryKey)
                #expect(failure("INSERT INTO child VALUES (2, 'b')")?.extendedResultCode == .constraintForeignKey)
                #expect(failure("SELECT absent")?.message == "no such column: absent")
                #expect(failure("SELECT ?")?.resultCode == .misuse)
                #expect(failure("SELECT 1", [1])?.resultCode == .misuse)
                #expect(failure("SELECT 1; SELECT 2")?.resultCode == .misuse)
                #expect(failure("-- nothing")?.resultCode == .misuse)
            }
        }
    }

    @Test("the number of prepared statements is limited")
    func cache() async throws {
        try await self.withQueue { queue, _ in
            try await queue.perform { database in
                for number in 0...Database.maximumStatements {
                    let found = try database.value("SELECT \(number)")
                    #expect(found == .integer(Int64(number)))
                }
                #expect(database.statementCount <= Database.maximumStatements)
                let found = try database.value("SELECT 0")
                #expect(found == .integer(0))
            }
        }
    }

    @Test("a statement is found by its number, and prepared once more while its rows are read")
    func numbered() async throws {
        try await self.withQueue { queue, _ in
            try await queue.perform { database in
                try database.run("INSERT INTO t VALUES (1, NULL)")
                let sql = "SELECT number FROM t"
                let statement = try database.cachedStatement(sql, number: 7)
                let again = try database.cachedStatement(sql, number: 7)
                #expect(again === statement)
                try statement.each { _ in
                    let other = try database.cachedStatement(sql, number: 7)
                    #expect(other !== statement)
                }
            }
        }
    }

    @Test("a statement can be executed while its rows are read")
    func nested() async throws {
        try await self.withQueue { queue, _ in
            let seen = try await queue.perform { database in
                for number in 1...3 { try database.run("INSERT INTO t VALUES (?, NULL)", [number]) }
                var seen: [Int64] = []
                let sql = "SELECT number FROM t ORDER BY number"
                try database.cachedStatement(sql).each { outer in
                    try database.cachedStatement(sql).each { inner in
                        seen.append(try StoredRow(outer).int64("number") * 10 + StoredRow(inner).int64("number"))
                    }
                }
                return seen
            }
            #expect(seen == [11, 12, 13, 21, 22, 23, 31, 32, 33])
        }
    }

    @Test("columns are found by their names in any order; of equal names, the first one")
    func columns() async throws {
        try await self.withQueue { queue, _ in
            try await queue.perform { database in
                let sql = "SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS c UNION ALL SELECT 5, 6, 7, 8"
                var found: [[Int64?]] = []
                try database.cachedStatement(sql).each { row in
                    found.append(try ["a", "a", "c", "b", "a"].map { try row.integer($0) })
                    #expect(row["d"] == nil)
                }
                #expect(found == [[1, 1, 4, 2, 1], [5, 5, 8, 6, 5]])
                let copies = try database.rows(sql).map { row in try ["c", "b", "a"].map { try row.integer($0) } }
                #expect(copies == [[4, 2, 1], [8, 6, 5]])
            }
        }
    }

    @Test("a prepared statement has the columns of a changed schema")
    func schemaChange() async throws {
        try await self.withQueue { queue, _ in
            let row = try await queue.perform { database in
                try database.execute("CREATE TABLE u (a, b); INSERT INTO u VALUES (1, 2)")
                let row = try database.row("SELECT * FROM u")
                #expect(row?["b"] == .integer(2))
                try database.execute("ALTER TABLE u DROP COLUMN a; ALTER TABLE u ADD COLUMN c DEFAULT 3")
                return try database.row("SELECT * FROM u")
            }
            #expect(row?["a"] == nil)
            #expect(row?["b"] == .integer(2))
            #expect(row?["c"] == .integer(3))
        }
    }

    // MARK: Transactions

    @Test("a transaction that throws is rolled back, and so is a savepoint, without the transaction around it")
    func rollback() async throws {
        try await self.withQueue { queue, _ in
            let (isOpen, numbers) = try await queue.perform { database in
                func insert(_ number: Int) throws { try database.run("INSERT INTO t VALUES (?, NULL)", [number]) }
                func insertAndFail(_ number: Int) throws {
                    try insert(number)
                    throw Failure()
                }
                var isOpen: [Bool] = []
                func note(_ result: Result<Void, any Error>) {
                    isOpen.append(database.isInsideTransaction)
                    if case .success = result { Issue.record("the failure is lost") }
                }
                note(Result { try database.inTransaction(.immediate) { try insertAndFail(1) } })
                try database.inTransaction(.immediate) {
                    try insert(2)
                    note(Result { try database.inSavepoint { try insertAndFail(3) } })
                    try database.inSavepoint { try insert(4) }
                }
                let numbers = try database.rows("SELECT number FROM t ORDER BY number").map { try $0.integer("number") }
                return (isOpen, numbers)
            }
            #expect(isOpen == [false, true])
            #expect(numbers == [2, 4])
        }
    }

    @Test("a statement waits for a lock as long as configured, and then fails with the code busy")
    func busyTimeout() async throws {
        try await self.withQueue { holder, path in
            var configuration = DatabaseConfiguration()
            configuration.busyTimeout = .milliseconds(200)
            let queue = DatabaseQueue(path: path, configuration: configuration)
            try await holder.perform { try $0.execute("BEGIN IMMEDIATE") }
            let start = ContinuousClock.now
            let error = await #expect(throws: DatabaseError.self) {
                try await queue.perform { try $0.run("INSERT INTO t VALUES (1, NULL)") }
            }
            #expect(error?.resultCode == .busy)
            #expect(ContinuousClock.now - start >= .milliseconds(150))
            try await holder.perform { try $0.execute("ROLLBACK") }
            #expect(try await queue.perform { try $0.run("INSERT INTO t VALUES (1, NULL)") } == 1)
        }
    }
}

/// Binds a value of any type.
private struct Argument: StatementArgument {
    let databaseValue: DatabaseValue

    init(_ value: DatabaseValue) {
        self.databaseValue = value
    }
}
