// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension PostgresConnection {
    /// What is set on every connection.
    struct Session: Sendable {
        /// The schema in which all names are looked up.
        let schema: String

        /// How long the server works on one statement.
        let statementTimeout: Duration

        /// How long a statement waits for a lock.
        let lockTimeout: Duration

        /// How long connecting may take.
        let connectTimeout: Duration
    }

    /// Connects, and prepares the connection for the store.
    ///
    /// - Throws: ``PostgresFailure``.
    static func open(_ parameters: ConnectionParameters, session: Session) throws -> PostgresConnection {
        let deadline = ContinuousClock.now + session.connectTimeout
        let handle = try self.connect(parameters)
        let connection = PostgresConnection(handle, parameters: parameters, deadline: deadline)
        try connection.finishConnecting()
        // libpq would print notices to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw connection.breaking() }
        // A process that is stopped within a transaction must not keep its locks for ever.
        _ = try connection.rows(
            """
            SELECT set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
                set_config('lock_timeout', $3, false),
                set_config('idle_in_transaction_session_timeout', $4, false)
            """,
            [
                .text("\"\(session.schema)\""), .text(session.statementTimeout.inMilliseconds),
                .text(session.lockTimeout.inMilliseconds), .text(session.statementTimeout.inMilliseconds),
            ]
        )
        return connection
    }

    private static func connect(_ parameters: ConnectionParameters) throws -> OpaquePointer {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        defer { for pointer in pointers { free(pointer) } }
        func list(_ texts: [String]) -> [UnsafePointer<CChar>?] {
            let copies = texts.map { strdup($0) }
            pointers += copies
            return copies.map { UnsafePointer($0) } + [nil]
        }
        let values = parameters.values.sorted { $0.key < $1.key }
        guard let handle = PQconnectStartParams(list(values.map(\.key)), list(values.map(\.value)), 0) else {
            throw PostgresFailure(kind: .connection, message: "there is no memory for a connection")
        }
        return handle
    }

    private func finishConnecting() throws {
        guard PQstatus(self.handle) != CONNECTION_BAD else { throw self.breaking() }
        // The first step is to wait until the socket can be written.
        try self.wait(for: SocketWait.writable)
        while true {
            switch PQconnectPoll(self.handle) {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: try self.wait(for: SocketWait.readable)
            case PGRES_POLLING_WRITING: try self.wait(for: SocketWait.writable)
            default: throw self.breaking()
            }
        }
    }
}

extension Duration {
    fileprivate var inMilliseconds: String { "\(max(1, Int64(self / .milliseconds(1))))ms" }
}
