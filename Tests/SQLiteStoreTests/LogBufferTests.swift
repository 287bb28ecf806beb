// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import SQLite
import Testing

@testable import SQLiteStore

@Suite("The buffer of the write-ahead log", .timeLimit(.minutes(20)))
struct LogBufferTests {
    private struct Failure: Error {}

    /// Opens a connection with a cache of ten pages, so that a larger transaction writes to the log before its commit.
    private func withWriter(_ body: (DatabaseQueue, String, DiskRecording) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let recording = RecordingFileSystem.record(directory)
            let path = directory.appendingPathComponent("a.sqlite").path
            let writer = DatabaseQueue(path: path)
            try await writer.perform { database in
                _ = try database.value("PRAGMA journal_mode = WAL")
                try database.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0")
                try database.bufferLogWrites()
                try database.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, bytes BLOB)")
            }
            try await body(writer, path, recording)
            writer.close()
        }
    }

    private static func insert(_ count: Int, into database: Database) throws {
        for _ in 0..<count { try database.run("INSERT INTO t (bytes) VALUES (zeroblob(3500))") }
    }

    private static func expect(
        rows: Int,
        at path: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reader = DatabaseQueue(path: path)
        try await reader.perform { database in
            let found = try database.value("SELECT count(*) FROM t WHERE bytes = zeroblob(3500)")?.integer
            #expect(found == Int64(rows), sourceLocation: sourceLocation)
            #expect(try database.value("PRAGMA integrity_check")?.text == "ok", sourceLocation: sourceLocation)
        }
        reader.close()
    }

    @Test("a transaction writes many pages with one call")
    func fewWrites() async throws {
        try await self.withWriter { writer, path, recording in
            let before = recording.writes(to: "a.sqlite-wal")
            try await writer.perform { database in
                try database.inTransaction(.immediate) { try Self.insert(100, into: database) }
            }
            #expect((1...20).contains(recording.writes(to: "a.sqlite-wal") - before))
            try await Self.expect(rows: 100, at: path)
        }
    }

    @Test("a transaction reads its own pages, and rolls some of them back")
    func readsOwnWrites() async throws {
        try await self.withWriter { writer, path, _ in
            try await writer.perform { database in
                try database.inTransaction(.immediate) {
                    for _ in 0..<5 {
                        try Self.insert(30, into: database)
                        let rows = try database.value("SELECT count(*) FROM t WHERE bytes = zeroblob(3500)")?.integer
                        try? database.inSavepoint {
                            try Self.insert(30, into: database)
                            try database.run("UPDATE t SET bytes = zeroblob(3400)")
                            throw Failure()
                        }
                        #expect(try database.value("SELECT count(*) FROM t")?.integer == rows)
                    }
                }
            }
            try await Self.expect(rows: 150, at: path)
        }
    }

    @Test("a transaction that is rolled back does not overwrite the pages of the next one")
    func rollback() async throws {
        try await self.withWriter { writer, path, _ in
            let other = DatabaseQueue(path: path)
            for round in 1...5 {
                await #expect(throws: Failure.self) {
                    try await writer.perform { database in
                        try database.inTransaction(.immediate) {
                            try Self.insert(50 + round, into: database)
                            throw Failure()
                        }
                    }
                }
                try await other.perform { database in
                    try database.inTransaction(.immediate) { try Self.insert(100, into: database) }
                }
                try await writer.perform { try Self.insert(1, into: $0) }
                try await Self.expect(rows: round * 101, at: path)
            }
            other.close()
        }
    }

    @Test("a commit whose pages cannot be written fails, and they do not overwrite the pages of the next one")
    func fullDisk() async throws {
        try await self.withWriter { writer, path, recording in
            recording.refuseWrites(to: "a.sqlite-wal")
            await #expect(throws: DatabaseError.self) {
                try await writer.perform { try Self.insert(5, into: $0) }
            }
            recording.refuseWrites(to: nil)
            let other = DatabaseQueue(path: path)
            try await other.perform { database in
                try database.inTransaction(.immediate) { try Self.insert(10, into: database) }
            }
            other.close()
            try await writer.perform { try Self.insert(1, into: $0) }
            try await Self.expect(rows: 11, at: path)
        }
    }

    @Test("pages that could not be written when a statement read them are written before the commit")
    func fullDiskForAWhile() async throws {
        try await self.withWriter { writer, path, recording in
            try await writer.perform { database in
                try database.inTransaction(.immediate) {
                    try Self.insert(30, into: database)
                    recording.refuseWrites(to: "a.sqlite-wal")
                    // Reads pages that are in the buffer. SQLite rolls back this statement only.
                    #expect(throws: DatabaseError.self) {
                        try database.run("UPDATE t SET number = number + 1000, bytes = zeroblob(3499)")
                    }
                    try #require(database.isInsideTransaction)
                    recording.refuseWrites(to: nil)
                    try Self.insert(1, into: database)
                }
            }
            try await Self.expect(rows: 31, at: path)
        }
    }
}
