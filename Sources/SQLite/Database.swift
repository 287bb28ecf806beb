// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CSQLite
import Dispatch
import Synchronization

/// A connection to a database file, used by one thread at a time, which ``DatabaseQueue`` ensures.
///
/// Its first statement opens the file. Foreign keys are enforced.
package final class Database {
    /// The number of statements that are kept prepared; more than the SQLite store has.
    package static let maximumStatements = 1000

    /// When a transaction takes its locks.
    package enum TransactionKind: String {
        case deferred = "BEGIN DEFERRED"
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Disables the memory statistics of SQLite, because each allocation would lock a mutex of all connections.
    ///
    /// Without effect if another part of the process uses SQLite already.
    private static let memoryStatistics = apus_sqlite3_disable_memory_statistics()

    private let path: String
    private let configuration: DatabaseConfiguration
    private var handle: OpaquePointer?
    private var isClosed = false
    private var statements: [String: Statement] = [:]
    private var numberedStatements: [Statement?] = []

    /// An object of the owner of the connection.
    package var attachment: AnyObject?

    /// The receiver of the commits; SQLite does not retain it.
    var commitHook: CommitHook?

    /// The number of statements that are kept prepared.
    package var statementCount: Int { self.statements.count }

    /// Whether a transaction is open; some failures, such as a full disk, roll it back.
    package var isInsideTransaction: Bool { self.handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// The number of rows that this connection has inserted, updated and deleted.
    package var totalChanges: Int32 { self.handle.map { sqlite3_total_changes($0) } ?? 0 }

    var isOpen: Bool { self.handle != nil }

    init(path: String, configuration: DatabaseConfiguration) {
        self.path = path
        self.configuration = configuration
    }

    deinit { self.close() }

    /// Closes the connection; all later statements throw ``ResultCode/misuse``.
    func close() {
        self.isClosed = true
        self.disconnect()
    }

    private func disconnect() {
        self.statements = [:]
        self.numberedStatements = []
        // A statement that is still referenced defers this call.
        sqlite3_close_v2(self.handle)
        self.handle = nil
    }

    /// Returns the handle of the open connection.
    func connection() throws -> OpaquePointer {
        if let handle { return handle }
        guard !self.isClosed else { throw DatabaseError(.misuse, "The connection is closed") }
        _ = Self.memoryStatistics
        let access = self.configuration.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(self.path, &self.handle, access | SQLITE_OPEN_NOMUTEX, nil)
        do {
            guard code == SQLITE_OK, let handle else { throw DatabaseError(self.handle, code) }
            try self.setUp(handle)
            return handle
        } catch {
            self.disconnect()
            throw error
        }
    }

    private func setUp(_ handle: OpaquePointer) throws {
        // SQLite opens a file that must not be written for reading, and fails only at the first change.
        guard self.configuration.isReadOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            throw DatabaseError(.readOnly, "The file cannot be written")
        }
        sqlite3_extended_result_codes(handle, 1)
        let timeout = self.configuration.busyTimeout / .milliseconds(1)
        // Cannot trap: the number is in range.
        sqlite3_busy_timeout(handle, Int32(min(max(0, timeout), Double(Int32.max))))
        try self.execute("PRAGMA foreign_keys = ON")
        try self.configuration.prepare(self)
    }

    // MARK: Statements

    /// Executes one or several statements without arguments.
    package func execute(_ sql: String) throws {
        let handle = try self.connection()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(handle, code, sql: sql) }
    }

    /// Prepares a statement that is not kept, for SQL that depends on input.
    package func makeStatement(_ sql: String) throws -> Statement {
        try Statement(self.connection(), sql, isPersistent: false)
    }

    /// Prepares a statement that the connection keeps.
    package func cachedStatement(_ sql: String) throws -> Statement {
        if let statement = self.statements[sql] {
            return statement.isBusy ? try self.makeStatement(sql) : statement
        }
        let statement = try Statement(self.connection(), sql, isPersistent: true)
        if self.statements.count >= Self.maximumStatements { self.statements.removeAll(keepingCapacity: true) }
        self.statements[sql] = statement
        return statement
    }

    /// Prepares a statement that the connection keeps and finds by a number, which belongs to this text only.
    ///
    /// The numbers count from 0, because they are positions in an array.
    package func cachedStatement(_ sql: String, number: Int) throws -> Statement {
        if number < self.numberedStatements.count, let statement = self.numberedStatements[number] {
            return statement.isBusy ? try self.makeStatement(sql) : statement
        }
        let statement = try self.cachedStatement(sql)
        while self.numberedStatements.count <= number { self.numberedStatements.append(nil) }
        self.numberedStatements[number] = statement
        return statement
    }

    /// Executes a cached statement.
    ///
    /// - Returns: the number of rows that it changed.
    @discardableResult
    package func run(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try self.cachedStatement(sql).run(arguments)
    }

    /// Returns copies of the rows of a cached statement.
    package func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        var rows: [Row] = []
        try self.cachedStatement(sql).each(arguments) { rows.append($0.copy()) }
        return rows
    }

    /// Returns a copy of the first row of a cached statement.
    package func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        var row: Row?
        try self.cachedStatement(sql).each(arguments, limit: 1) { row = $0.copy() }
        return row
    }

    /// Returns the first column of the first row of a cached statement; `nil` without rows.
    package func value(_ sql: String, _ arguments: StatementArguments = []) throws -> DatabaseValue? {
        try self.cachedStatement(sql).value(arguments)
    }

    // MARK: Transactions

    /// Commits the changes of `body`, or rolls them back if `body` throws.
    package func inTransaction<Value>(_ kind: TransactionKind, _ body: () throws -> Value) throws -> Value {
        try self.run(kind.rawValue)
        do {
            let value = try body()
            try self.run("COMMIT")
            return value
        } catch {
            if self.isInsideTransaction { try? self.execute("ROLLBACK") }
            throw error
        }
    }

    /// Keeps the changes of `body` within a transaction, or rolls back only these if `body` throws.
    package func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        try self.run("SAVEPOINT part")
        do {
            let value = try body()
            try self.run("RELEASE part")
            return value
        } catch {
            if self.isInsideTransaction {
                // If these changes cannot be rolled back alone, they must not be committed with the transaction.
                do { try self.execute("ROLLBACK TO part; RELEASE part") } catch { try? self.execute("ROLLBACK") }
            }
            throw error
        }
    }
}

