// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushStore
import SQLiteStore

/// A directory that is removed after the body, whatever happens.
func withTemporaryDirectory<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (URL) async throws -> Value
) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("apus-store-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

/// An empty store in a temporary directory.
func withTemporaryStore<Value>(
    isolation: isolated (any Actor)? = #isolation,
    maximumBytes: Int64? = nil,
    _ body: (SQLiteStore, String) async throws -> Value
) async throws -> Value {
    try await withTemporaryDirectory { directory in
        let path = directory.appendingPathComponent("store.sqlite").path
        // No test cuts the power.
        var configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
        configuration.busyTimeout = .milliseconds(50)
        configuration.maximumBytes = maximumBytes
        return try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
            try await body(store, path)
        }
    }
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }) }
}

extension CorruptRowLog {
    /// A log that keeps nothing.
    static var silent: CorruptRowLog { CorruptRowLog(.silent, metrics: NOOPMetricsHandler.instance) }
}
