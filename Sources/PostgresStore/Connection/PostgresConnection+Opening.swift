// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import Foundation
import Logging
import PushModel
import PushStore
import SQLStore

extension PostgresConnection {
    /// The database of a connection, and its settings.
    struct Session: Sendable {
        let parameters: ConnectionParameters
        let configuration: PostgresStoreConfiguration
        let logger: Logger
        let dataKeys = DataKeySlot()

        /// When the server ends a session whose client vanished: the seconds before it probes and between the probes,
        /// and how long data may stay unacknowledged.
        var keepalives = (idle: "10", interval: "5", timeout: "25000")

        /// This machine's time, with which the server's is compared.
        var now: @Sendable () -> Date = { Date() }

        /// - Throws: `StoreError` `.invalid` if the connection string cannot be read.
        init(_ configuration: PostgresStoreConfiguration, logger: Logger) throws {
            self.parameters = try ConnectionParameters(configuration.url)
            self.configuration = configuration
            self.logger = logger
        }
    }

    /// Connects, and prepares the connection for the store.
    ///
    /// Blocks its thread, which must be a separate one: libpq tries the hosts one after another, each with its timeout.
    /// - Throws: ``PostgresError``.
    static func open(_ session: Session) throws -> PostgresConnection {
        let (configuration, keepalives) = (session.configuration, session.keepalives)
        guard let handle = PQconnectdb(session.parameters.text(timeout: configuration.connectTimeout)) else {
            throw PostgresError(kind: .connection, message: "there is no memory for a connection")
        }
        let deadline = ContinuousClock.now + configuration.connectTimeout
        let connection = PostgresConnection(
            handle,
            parameters: session.parameters,
            dataKeys: session.dataKeys,
            deadline: deadline
        )
        guard PQstatus(handle) == CONNECTION_OK else { throw connection.breaking() }
        // libpq would print notices to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw connection.breaking() }
        // The server ends sessions whose client vanished. Otherwise each one keeps its locks and counts against
        // `max_connections` for two hours. Not every server that speaks the protocol has these settings.
        _ = try connection.query(
            """
            SELECT set_config(name, value, false) FROM pg_settings JOIN (VALUES
                ('tcp_keepalives_idle', \(keepalives.idle)), ('tcp_keepalives_interval', \(keepalives.interval)),
                ('tcp_keepalives_count', '3'), ('tcp_user_timeout', \(keepalives.timeout))
            ) AS wanted (parameter, value) ON name = parameter
            """
        )
        let before = session.now()
        let schema = "\"\(configuration.schema)\""
        let timeout = configuration.requestTimeout.inMilliseconds
        let readOnly: SQL = configuration.isReadOnly ? "set_config('default_transaction_read_only', 'on', false)," : ""
        // A process that is stopped within a transaction must not keep its locks for ever.
        let result = try connection.query(
            """
            SELECT set_config('search_path', \(schema), false), set_config('statement_timeout', \(timeout), false),
                set_config('lock_timeout', \(configuration.lockTimeout.inMilliseconds), false),
                set_config('idle_in_transaction_session_timeout', \(timeout), false), \(readOnly)
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time
            """
        )
        if let time = try result.rows.first?.date("time") {
            let skew = ClockSkew(server: time, before: before, after: session.now())
            switch skew.verdict {
            case .sound: break
            case .worthAWarning: session.logger.warning("The clocks differ", metadata: ["error": "\(skew.message)"])
            case .tooLarge: throw PostgresError(kind: .connection, message: skew.message)
            }
        }
        return connection
    }
}

extension Duration {
    /// As a setting of the server, which counts in 31 bits.
    var inMilliseconds: String { "\(min(max(1, self.wholeMilliseconds), Int64(Int32.max)))ms" }
}

/// The location of a database and its connection parameters, from a connection string.
///
/// A connection string has a password, and the error messages of libpq can repeat parts of it: neither gets into a
/// message.
struct ConnectionParameters: Sendable {
    /// libpq's keywords and their values.
    let values: [String: String]

