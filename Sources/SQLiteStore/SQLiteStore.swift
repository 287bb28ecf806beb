// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
import PushModel
public import PushStore
import SQLite

/// The store of a single machine: one SQLite file in WAL mode.
///
/// Several processes of one machine may share the file. Changes run one at a time, in groups that share one commit, urgent
/// ones first; reads run beside them.
public final class SQLiteStore: Sendable {
    package let logger: Logger
    let broadcast = StoreBroadcast()
    let handOvers = BatchHandOvers()
    let damagedJobs: DamagedJobLog
    private let pool: DatabasePool
    private let checkpointer: Checkpointer?
    private let writes: WriteQueue
    private let lookUps: LookUpQueue

    /// Opens the database, creates it if need be, and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - configuration: where and how the store is kept.
    ///   - logger: told of damage that is worked around.
    /// - Throws: `StoreError`: `.unavailable` when the file cannot be opened, `.readOnly` when it cannot be written,
    ///   `.locked` when another process keeps it locked, `.corrupt` when it is not a database of this program's, is
    ///   damaged, or was written by a newer version.
    public init(configuration: SQLiteStoreConfiguration, logger: Logger) throws {
        self.logger = logger
        self.damagedJobs = DamagedJobLog(logger)
        let pool = try DatabasePool.open(configuration)
        self.pool = pool
        self.checkpointer = try Checkpointer.open(beside: pool, configuration)
        self.writes = WriteQueue(pool: pool, broadcast: self.broadcast, checkpointer: self.checkpointer)
        self.lookUps = LookUpQueue(pool: pool)
    }

    /// Ends all subscriptions and closes the file, after the calls that have begun; later calls throw `.unavailable`.
    ///
    /// May be called more than once.
    public func close() throws {
        guard self.writes.close() else { return }
        self.broadcast.finish()
        self.pool.close()
        self.checkpointer?.close()
    }

    /// Runs a read on a connection of its own, which sees one unchanging state of the database.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await self.pool.read(body)
        } catch {
            throw StoreError.translating(error, path: self.pool.path)
        }
    }

    /// Runs a short read, which finds few rows by their keys, in one transaction with others that wait.
    func lookUp<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await self.lookUps.run(body)
        } catch {
            throw StoreError.translating(error, path: self.pool.path)
        }
    }

    /// What a failure of SQLite means to the caller; other errors stay what they are.
    func translating(_ error: any Error) -> any Error {
        StoreError.translating(error, path: self.pool.path)
    }

    /// Runs a change in a transaction; returns when it is durable, and signals what it asks for.
    ///
    /// The body may run more than once, each time from the same state; only its last run counts. Changes of the urgent
    /// lane go before those of the bulk lane, which nobody waits for.
    func write<Value: Sendable>(
        in lane: Lane = .urgent,
        _ body: @escaping @Sendable (Database, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.writes.run(in: lane, body)
    }

    /// Runs a change that nobody is told of.
    func write<Value: Sendable>(
        in lane: Lane = .urgent,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await self.writes.run(in: lane) { database, _ in try body(database) }
    }
}

extension SQLiteStore: StoreSignals {
    /// The changes made through this object from now on; see `StoreSignals`.
    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        self.broadcast.changes(concern)
    }
}

/// Opens a store, hands it to `body`, and closes it whatever happens.
///
/// - Parameters:
///   - configuration: where and how the store is kept.
///   - logger: told of damage that is worked around.
///   - isolation: where the body runs; the caller's by default.
///   - body: what to do with the store.
/// - Returns: what `body` returns.
/// - Throws: what ``SQLiteStore/init(configuration:logger:)``, `body` or closing throws.
public func withSQLiteStore<Value>(
    configuration: SQLiteStoreConfiguration,
    logger: Logger,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SQLiteStore) async throws -> Value
) async throws -> Value {
    let store = try SQLiteStore(configuration: configuration, logger: logger)
    let value: Value
    do {
        value = try await body(store)
    } catch {
        do {
            try store.close()
        } catch let failure {
            logger.error("The store did not close cleanly", metadata: ["error": "\(failure)"])
        }
        throw error
    }
    try store.close()
    return value
}
