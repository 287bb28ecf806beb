// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import Dispatch

/// A connection for a few statements, by libpq and not by the store that is tested.
///
/// It keeps its transaction open from call to call, which is what an intruder does.
public final class SQLSession: Sendable {
    // Touched only on the queue.
    private nonisolated(unsafe) let handle: OpaquePointer?
    private let queue = DispatchQueue(label: "apus.test.sql")

    /// Connects.
    ///
    /// - Parameter url: the database.
    public init(url: String) {
        self.handle = PQconnectdb(url)
        PQsetNoticeProcessor(self.handle, { _, _ in }, nil)
    }

    deinit {
        PQfinish(self.handle)
    }

    /// Runs statements.
    ///
    /// - Parameter sql: statements with a semicolon between them.
    /// - Returns: the first column of the rows of the last one, as text.
    /// - Throws: ``TestPostgresError`` with what the server says.
    @discardableResult
    public func execute(_ sql: String) async throws -> [String] {
        try await withCheckedThrowingContinuation { continuation in
            self.queue.async { continuation.resume(with: Result { try self.run(sql) }) }
        }
    }

    /// Runs statements on a connection of their own; see ``execute(_:)``.
    ///
    /// - Parameters:
    ///   - sql: statements with a semicolon between them.
    ///   - url: the database.
    /// - Returns: the first column of the rows of the last one, as text.
    /// - Throws: ``TestPostgresError`` with what the server says.
    @discardableResult
    public static func execute(_ sql: String, at url: String) async throws -> [String] {
        try await SQLSession(url: url).execute(sql)
    }

    private func run(_ sql: String) throws -> [String] {
        let result = PQexec(self.handle, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw TestPostgresError(message: "\(sql): \(String(cString: PQerrorMessage(self.handle)))")
        }
        guard PQnfields(result) > 0 else { return [] }
        return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
    }
}
