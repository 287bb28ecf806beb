// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import Logging
public import Metrics
public import PushModel
public import PushStore
package import SQLStore
public import ServiceLifecycle

/// The store for several machines: a PostgreSQL database that any number of processes share.
///
/// Every call uses the database; nothing that another process can change is cached. Run ``run()`` concurrently, to
/// exchange change notifications with other processes.
public final class PostgresStore: Sendable {
    package let logger: Logger
    let broadcast = StoreChangeBroadcaster()
    package let groups = CallGroups(waitsBriefly: true)
    package let batchHandOvers = BatchHandoffRegistry()

    /// Groups look-ups; one group is executed at a time.
    let lookUps = CallGroup<SQL, FoundRows>(limit: 64)
    let corruptRows: CorruptRowLog
    package let dataKeys: DataKeySlot
    let feed: ListenNotifyChannel
    package let scanWindow: Int
    let connections: Int
    private let pool: ConnectionPool
    private let timeout: Duration

    /// The maximum time for querying the result of a commit whose response was lost.
    private static let searchTime = Duration.seconds(15)

    /// Connects to the database and migrates its tables; if the store is read-only, only checks them.
    ///
    /// - Throws: `StoreError`: `.unavailable` if the server does not respond, `.invalid` if the configuration is
    ///   invalid or names a pooler that changes the server connection between transactions, `.readOnly` if the user may
    ///   not create the tables, `.corrupt` if the schema belongs to another program or a newer version. A
    ///   read-only store also throws `.notFound` if there are no tables, and `.readOnly` if an older version wrote
    ///   them.
    public init(
        configuration: PostgresStoreConfiguration,
        logger: Logger,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) async throws {
        try configuration.check()
        let session = try PostgresConnection.Session(configuration, logger: logger)
        self.logger = logger
        self.dataKeys = session.dataKeys
        self.corruptRows = CorruptRowLog(logger, metrics: metrics)
        self.scanWindow = configuration.scanWindow
        self.connections = configuration.connections
        self.timeout = configuration.requestTimeout
        self.feed = try ListenNotifyChannel(session: session, broadcast: self.broadcast)
        self.pool = ConnectionPool(session: session)
        do {
            try await self.run { try $0.refuseTransactionPooling(session) }
            let schema = Schema(name: configuration.schema, place: self.pool.place)
            if configuration.isReadOnly {
                try await self.run(ConnectionSlot.Policy(isCancellable: true)) { try schema.check($0) }
            } else {
                try await self.run(ConnectionSlot.Policy(timeout: self.timeout * 20)) { try schema.migrate($0) }
            }
        } catch {
            self.close()
            throw error
        }
    }

    /// Ends all subscriptions and closes the connections, after the running calls; later calls throw `.unavailable`.
    ///
    /// Can be called more than once.
    public func close() {
        guard self.pool.close() else { return }
        self.feed.stop()
        self.broadcast.finish()
    }

    /// Runs statements; outside of a transaction, each has its own snapshot of the database.
    func run<Value: Sendable>(
        _ policy: ConnectionSlot.Policy = ConnectionSlot.Policy(),
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let corruptRows = self.corruptRows
        do {
            return try await self.pool.run(policy) { connection in
                do {
                    return try corruptRows.observe { try body(connection) }
                } catch {
                    connection.rollBack()
                    throw error
                }
            }
        } catch {
            throw StoreError.translating(error, place: self.pool.place)
        }
    }

    /// Runs a change in a transaction; when it is durable, sends its signals and returns.
    ///
    /// The body may run more than once, each time from the beginning; only its last run counts. Without a timeout, the
    /// configured one applies. With `retriesDuplicates`, a unique violation means that another transaction was faster:
    /// the body runs again and reads its changes.
    /// - Throws: `StoreError`, or the error of the body.
    func write<Value: Sendable>(
        timeout: Duration? = nil,
        retriesDuplicates: Bool = false,
        _ body: @escaping @Sendable (PostgresConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        let policy = ConnectionSlot.Policy(timeout: timeout, retriesDuplicates: retriesDuplicates)
        let (value, changes) = try await self.run(policy) { connection in
            var changes: [StoreChange] = []
            let value = try connection.transaction { try body($0, &changes) }
            return (value, changes)
        }
        self.signal(changes)
        return value
    }

    /// Whether a statement finds a row; `false` if the server does not respond within ``searchTime``.
    func finds(_ row: SQL) async -> Bool {
        let deadline = ContinuousClock.now + Self.searchTime
        while true {
            let isFound = try? await self.run(ConnectionSlot.Policy()) { try $0.first(row) != nil }
            if let isFound { return isFound }
            guard ContinuousClock.now < deadline else { return false }
            // In a separate task: other calls share the commit, so a cancellation of this one must not end the search.
            try? await Task { try await Task.sleep(for: .milliseconds(50)) }.value
        }
    }
}

extension PostgresStore: StoreChangeSource {
    func signal(_ changes: [StoreChange]) {
        self.broadcast.send(changes)
        self.feed.tell(changes)
    }

