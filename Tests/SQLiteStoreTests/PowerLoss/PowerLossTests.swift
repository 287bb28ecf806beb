// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite
import StoreTesting
import Testing

@testable import SQLiteStore

@Suite("SQLite after a power loss", .timeLimit(.minutes(20)))
struct PowerLossTests {
    private static let targets = 100

    /// A change that a call has acknowledged.
    private struct Acknowledgement {
        /// The length of the recording at that time.
        let length: Int
        let notification: NotificationID
        let delivered: Int
    }

    @Test(
        "the database is intact, and has all acknowledged changes if each commit is synced",
        arguments: SQLiteStoreConfiguration.Synchronous.allCases
    )
    func powerLoss(mode: SQLiteStoreConfiguration.Synchronous) async throws {
        let (recording, acknowledged) = try await Self.record(mode) { store, path, recording in
            (recording, try await Self.change(store, path: path, recording))
        }
        let (first, last) = (try #require(acknowledged.first), try #require(acknowledged.last))
        // After each acknowledgement, and at any instant.
        let instants = acknowledged.map(\.length) + (0..<20).map { _ in Int.random(in: first.length...last.length) }
        var lost = 0
        for instant in instants {
            let until = acknowledged.filter { $0.length <= instant }
            for keepsOthers in [false, true] {
                let files = recording.files(after: instant, keepsOthers: keepsOthers)
                lost += try await Self.lost(of: until, in: files)
            }
        }
        #expect((lost > 0) == (mode == .normal))
    }

    @Test("what is copied while others commit is on the disk before the last pages are copied")
    func copiedBeside() async throws {
        try await withTemporaryDirectory { directory in
            let recording = RecordingFileSystem.record(directory)
            let path = directory.appendingPathComponent("a.sqlite").path
            let pool = try DatabasePool(path: path)
            try await pool.writer.perform { try $0.execute("CREATE TABLE t (bytes BLOB)") }
            let checkpointer = try Checkpointer(of: pool, configuration: DatabaseConfiguration())
            let insertion = "INSERT INTO t VALUES (randomblob(4000))"
            try await pool.writer.perform { database in
                try database.inTransaction(.immediate) {
                    for _ in 0..<WALState.threshold { try database.run(insertion) }
                }
            }
            // The reader needs the log behind its state, so the last page cannot be copied.
            try await pool.read { reader in
                _ = try reader.value("SELECT count(*) FROM t")
                try pool.writer.performAndWait { database in
                    try database.run(insertion)
                    checkpointer.lookAround(database)
                }
                checkpointer.close()
            }
            let files = recording.files(after: recording.count, keepsOthers: false)
            #expect((files["a.sqlite"]?.count ?? 0) / 4096 >= WALState.threshold)
            pool.close()
        }
    }

    @Test(
        "the writes to the log are buffered only if each commit is synced",
        arguments: SQLiteStoreConfiguration.Synchronous.allCases
    )
    func buffered(mode: SQLiteStoreConfiguration.Synchronous) async throws {
        let writes = try await Self.record(mode) { store, _, recording in
            try await store.addSampleApp()
            let before = recording.writes(to: "a.sqlite-wal")
            try await store.accept(StoreFixtures.plan(targets: 1000, now: StoreFixtures.now))
            return recording.writes(to: "a.sqlite-wal") - before
        }
        // SQLite writes each page with two calls, and these targets take more than ten pages.
        #expect((writes < 10) == (mode == .full), "\(writes) writes")
    }

    /// Opens a store whose writes are recorded.
    private static func record<Value>(
        _ mode: SQLiteStoreConfiguration.Synchronous,
        _ body: (SQLiteStore, String, DiskRecording) async throws -> Value
    ) async throws -> Value {
        try await withTemporaryDirectory { directory in
            let recording = RecordingFileSystem.record(directory)
            let path = directory.appendingPathComponent("a.sqlite").path
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: mode)
            return try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                try await body(store, path, recording)
            }
        }
    }

    /// Stores and settles notifications; the write-ahead log is copied into the database now and then.
    private static func change(
        _ store: SQLiteStore,
        path: String,
        _ recording: DiskRecording
    ) async throws -> [Acknowledgement] {
        var acknowledged: [Acknowledgement] = []
        func acknowledge(_ notification: NotificationID, delivered: Int) {
            let length = recording.count
            acknowledged.append(Acknowledgement(length: length, notification: notification, delivered: delivered))
        }
        let intruder = try Intruder(path: path)
        try await store.addSampleApp()
        for number in 1...20 {
            let now = StoreFixtures.after(Double(number))
            let plan = try StoreFixtures.plan(targets: self.targets, now: now)
            try await store.accept(plan)
            acknowledge(plan.notification.id, delivered: 0)
            let claimed = try #require(try await store.claim(limit: 1000, now: now).first)
            _ = try await store.settle(Settlement(of: claimed, range: 0..<self.targets, failures: []), now: now)
            acknowledge(plan.notification.id, delivered: self.targets)
            if number.isMultiple(of: 6) { try await intruder.execute("PRAGMA wal_checkpoint") }
        }
        return acknowledged
    }

    /// Opens a database that a power loss left, and returns how many acknowledged changes it does not have.
    private static func lost(
        of acknowledged: [Acknowledgement],
        in files: [String: [UInt8]]
    ) async throws -> Int {
        try await withTemporaryDirectory { directory in
            for (name, bytes) in files { try Data(bytes).write(to: directory.appendingPathComponent(name)) }
            let configuration = SQLiteStoreConfiguration(path: directory.appendingPathComponent("a.sqlite").path)
            return try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                let problem = try await store.read { try $0.value("PRAGMA integrity_check")?.text }
                #expect(problem == "ok")
                var lost = 0
                for change in acknowledged {
                    let status = try await store.notification(change.notification)
                    if (status?.counts.delivered ?? -1) < change.delivered { lost += 1 }
                }
                return lost
            }
        }
    }
}
