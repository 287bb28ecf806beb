// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PostgresStore
import PushModel
import PushStore
import SQLStore
import SQLite
import SQLiteStore
import StoreTesting
import Testing

/// A database in which tests look for tokens and contents, and stores that are opened on it one after the other.
struct SealedStage: Sendable {
    private enum Place {
        case file(String)
        case database(TestPostgresDatabase)
    }

    private let place: Place

    /// A key of its own.
    let key: DataKey

    private init(_ place: Place) throws {
        self.place = place
        self.key = try #require(DataKey(bytes: DataKey.generate()))
    }

    /// Makes an empty database, hands it to `body`, and removes it.
    static func with(_ kind: TestStoreBackend, _ body: (SealedStage) async throws -> Void) async throws {
        switch kind {
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("apus-sealed-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            try await body(SealedStage(.file(directory.appendingPathComponent("store.sqlite").path)))
        case .postgres:
            try await TestPostgresDatabase.withStoreDatabase { try await body(SealedStage(.database($0))) }
        }
    }

    /// Opens the store; with a key, as a sealed one.
    func withStore(key: DataKey? = nil, _ body: (any PushStore & SQLBacked) async throws -> Void) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        func use(_ store: any PushStore & SQLBacked) async throws {
            if let key {
                // No test opens it with a master key.
                _ = try await store.addDataKey([1], ifEmpty: false)
                store.use(key)
            }
            try await body(store)
        }
        switch self.place {
        case .file(let path):
            // No test cuts the power.
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
            try await withSQLiteStore(configuration: configuration, logger: logger) { try await use($0) }
        case .database(let database):
            let configuration = PostgresStoreConfiguration.inTest(database.url)
            try await withPostgresStore(configuration: configuration, logger: logger) { try await use($0) }
        }
    }

    /// Executes SQL beside the stores; `@table` stands for a table.
    func execute(_ sql: String) async throws {
        switch self.place {
        case .file(let path):
            let own = sql.replacing("@", with: "")
            try await DatabaseQueue(path: path).perform { try $0.execute(own) }
        case .database(let database): try await database.execute(sql.replacing("@", with: "apus."))
        }
    }

    /// Those of the texts and bytes that the files of SQLite have, or the rows of PostgreSQL.
    func found(_ values: [[UInt8]]) async throws -> [[UInt8]] {
        switch self.place {
        case .file(let path):
            let files = try [path, "\(path)-wal"].filter { FileManager.default.fileExists(atPath: $0) }
                .map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
            return values.filter { value in files.contains { $0.range(of: Data(value)) != nil } }
        case .database(let database):
            let tables = try await database.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'apus' ORDER BY table_name"
            )
            var rows: [String] = []
            for table in tables { rows += try await database.execute("SELECT t::text FROM apus.\(table) AS t") }
            return values.filter { value in
                let hex = value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                // A row as text repeats each quotation mark.
                let text = String(decoding: value, as: UTF8.self).replacing("\"", with: "\"\"")
                return rows.contains { $0.contains(hex) || $0.contains(text) }
            }
        }
    }
}
