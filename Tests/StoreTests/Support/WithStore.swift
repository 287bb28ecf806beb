// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PostgresStore
import PushModel
import PushStore
import SQLStore
import SQLite
import SQLiteStore
import StoreTesting
import Testing

/// Seals a store at rest if `APUS_TEST_SEALED` is 1: then all tests of stores run on sealed ones.
///
/// Tests that read tokens or contents in the database fail then.
private func sealIfChosen(_ store: any PushStore) async throws {
    guard ProcessInfo.processInfo.environment["APUS_TEST_SEALED"] == "1" else { return }
    let bytes = DataKey.generate()
    _ = try await store.addDataKey(bytes, ifEmpty: false)
    store.use(try #require(DataKey(bytes: bytes)))
}

/// Opens an empty store, hands it to `body`, and removes it.
func withStore(
    _ kind: TestStoreBackend,
    scanWindow: Int? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (any PushStore & SQLBacked) async throws -> Void
) async throws {
    try await withStoreAndDatabase(kind, scanWindow: scanWindow) { store, _ in try await body(store) }
}

/// Opens an empty store, and hands it to `body` with a function that runs SQL on the store's database beside the store.
///
/// In that SQL, `@table` stands for a table, `@BAD` for a byte that is no JSON, and `@GOOD` for an empty object.
///
/// - Parameters:
///   - scanWindow: the number of devices that one statement of an audience reads; the store's own if `nil`.
///   - logger: where the store logs.
///   - metrics: where the store counts.
func withStoreAndDatabase(
    _ kind: TestStoreBackend,
    scanWindow: Int? = nil,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    metrics: any MetricsFactory = NOOPMetricsHandler.instance,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (any PushStore & SQLBacked, @Sendable (String) async throws -> Void) async throws -> Void
) async throws {
    switch kind {
    case .sqlite:
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("apus-store-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("store.sqlite").path
        // No test cuts the power.
        var configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
        configuration.busyTimeout = .milliseconds(50)
        if let scanWindow { configuration.scanWindow = scanWindow }
        try await withSQLiteStore(configuration: configuration, logger: logger, metrics: metrics) { store in
            try await sealIfChosen(store)
            try await body(ProbedStore(store, .strict)) { sql in
                let own = sql.replacing("@BAD", with: "x'5b'").replacing("@GOOD", with: "x'7b7d'")
                    .replacing("@", with: "")
                try await DatabaseQueue(path: path).perform { try $0.execute(own) }
            }
        }
    case .postgres:
        try await TestPostgresDatabase.withStoreDatabase { database in
            var configuration = PostgresStoreConfiguration.inTest(database.url)
            if let scanWindow { configuration.scanWindow = scanWindow }
            try await withPostgresStore(configuration: configuration, logger: logger, metrics: metrics) { store in
                try await sealIfChosen(store)
                try await body(store) { sql in
                    let own = sql.replacing("@BAD", with: #"'\x5b'"#).replacing("@GOOD", with: #"'\x7b7d'"#)
                        .replacing("@", with: "apus.")
                    try await database.execute(own)
                }
            }
        }
    }
}
