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
        let logger: Logger
        var isReadOnly = false

        /// This machine's time, with which the server's is compared.
        var now: @Sendable () -> Date = { Date() }
    }

    /// Connects, and prepares the connection for the store.
    ///
    /// Blocks its thread, which is made for that: libpq tries one host after the other, each for its time.
    /// - Throws: ``PostgresFailure``.
    static func open(_ parameters: ConnectionParameters, session: Session) throws -> PostgresConnection {
        let handle = try self.connect(parameters.values, timeout: session.connectTimeout)
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
            let skew = ClockSkew(server: time, before: before, after: session.now())
            switch skew.verdict {
            case .sound: break
            case .worthAWarning: session.logger.warning("The clocks disagree", metadata: ["error": "\(skew.message)"])
            case .tooLarge: throw PostgresFailure(kind: .connection, message: skew.message)
            }
        }
        return connection
    }

    private static func connect(_ values: [String: String], timeout: Duration) throws -> OpaquePointer {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        defer { for pointer in pointers { free(pointer) } }
        func list(_ texts: [String]) -> [UnsafePointer<CChar>?] {
            let copies = texts.map { strdup($0) }
            pointers += copies
            return copies.map { UnsafePointer($0) } + [nil]
        }
        // libpq counts in whole seconds, and two are the least.
        let limit = ["connect_timeout": "\(max(2, (timeout.wholeMilliseconds + 999) / 1000))"]
        let values = limit.merging(values) { $1 }.sorted { $0.key < $1.key }
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
    let values: [String: String]

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
    static let readable = Int32(POLLIN)
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

    static func pause(milliseconds: Int) {
        _ = poll(nil, 0, Int32(clamping: milliseconds))
    }
}

/// How far the clock of this machine is from the server's.
///
/// Leases are times of whoever took them: a machine whose clock is fast takes batches from those who are sending them. All
/// machines are compared with the one clock that they share.
struct ClockSkew: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case sound
        case worthAWarning
        case tooLarge
    }

    /// From where on it is told of.
    static let noticed = 2.0

    /// From where on a connection is refused: leases are extended when a third of them has passed.
    static let refused = 10.0

    /// By how many seconds, at least, this machine is ahead of the server; less than 0 when it is behind.
    let seconds: Double

    /// Compares clocks: the server told its time between `before` and `after`, which are this machine's.
    init(server: Date, before: Date, after: Date) {
        if server < before {
            self.seconds = before.timeIntervalSince(server)
        } else {
            self.seconds = min(0, after.timeIntervalSince(server))
        }
    }

    var verdict: Verdict {
        switch self.seconds.magnitude {
        case ...Self.noticed: .sound
        case ...Self.refused: .worthAWarning
        default: .tooLarge
        }
    }

    var message: String {
        let size = (self.seconds.magnitude * 10).rounded() / 10
        return "the clock of this machine is \(size) seconds \(self.seconds < 0 ? "behind" : "ahead of") the server's, "
            // Cannot trap: it is a constant.
            + "and \(Int(Self.refused)) are the most with which leases hold; let NTP set both"
    }
}

extension PostgresConnection {
    /// How often two connections are compared; one comparison finds a pooler that has no other clients.
    private static let comparisons = 5

    /// Refuses a pooler that gives a connection another server connection for each transaction, such as PgBouncer with
    /// `pool_mode = transaction`.
    ///
    /// Prepared statements, `search_path` and `LISTEN` belong to a server connection, so one client would use those of
    /// another. A direct connection costs one round trip; `open` makes a second connection only behind a pooler.
    /// - Throws: `StoreError` `.invalid`, and what `open` throws.
    func refuseTransactionPooling(at place: String, open: () throws -> PostgresConnection) throws {
        let first = try self.serverProcess()
        // A pooler answers with a number of its own in place of the server's.
        guard first != Int64(PQbackendPID(self.handle)) else { return }
        let other = try open()
        for _ in 0..<Self.comparisons {
            // The transaction keeps its server connection, so this connection would have to take another one.
            try other.queueOnce("BEGIN")
            let isShared = try other.serverProcess() == first
            let isPooled = try isShared || self.serverProcess() != first
            try other.queueOnce("COMMIT")
            try other.receive()
            guard isPooled else { continue }
            throw StoreError(
                code: .invalid,
                message: "\(place) is a pooler that changes the server connection between transactions. Apus needs one "
                    + "server connection for each of its connections: set pool_mode = session (PgBouncer), or connect "
                    + "to PostgreSQL directly."
            )
        }
    }

    /// The number of the server process that carries out the current or next transaction.
    private func serverProcess() throws -> Int64 {
        let rows = try self.query("SELECT pg_backend_pid()::bigint AS process").rows
        guard let row = rows.first else { throw StoreError.damaged("process") }
        return try row.int64("process")
    }
}
