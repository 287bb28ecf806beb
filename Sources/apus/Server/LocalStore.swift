// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import SQLiteStore

/// The store of this machine in a data directory.
enum LocalStore {
    /// Where the store of a data directory is.
    static func path(in directory: String) -> String { "\(directory)/apus.db" }

    /// Opens the store of a directory, hands it to `body` and closes it; makes directory and store when they are new.
    ///
    /// - Throws: ``CommandFailure`` with the store's code, and what `body` throws.
    static func open<Value: Sendable>(
        _ directory: String,
        logger: Logger = Logger(label: "apus.store"),
        _ body: (SQLiteStore) async throws -> Value
    ) async throws -> Value {
        try self.createDirectory(directory)
        let configuration = SQLiteStoreConfiguration(path: self.path(in: directory))
        do {
            return try await withSQLiteStore(configuration: configuration, logger: logger, body)
        } catch let error as StoreError {
            throw CommandFailure(
                "store_\(error.code.rawValue)",
                error.message.contains(configuration.path)
                    ? error.message : "\(configuration.path): \(error.message)",
                cause: error
            )
        }
    }

    /// Makes a data directory that only its owner may enter.
    static func createDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            let message =
                "The data directory \(path) cannot be made (\(error.localizedDescription)). Name another: --data DIR"
            throw CommandFailure("unwritable_directory", message, cause: error)
        }
    }
}
