// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import Metrics
public import PushModel
public import PushStore
package import SQLStore
import SQLite
import Synchronization

/// The store of a single machine: one SQLite file in WAL mode.
///
/// Several processes of one machine may share the file. Changes run one at a time, in groups that share one commit,
/// urgent ones first; reads run beside them.
public final class SQLiteStore: Sendable {
    package let logger: Logger
    let broadcast = StoreChangeBroadcaster()
    package let batchHandOvers = BatchHandoffRegistry()
    package let groups = CallGroups(waitsBriefly: false)
    package let dataKeys = DataKeySlot()
    private let corruptRows: CorruptRowLog
    let workerLocks: WorkerLockDirectory
    package let scanWindow: Int
    private let scanTimeout: Duration

    /// The lock of this process, while it holds one.
    let heldLock = Mutex<WorkerLockFile?>(nil)
    private let pool: DatabasePool
    private let checkpointer: Checkpointer?
    let writes: GroupCommitQueue
    private let lookUps: ReadCoalescer

    /// Opens the database, creates it if need be, and brings its schema up to date.
    ///
    /// - Throws: `StoreError`: `.unavailable` when the file cannot be opened, `.readOnly` when it cannot be written,
    ///   `.locked` when another process keeps it locked, `.corrupt` when it is not a database of this program's, is
    ///   damaged, or was written by a newer version.
    public init(
        configuration: SQLiteStoreConfiguration,
        logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) throws {
        self.logger = logger
        self.corruptRows = CorruptRowLog(logger, metrics: metrics)
        self.workerLocks = WorkerLockDirectory(database: configuration.path)
        self.scanWindow = configuration.scanWindow
        self.scanTimeout = configuration.scanTimeout
        (self.pool, self.checkpointer) = try configuration.open(self.dataKeys)
        self.writes = GroupCommitQueue(
            pool: self.pool,
            broadcast: self.broadcast,
            corruptRows: self.corruptRows,
            checkpointer: self.checkpointer
        )
        self.lookUps = ReadCoalescer(pool: self.pool, corruptRows: self.corruptRows)
    }

    /// Ends all subscriptions and closes the file, after the calls that have begun; later calls throw `.unavailable`.
    ///
    /// May be called more than once.
    public func close() {
        guard self.writes.close() else { return }
        self.broadcast.finish()
        self.pool.close()
        self.checkpointer?.close()
    }

    /// Runs a read on a separate connection, which sees one unchanging state of the database.
    ///
    /// A lookup finds few rows by their keys; each of its statements may see another state. See ``ReadCoalescer``. A
    /// scan reads many rows. It has a timeout, and scans use at most half of the connections.
    func read<Value: Sendable>(
        _ kind: SQLReadKind = .snapshot,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            if case .lookUp = kind { return try await self.lookUps.run(body) }
            let corruptRows = self.corruptRows
            let isScan = if case .scan = kind { true } else { false }
            return try await self.pool.read(isScan: isScan, timeout: isScan ? self.scanTimeout : nil) { database in
                try corruptRows.observe { try body(database) }
            }
        } catch {
            throw StoreError.translating(error, path: self.pool.path)
        }
    }
}

extension SQLiteStore: StoreChangeSource {
    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        self.broadcast.changes(concern)
    }
}

/// Opens a store, passes it to `body`, and closes it, also after an error.
///
/// - Throws: the errors of ``SQLiteStore/init(configuration:logger:metrics:)`` and of `body`.
public func withSQLiteStore<Value>(
    configuration: SQLiteStoreConfiguration,
    logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SQLiteStore) async throws -> Value
) async throws -> Value {
    let store = try SQLiteStore(configuration: configuration, logger: logger, metrics: metrics)
    defer { store.close() }
    return try await body(store)
}

extension SQLiteStore: StoreHealth {
    /// Rewrites the first page of the database, which has the number of the schema; see `StoreHealth`.
    public func checkWritable() async throws {
        try await self.writes.run { database, _ in
            let version = try database.value("PRAGMA user_version")?.integer ?? 0
            try database.execute("PRAGMA user_version = \(version)")
        }
    }
}

extension SQLiteStore {
    /// Writes the database anew, without free pages, and empties its log; see `DataKeyStore`.
    public func overwriteFormerBytes() async throws -> Bool {
        do {
            return try await self.pool.writer.perform { database in
                // The copy of the whole database would not fit into memory.
                try database.execute("PRAGMA temp_store = FILE")
                defer { try? database.execute("PRAGMA temp_store = MEMORY") }
                try database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
                return true
            }
        } catch {
            throw StoreError.translating(error, path: self.pool.path)
        }
    }
}

extension SQLiteStoreConfiguration {
    /// Opens the database, brings its schema up to date, and watches its log unless it is only read.
    fileprivate func open(_ dataKeys: DataKeySlot) throws -> (DatabasePool, Checkpointer?) {
        do {
            let connections = self.connections(dataKeys)
            let pool = try DatabasePool(path: self.path, configuration: connections)
            let schema = Schema(path: self.path)
            guard !self.isReadOnly else {
                try pool.writer.performAndWait { try schema.check($0) }
                return (pool, nil)
            }
            try pool.writer.performAndWait { database in
                try database.execute("PRAGMA synchronous = \(self.synchronous.rawValue)")
                if self.synchronous == .full { try database.bufferLogWrites() }
                try schema.migrate(database)
            }
            return (pool, try Checkpointer(of: pool, configuration: connections))
        } catch {
            throw StoreError.translating(error, path: self.path)
        }
    }

    private func connections(_ dataKeys: DataKeySlot) -> DatabaseConfiguration {
        var connections = DatabaseConfiguration()
        connections.isReadOnly = self.isReadOnly
        connections.busyTimeout = self.busyTimeout
        connections.maximumReaderCount = self.readers
        let pages = self.maximumBytes.map { max(1, $0 / 4096) }
        connections.prepare = { [isReadOnly = self.isReadOnly] database in
            database.attachment = dataKeys
            try database.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192")
            guard !isReadOnly else { return }
            try database.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864")
            if let pages { try database.execute("PRAGMA max_page_count = \(pages)") }
        }
        return connections
    }
}

extension SQLiteStore: AppStore {
    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        let origin = AuditOrigin.current
        return try await self.writes.run { database, _ in
            guard let number = try database.number(of: id) else { return false }
            try database.audit(deleted: id, origin: origin)
            // A join, because another `IN` would keep the IDs of the notifications in memory too.
            let contents = """
                SELECT batches.content FROM notifications
                CROSS JOIN batches ON batches.notification = notifications.id WHERE notifications.app = ?
                """
            try database.run("DELETE FROM batch_contents WHERE number IN (\(contents))", [number])
            // The primary key begins with the time, so a recent app needs no scan of the whole table.
            try database.run(
                """
                DELETE FROM settled_notifications
                WHERE app = ? AND settled_at >= (SELECT created_at FROM apps WHERE number = ?)
                """,
                [number, number]
            )
            try database.removeShares(where: "app = \(number)")
            try database.run("DELETE FROM apps WHERE number = ?", [number])
            return true
        }
    }
}