    /// The changes from now on; see `StoreChangeSource`.
    ///
    /// They include those of other processes while ``run()`` runs in both.
    public func changes(_ concern: @escaping @Sendable (StoreChange) -> Bool) -> AsyncStream<StoreChange> {
        self.broadcast.changes(concern)
    }
}

extension PostgresStore: StoreHealth {
    /// Rewrites the row with the schema version; see `StoreHealth`.
    public func checkWritable() async throws {
        try await self.write { connection, _ in
            _ = try connection.queue("UPDATE store_schema SET version = version")
        }
    }
}

extension PostgresStoreConfiguration {
    fileprivate func check() throws {
        // PostgreSQL's names have 63 bytes, and the name of the NOTIFY channel is `apus_` and the schema's name.
        let isName = self.schema.wholeMatch(of: /[a-z_][a-z0-9_]{0,57}/) != nil
        guard isName, !self.schema.hasPrefix("pg_") else {
            throw StoreError.invalid(
                "'\(self.schema)' is an invalid name for the store's schema. Expected 1 to 58 lower-case letters, "
                    + "digits and underscores that do not begin with a digit or with pg_."
            )
        }
    }
}

extension PostgresStore: Service {
    /// Exchanges change notifications with other processes until the task is cancelled, the service group shuts down or
    /// the store is closed.
    ///
    /// Whenever it starts to listen, also after a lost connection, subscribers receive `StoreChange.missed`. The
    /// store's calls work without it; then only changes made through this object are signalled.
    public func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await self.feed.run()
        } onCancelOrGracefulShutdown: {
            self.feed.stop()
        }
    }
}

/// Opens a store, passes it to `body`, and closes it, also after an error.
///
/// To receive changes of other processes, the body must run ``PostgresStore/run()``.
/// - Throws: the errors of ``PostgresStore/init(configuration:logger:metrics:)`` and of `body`.
public func withPostgresStore<Value>(
    configuration: PostgresStoreConfiguration,
    logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PostgresStore) async throws -> Value
) async throws -> Value {
    let store = try await PostgresStore(configuration: configuration, logger: logger, metrics: metrics)
    defer { store.close() }
    return try await body(store)
}

extension PostgresStore: AppStore {
    @discardableResult
    public func deleteApp(_ id: AppID) async throws -> Bool {
        // The statement may delete many rows.
        let timeout = self.timeout * 20
        let origin = AuditOrigin.current
        return try await self.write(timeout: timeout) { connection, _ in
            try connection.queue("SELECT set_config('statement_timeout', $1, true)", [.text(timeout.inMilliseconds)])
            // Transactions that write for the app lock this row: this statement waits for them, and later ones find no
            // app.
            let row = try connection.row(text: "SELECT number FROM apps WHERE id = $1 FOR UPDATE", [.text(id.rawValue)])
            guard let number = try row?.integer("number") else { return false }
            try connection.audit(deleted: id, origin: origin)
            // A pruning transaction locks such a row first, and then the others. Later notifications are skipped
            // when they are old.
            try connection.queue("DELETE FROM settled_notifications WHERE app = $1", [.integer(number)])
            // A transaction that settles a batch locks only its row, and adds to rows that are removed here. From here
            // on, none does.
            try connection.queue(
                "SELECT count(*) FROM (SELECT FROM batches WHERE app = $1 ORDER BY id FOR UPDATE) AS held",
                [.integer(number)]
            )
            for table in ["batch_failures", "batch_counts", "batch_contents"] {
                try connection.queue(
                    "DELETE FROM \(table) USING batches WHERE batches.app = $1 AND \(table).batch = batches.id",
                    [.integer(number)]
                )
            }
            try connection.removeShares(where: "app = \(number)")
            try connection.queue("DELETE FROM subscriptions WHERE app = $1 AND device IS NOT NULL", [.integer(number)])
            // All transactions lock batches before notifications, these before campaigns, and the app's feed row last.
            for table in [
                "batches", "notifications", "campaigns", "idempotency_records", "stream_chunks", "streams", "devices",
                "webhooks", "credential_troubles", "delivery_pauses", "event_feeds", "events",
            ] {
                try connection.queue("DELETE FROM \(table) WHERE app = $1", [.integer(number)])
            }
            try connection.queue("DELETE FROM apps WHERE number = $1", [.integer(number)])
            return true
        }
    }
}