    /// The defaults of parameters that the string does not have.
    ///
    /// A peer that disappears is detected within 25 seconds, and within 15 seconds if a statement is in flight. Of
    /// several hosts, the writable one is used, which changes after a failover.
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
            throw StoreError.invalid(
                "Invalid PostgreSQL connection string (\(text.utf8.count) bytes). Expected "
                    + "postgres://user:password@host:5432/database. Percent-encode special characters."
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

    /// A connection string with these values, which limits the time to connect unless they do so.
    func text(timeout: Duration) -> String {
        // libpq counts in whole seconds, and two are the least.
        let limit = ["connect_timeout": "\(max(2, (timeout.wholeMilliseconds + 999) / 1000))"]
        // An empty value means that there is none.
        let values = limit.merging(self.values) { $1 }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        return values.map { keyword, value in
            "\(keyword)='\(value.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#))'"
        }.joined(separator: " ")
    }

    /// The database for logs: host, port and name without password.
    var place: String {
        let host = self.values["host"] ?? self.values["hostaddr"] ?? "localhost"
        let port = self.values["port"].map { ":\($0)" } ?? ""
        let name = self.values["dbname"] ?? self.values["user"] ?? ""
        return "PostgreSQL \(host)\(port)/\(name)"
    }

    /// Returns a message of libpq on one line, without the password if it contains it.
    func redacting(_ message: String) -> String {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard let password = self.values["password"], !password.isEmpty else { return line }
        return line.replacing(password, with: "********")
    }
}

/// The difference between the clock of this machine and that of the database server.
///
/// Leases are times of the worker's clock: a machine with a fast clock claims batches whose leases have not expired.
/// All machines are compared with the clock that they share.
struct ClockSkew: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case sound
        case worthAWarning
        case tooLarge
    }

    /// The minimum difference that is logged.
    static let noticed = 2.0

    /// From where on a connection is refused: leases are extended when a third of them has passed.
    static let refused = 10.0

    /// The minimum number of seconds by which this machine's clock is ahead of the server's; negative if it is behind.
    let seconds: Double

    /// Compares the clocks: the server returned its time between `before` and `after` of this machine.
    init(server: Date, before: Date, after: Date) {
        self.seconds =
            server < before ? before.timeIntervalSince(server) : min(0, after.timeIntervalSince(server))
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

    /// Rejects a pooler that changes the server connection between transactions, such as PgBouncer with
    /// `pool_mode = transaction`.
    ///
    /// Prepared statements, `search_path` and `LISTEN` belong to a server connection, so a client would use those of
    /// another one. A direct connection costs one round trip; `open` opens a second connection only behind a pooler.
    /// - Throws: `StoreError` `.invalid`, and the errors of `open`.
    func refuseTransactionPooling(_ session: Session) throws {
        let first = try self.serverProcess()
        // A pooler returns its own number in place of the server's.
        guard first != Int64(PQbackendPID(self.handle)) else { return }
        let other = try Self.open(session)
        for _ in 0..<Self.comparisons {
            // The transaction keeps its server connection, so this connection would have to take another one.
            try other.queueOnce("BEGIN")
            let isShared = try other.serverProcess() == first
            let isPooled = try isShared || self.serverProcess() != first
            try other.queueOnce("COMMIT")
            try other.receive()
            guard isPooled else { continue }
            throw StoreError.invalid(
                "\(session.parameters.place) is a pooler that changes the server connection between transactions. "
                    + "Apus needs one server connection for each of its connections: set pool_mode = session "
                    + "(PgBouncer), or connect to PostgreSQL directly."
            )
        }
    }

    /// The number of the server process that carries out the current or next transaction.
    private func serverProcess() throws -> Int64? {
        try self.query("SELECT pg_backend_pid()::bigint AS process").rows.first?.int64("process")
    }
}
