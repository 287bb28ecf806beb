// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import Logging
import PostgresStore
public import PushStore
public import SQLStore
import SQLiteStore

/// The stores on which tests run of what lies above them.
public enum TestStoreBackend: String, Sendable, CaseIterable {
    /// A file in a directory of the test's, whose transactions fail where PostgreSQL's do.
    case sqlite

    /// A database of its own on the tests' server.
    case postgres

    /// The one that `APUS_TEST_STORE` names, for tests that are made longer; all of them unless given.
    public static var chosen: [TestStoreBackend] {
        guard let name = ProcessInfo.processInfo.environment["APUS_TEST_STORE"] else { return self.allCases }
        guard let store = TestStoreBackend(rawValue: name) else {
            preconditionFailure("APUS_TEST_STORE is \(self.allCases.map(\.rawValue)); got \(name).")
        }
        return [store]
    }

    /// Makes an empty store, hands it to `body`, and clears it away.
    ///
    /// - Parameters:
    ///   - directory: where a file is kept; it exists.
    ///   - isolation: where the body runs; the caller's by default.
    ///   - body: what to do with the store.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` or the store throws, or ``TestPostgresError``.
    public func withStore<Value>(
        in directory: URL,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (any PushStore & SQLBacked) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "test.store") { _ in SwiftLogNoOpLogHandler() }
        switch self {
        case .sqlite:
            let path = directory.appendingPathComponent("store.sqlite").path
            // No test cuts the power.
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
            return try await withSQLiteStore(configuration: configuration, logger: logger) {
                try await body(ProbedStore($0, .strict))
            }
        case .postgres:
            return try await TestPostgresDatabase.withStoreDatabase { database in
                let configuration = PostgresStoreConfiguration.inTest(database.url)
                return try await withPostgresStore(configuration: configuration, logger: logger) {
                    try await body($0)
                }
            }
        }
    }
}
