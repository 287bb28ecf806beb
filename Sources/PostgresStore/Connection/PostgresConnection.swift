// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import DequeModule
import PushStore
import SQLStore
import Synchronization

/// One connection in pipeline mode: statements are queued, and their results received together.
///
/// So a transaction takes one round trip for each result that it needs before it continues. Blocks its thread, up to
/// the deadline; a connection belongs to one thread at a time. See
/// <https://www.postgresql.org/docs/current/libpq-pipeline-mode.html>.
final class PostgresConnection {
    private enum Awaited {
        case preparation(sql: String)
        case reply(PendingQueryResult)
        case synchronization
    }

    /// Begins the names of prepared statements.
    ///
    /// A pooler may hand out a server connection whose statements another client has prepared. The random number never
    /// addresses one of these.
    private static let statementPrefix = "apus_\(String(UInt64.random(in: 0...UInt64.max), radix: 36))_"
    private static let statementCount = Atomic<UInt64>(0)

    let handle: OpaquePointer
    private let parameters: ConnectionParameters
    private let dataKeys: DataKeySlot

    private var statements: [String: String] = [:]
    private var awaited: Deque<Awaited> = []
    private var isInTransaction = false

    /// Whether nothing was queued since the last sync point; a failure does not affect statements after it.
    private var isSynchronized = true
    private(set) var isBroken = false

    /// The timeout of waiting for the server; afterwards the connection is broken, because a response is pending.
    var deadline: ContinuousClock.Instant

    init(
        _ handle: OpaquePointer,
        parameters: ConnectionParameters,
        dataKeys: DataKeySlot,
        deadline: ContinuousClock.Instant
    ) {
        self.handle = handle
        self.parameters = parameters
        self.dataKeys = dataKeys
        self.deadline = deadline
    }

    deinit { PQfinish(self.handle) }
}

// MARK: - Statements

extension PostgresConnection {
    /// Queues a statement; the response arrives when the connection receives.
    ///
    /// A statement's text is prepared once for each connection, so it holds no values.
    @discardableResult
    func queue(_ sql: String, _ values: [SQLValue] = []) throws -> PendingQueryResult {
        try self.queue(sql, parameters: values.map { .value($0) })
    }

    func queue(_ sql: String, parameters: [SQLParameter]) throws -> PendingQueryResult {
        let name = try self.prepare(sql, parameters)
        return try self.send(parameters) { pointers, lengths, formats in
            PQsendQueryPrepared(self.handle, name, Int32(parameters.count), pointers, lengths, formats, 1)
        }
    }

    /// Queues a statement that is hardly the same twice: the server plans it for these values, and keeps nothing of it.
    @discardableResult
    func queueOnce(_ sql: String, _ parameters: [SQLParameter] = []) throws -> PendingQueryResult {
        let types = parameters.map(\.type)
        return try self.send(parameters) { pointers, lengths, formats in
            PQsendQueryParams(self.handle, sql, Int32(parameters.count), types, pointers, lengths, formats, 1)
        }
    }

    private func send(
        _ parameters: [SQLParameter],
        _ call: (_ pointers: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Int32
    ) throws -> PendingQueryResult {
        let encoded = BinaryParameters(parameters, under: self.dataKeys.key)
        let sent = encoded.bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = encoded.places.map { place in place.flatMap { base?.advanced(by: $0.lowerBound) } }
            let lengths = encoded.places.map { Int32($0?.count ?? 0) }
            return call(pointers, lengths, [Int32](repeating: 1, count: parameters.count))
        }
        guard sent == 1 else { throw self.breaking() }
        let reply = PendingQueryResult()
        self.isSynchronized = false
        self.awaited.append(.reply(reply))
        return reply
    }

    func rows(text sql: String, _ values: [SQLValue] = []) throws -> [StoredRow] {
        let reply = try self.queue(sql, values)
        try self.receive()
        return reply.result?.rows ?? []
    }

    func row(text sql: String, _ values: [SQLValue] = []) throws -> StoredRow? {
        try self.rows(text: sql, values).first
    }

    private func prepare(_ sql: String, _ parameters: [SQLParameter]) throws -> String {
        if let name = self.statements[sql] { return name }
        let name = Self.statementPrefix + String(Self.statementCount.wrappingAdd(1, ordering: .relaxed).newValue)
        guard PQsendPrepare(self.handle, name, sql, Int32(parameters.count), parameters.map(\.type)) == 1 else {
            throw self.breaking()
        }
        self.statements[sql] = name
        self.awaited.append(.preparation(sql: sql))
        return name
    }
}

// MARK: - Transactions

extension PostgresConnection {
    /// Runs a body in a transaction, which is rolled back if the body throws.
    ///
    /// The body may commit, to read results that arrive with the commit. Statements that are still queued at its end
    /// are committed with the rest.
    /// - Throws: the error of the body, or ``PostgresError``.
    func transaction<Value>(
        _ begin: String = "BEGIN ISOLATION LEVEL READ COMMITTED",
        _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        do {
            self.isInTransaction = true
            try self.queue(begin)
            let value = try body(self)
            if self.isInTransaction { try self.commit() }
            return value
        } catch {
            self.rollBack()
            throw error
        }
    }

    /// Ends the transaction; when it returns, everything queued in it has been done, and durably.
    func commit() throws {
        let reply = try self.queue("COMMIT")
        do {
            try self.receive()
        } catch var failure as PostgresError where failure.leavesCommitUnknown {
            failure.isUncertain = true
            throw failure
        }
        self.isInTransaction = false
        guard reply.result?.command == "COMMIT" else {
            throw PostgresError(kind: .statement(state: "25P02"), message: "the transaction was rolled back")
        }
    }

