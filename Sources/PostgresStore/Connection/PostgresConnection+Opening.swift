// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

        /// How long connecting may take with each host.
        let connectTimeout: Duration

        /// Told when the clocks disagree.
        let logger: Logger

        /// This machine's time, with which the server's is compared.
        var now: @Sendable () -> Date = { Date() }
    }

    /// Connects, and prepares the connection for the store.
    ///
    /// Blocks its thread, which is made for that: libpq tries one host after the other, each for its time.
    /// - Throws: ``PostgresFailure``.
    static func open(_ parameters: ConnectionParameters, session: Session) throws -> PostgresConnection {
        let handle = try self.connect(parameters.limiting(session.connectTimeout))
        let deadline = ContinuousClock.now + session.connectTimeout
        let connection = PostgresConnection(handle, parameters: parameters, deadline: deadline)
        guard PQstatus(handle) == CONNECTION_OK else { throw connection.breaking() }
        // libpq would print notices to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw connection.breaking() }
        let before = session.now()
        // A process that is stopped within a transaction must not keep its locks for ever.
        let row = try connection.row(
            """
            SELECT set_config('search_path', $1, false), set_config('statement_timeout', $2, false),
                set_config('lock_timeout', $3, false),
                set_config('idle_in_transaction_session_timeout', $4, false),
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time
            """,
            [
                .text("\"\(session.schema)\""), .text(session.statementTimeout.inMilliseconds),
                .text(session.lockTimeout.inMilliseconds), .text(session.statementTimeout.inMilliseconds),
            ]
        )
        if let time = try row?.date("time") {
            try self.check(ClockSkew(server: time, before: before, after: session.now()), logger: session.logger)
        }
        return connection
    }

    private static func check(_ skew: ClockSkew, logger: Logger) throws {
        switch skew.verdict {
        case .sound: break
        case .worthAWarning: logger.warning("The clocks disagree", metadata: ["error": "\(skew.message)"])
        case .tooLarge: throw PostgresFailure(kind: .connection, message: skew.message)
        }
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
        guard let handle = PQconnectdbParams(list(values.map(\.key)), list(values.map(\.value)), 0) else {
            throw PostgresFailure(kind: .connection, message: "there is no memory for a connection")
        }
        return handle
    }
}

extension Duration {
    fileprivate var inMilliseconds: String { "\(max(1, Int64(self / .milliseconds(1))))ms" }
}