/// The settings of the connections to a database.
package struct DatabaseConfiguration: Sendable {
    /// Whether the database is opened for reading only; then it has to exist.
    package var isReadOnly = false

    /// The maximum time that a statement waits for the locks of other connections.
    package var busyTimeout: Duration = .zero

    /// The number of connections of a ``DatabasePool`` that read; at least 1.
    package var maximumReaderCount = 5

    /// Sets up each connection when it is opened.
    package var prepare: @Sendable (Database) throws -> Void = { _ in }

    package init() {}
}

/// A request to end a read, which any thread can make, and its deadline.
final class Cancellation: Sendable {
    private let isSet = Atomic(false)

    /// Nanoseconds of the monotonic clock.
    private let deadline = Atomic(UInt64.max)

    var isRequested: Bool { self.isSet.load(ordering: .relaxed) }

    /// Whether the read must end now.
    var isDue: Bool {
        self.isRequested || DispatchTime.now().uptimeNanoseconds >= self.deadline.load(ordering: .relaxed)
    }

    func request() { self.isSet.store(true, ordering: .relaxed) }

    /// Sets the deadline of the read, which begins now.
    func request(after timeout: Duration) {
        // Cannot trap: the number is in range.
        let nanoseconds = UInt64(max(0, min(timeout / .nanoseconds(1), 1e18)))
        let (deadline, isOverflow) = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(nanoseconds)
        self.deadline.store(isOverflow ? .max : deadline, ordering: .relaxed)
    }
}

/// The receiver of the length of the write-ahead log.
final class CommitHook {
    fileprivate let body: @Sendable (_ pages: Int) -> Void

    fileprivate init(_ body: @escaping @Sendable (_ pages: Int) -> Void) {
        self.body = body
    }
}

extension Database {
    /// The number of instructions of SQLite's virtual machine between two checks for a cancellation.
    private static let instructionsPerCheck: Int32 = 1000

    /// Reads one state of the database; throws `CancellationError` once `cancellation` is requested.
    ///
    /// At the deadline of `cancellation`, it throws ``DatabaseError`` with the code `interrupt`.
    func read<Value>(until cancellation: Cancellation, _ body: (Database) throws -> Value) throws -> Value {
        guard !cancellation.isRequested else { throw CancellationError() }
        let handle = try self.connection()
        sqlite3_progress_handler(
            handle,
            Self.instructionsPerCheck,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isDue ? 1 : 0
            },
            Unmanaged.passUnretained(cancellation).toOpaque()
        )
        defer { withExtendedLifetime(cancellation) { sqlite3_progress_handler(handle, 0, nil, nil) } }
        do {
            return try self.inTransaction(.deferred) { try body(self) }
        } catch let error as DatabaseError where error.resultCode == .interrupt && cancellation.isRequested {
            throw CancellationError()
        }
    }

    /// Calls `body` after each commit with the length of the write-ahead log in pages.
    ///
    /// It replaces the automatic checkpoints of SQLite; call ``checkpoint()`` instead.
    package func onCommit(_ body: @escaping @Sendable (_ pages: Int) -> Void) throws {
        let hook = CommitHook(body)
        sqlite3_wal_hook(
            try self.connection(),
            { hook, _, _, pages in
                guard let hook else { return SQLITE_OK }
                Unmanaged<CommitHook>.fromOpaque(hook).takeUnretainedValue().body(Int(pages))
                return SQLITE_OK
            },
            Unmanaged.passUnretained(hook).toOpaque()
        )
        self.commitHook = hook
    }

    /// Copies the pages of the write-ahead log that no reader holds back into the database.
    ///
    /// - Returns: the number of pages of the log that are copied.
    package func checkpoint() throws -> Int {
        // A connection that has not read yet does not know the log, and would copy nothing.
        _ = try self.value("SELECT 1 FROM sqlite_master LIMIT 1")
        let handle = try self.connection()
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, &copied)
        guard code == SQLITE_OK else { throw DatabaseError(handle, code) }
        return Int(copied)
    }

    /// Waits until the disk has the pages that checkpoints have copied.
    ///
    /// SQLite does so only in a checkpoint that copies the last page of the log.
    package func sync() throws {
        // Closing a separate handle would release the locks of the process on the file.
        let file = try self.file(SQLITE_FCNTL_FILE_POINTER)
        let code = file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else { throw DatabaseError(ResultCode(rawValue: code), "The file cannot be synced") }
    }

    /// Returns an open file of the connection: `SQLITE_FCNTL_FILE_POINTER` or `SQLITE_FCNTL_JOURNAL_POINTER`.
    func file(_ which: Int32) throws -> UnsafeMutablePointer<sqlite3_file> {
        let handle = try self.connection()
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", which, &file)
        guard code == SQLITE_OK, let file, file.pointee.pMethods != nil else {
            throw DatabaseError(ResultCode(rawValue: code == SQLITE_OK ? SQLITE_IOERR : code), "The file is not open")
        }
        return file
    }
}