    /// Ends the transaction and reads the pending responses; marks the connection broken if that fails.
    func rollBack() {
        self.isInTransaction = false
        if !self.isBroken, !self.isSynchronized { try? self.receive() }
        guard !self.isBroken, PQtransactionStatus(self.handle) != PQTRANS_IDLE else { return }
        do {
            try self.queue("ROLLBACK")
            try self.receive()
        } catch {
            self.isBroken = true
        }
    }
}

// MARK: - Responses

extension PostgresConnection {
    /// Waits for the responses to all queued statements.
    ///
    /// A synchronization point, which clears a failure, ends them. So a transaction is idle for the server until the next
    /// statement, and it ends the transaction of a process that stands still (`idle_in_transaction_session_timeout`).
    /// After a mere flush request it would wait forever.
    /// - Throws: ``PostgresError``, the first one among the responses.
    func receive() throws {
        guard PQpipelineSync(self.handle) == 1 else { throw self.breaking() }
        self.isSynchronized = true
        self.awaited.append(.synchronization)
        try self.drain()
    }

    /// Reads all pending responses: after a failure, libpq reports each skipped statement.
    private func drain() throws {
        var failure: PostgresError?
        while let next = self.awaited.popFirst() {
            do {
                try self.take(next)
            } catch let error as PostgresError {
                failure = failure ?? error
                if self.isBroken { break }
            }
        }
        if let failure { throw failure }
    }

    private func take(_ awaited: Awaited) throws {
        switch awaited {
        case .synchronization: _ = try self.nextResult()
        case .preparation(let sql):
            do {
                _ = try self.completion()
            } catch {
                self.statements[sql] = nil
                throw error
            }
        case .reply(let reply): reply.result = try self.completion()
        }
    }

    /// The result of one statement, with the end of its results.
    private func completion() throws -> PostgresResult? {
        let result = try self.nextResult()
        while try self.nextResult() != nil {}
        guard let result else { return nil }
        let state = result.sqlState
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result
        case PGRES_PIPELINE_ABORTED:
            throw PostgresError(kind: .statement(state: "25P02"), message: "an earlier statement failed")
        default:
            // The server says why it closes a connection before it does so: a session does not survive FATAL or PANIC.
            let isGone = state.map { $0.hasPrefix("57P") || $0.hasPrefix("08") } ?? true
            if isGone || result.endsSession || PQstatus(self.handle) == CONNECTION_BAD { self.isBroken = true }
            throw PostgresError(
                // A full disk is named as such, even if it stops the server.
                kind: self.isBroken && state != "53100" ? .connection : .statement(state: state ?? ""),
                message: self.parameters.redacting(result.message ?? self.message),
                endsSession: self.isBroken
            )
        }
    }

    /// The next result, or `nil` at the end of a statement's results.
    private func nextResult() throws -> PostgresResult? {
        while true {
            let unsent = PQflush(self.handle)
            guard unsent >= 0 else { throw self.breaking() }
            if PQisBusy(self.handle) == 0 { break }
            let events = unsent == 0 ? SocketPoller.readable : SocketPoller.readable | SocketPoller.writable
            guard try SocketPoller.wait(for: [(PQsocket(self.handle), events)], until: self.deadline) else {
                self.isBroken = true
                throw PostgresError(kind: .deadline, message: "the deadline passed")
            }
            guard PQconsumeInput(self.handle) == 1 else { throw self.breaking() }
        }
        return PQgetResult(self.handle).map { PostgresResult($0, dataKey: self.dataKeys.key) }
    }

    /// Whether the server has closed the idle connection.
    func isClosedByServer() -> Bool {
        while !self.isBroken, SocketPoller.isReadable(PQsocket(self.handle)) {
            if PQconsumeInput(self.handle) == 0 || PQstatus(self.handle) == CONNECTION_BAD { self.isBroken = true }
        }
        return self.isBroken
    }

    /// Marks the connection as broken and returns the reason, as far as libpq knows it.
    func breaking() -> PostgresError {
        self.isBroken = true
        return PostgresError(kind: .connection, message: self.parameters.redacting(self.message))
    }

    private var message: String { String(cString: PQerrorMessage(self.handle)) }

    /// Waits for a notification of the server.
    ///
    /// Also returns when `descriptor` is readable, or at the deadline.
    /// - Throws: ``PostgresError`` if the connection broke.
    func waitForNotifications(or descriptor: Int32, until deadline: ContinuousClock.Instant) throws {
        _ = try SocketPoller.wait(
            for: [(PQsocket(self.handle), SocketPoller.readable), (descriptor, SocketPoller.readable)],
            until: deadline
        )
        guard PQconsumeInput(self.handle) == 1 else { throw self.breaking() }
    }

    /// The texts of the notifications that have come from other connections.
    func takeNotifications() -> [String] {
        var texts: [String] = []
        while let notification = PQnotifies(self.handle) {
            if notification.pointee.be_pid != PQbackendPID(self.handle) {
                texts.append(String(cString: notification.pointee.extra))
            }
            PQfreemem(notification)
        }
        return texts
    }
}

/// The result of a statement that was queued; `nil` before the connection has received it.
final class PendingQueryResult {
    fileprivate(set) var result: PostgresResult?
}
