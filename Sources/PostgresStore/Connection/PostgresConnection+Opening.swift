// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import Foundation
import Logging
import PushModel
import PushStore
import SQLStore

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

        let statementTimeout: Duration

        let lockTimeout: Duration

        /// How long connecting may take with each host.
        let connectTimeout: Duration

        /// Told when the clocks disagree.
        let logger: Logger

        /// Whether transactions can only read.
        var isReadOnly = false

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
        // The server ends sessions whose client vanished. Otherwise each one keeps its locks and counts against
        // `max_connections` for two hours. Not every server that speaks the protocol has these settings.
        try connection.queueOnce(
            """
            SELECT set_config(name, v, false) FROM pg_settings JOIN (VALUES ('tcp_keepalives_idle', '10'),
                ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '25000')
            ) AS s (n, v) ON name = n
            """
        )
        let before = session.now()
        let schema = "\"\(session.schema)\""
        let timeout = session.statementTimeout.inMilliseconds
        let readOnly: SQL = session.isReadOnly ? "set_config('default_transaction_read_only', 'on', false)," : ""
        // A process that is stopped within a transaction must not keep its locks for ever.
        let result = try connection.query(
            """
            SELECT set_config('search_path', \(schema), false), set_config('statement_timeout', \(timeout), false),
                set_config('lock_timeout', \(session.lockTimeout.inMilliseconds), false),
                set_config('idle_in_transaction_session_timeout', \(timeout), false), \(readOnly)
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time
            """
        )
        if let time = try result.rows.first?.date("time") {
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
    /// As a setting of the server, which counts in 31 bits.
    var inMilliseconds: String { "\(min(max(1, self.wholeMilliseconds), Int64(Int32.max)))ms" }
}

/// Where a database is and how it is reached, taken from a connection string.
///
/// A connection string holds a password, and libpq repeats in its complaints what it could not read: neither gets into
/// a message.
struct ConnectionParameters: Sendable {
    /// libpq's keywords and their values.
    private(set) var values: [String: String]

    /// What is said where the string says nothing.
    ///
    /// A peer that vanished without a word is noticed within 25 seconds, and within 15 seconds if a statement is on its
    /// way. Of several hosts the one is taken that takes changes, which after a failover is not the same one.
    private static let defaults = [
        "fallback_application_name": "apus", "keepalives_idle": "10", "keepalives_interval": "5",
        "keepalives_count": "3", "tcp_user_timeout": "15000", "target_session_attrs": "read-write",
    ]

    /// Reads a connection string, either a URL or `keyword=value` pairs.
    ///
    /// - Throws: `StoreError` `.invalid` when it is neither; the error does not repeat it.
    init(_ text: String) throws {
        var complaint: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(text, &complaint)
        if let complaint { PQfreemem(complaint) }
        guard let options else {
            throw StoreError(
                code: .invalid,
                message: "The connection string (\(text.utf8.count) bytes) is not one of PostgreSQL's. It looks like "
                    + "postgres://user:password@host:5432/database; special characters are percent-encoded."
            )
        }
        defer { PQconninfoFree(options) }
        var values = Self.defaults
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        values["client_encoding"] = "UTF8"
        self.values = values
    }

    /// The same, giving each host so much time to be connected to, unless the string says how much.
    ///
    /// libpq counts in whole seconds, and two are the least.
    func limiting(_ time: Duration) -> ConnectionParameters {
        var limited = self
        if limited.values["connect_timeout"] == nil {
            limited.values["connect_timeout"] = "\(max(2, (time.wholeMilliseconds + 999) / 1000))"
        }
        return limited
    }

    /// The database for people: host, port and name, never the password.
    var place: String {
        let host = self.values["host"] ?? self.values["hostaddr"] ?? "localhost"
        let port = self.values["port"].map { ":\($0)" } ?? ""
        let name = self.values["dbname"] ?? self.values["user"] ?? ""
        return "PostgreSQL \(host)\(port)/\(name)"
    }

    /// A message of libpq's on one line, without the password should it stand there all the same.
    func redacting(_ message: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard let password = self.values["password"], !password.isEmpty else { return line }
        return line.replacing(password, with: "********")
    }
}

/// Blocks a thread until a socket is ready.
enum SocketWait {
    /// The event that there is something to read.
    static let readable = Int32(POLLIN)

    /// The event that there is room to write.
    static let writable = Int32(POLLOUT)

    /// Waits until one of the sockets is ready.
    ///
    /// Each socket stands with the events of `poll` that it has to be ready for.
    /// - Returns: whether one is ready; `false` when the deadline passed.
    /// - Throws: ``PostgresFailure`` when the sockets cannot be waited for.
    static func wait(for sockets: [(Int32, Int32)], until deadline: ContinuousClock.Instant) throws -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            var entries = sockets.map { pollfd(fd: $0.0, events: Int16($0.1), revents: 0) }
            // Cannot trap: the number is between 1 and 60,000.
            let milliseconds = Int32(min(left / .milliseconds(1) + 1, 60_000))
            let count = poll(&entries, nfds_t(entries.count), milliseconds)
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else {
                throw PostgresFailure(kind: .connection, message: "poll failed (errno \(errno))")
            }
        }
    }

    /// Blocks a thread for a while.
    static func pause(milliseconds: Int) {
        _ = poll(nil, 0, Int32(clamping: milliseconds))
    }
}
