// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Logging
package import PushModel
public import PushStore

/// A store on an SQL database.
///
/// The extensions in this module implement its operations, once for both databases.
public protocol SQLBacked: Sendable {
    var sql: SQLDatabase { get }
}

/// The protocols that this module implements for each store on an SQL database.
///
/// It also implements `AppStore` without `deleteApp`, and `WorkerLiveness` without the functions about locks.
public typealias SQLOperations = APIKeyStore & ActivityStore & ActivityTypeStore & AudienceStore & AuditStore
    & BatchStore & CampaignStore & ChannelStore & CredentialStore & CredentialFailureStore & DataKeyStore
    & SigningIdentityStore & OpenCircuitStore & DeviceStore & EndpointEventStore & EventStore & IdempotencyStore
    & JobStore & PlatformStore & PublicationStore & QuarantineStore & RetentionStore & RolloutStore & SealedStore
    & StreamStore & SubscriptionStore & TopicDeliveryStore & TopicStore & WebhookStore & SQLBacked

/// The database of a store.
///
/// Its functions are for targets of this package. `operation` is the name of the calling function, for tests.
public struct SQLDatabase: Sendable {
    /// The largest number of keys of a look-up.
    private static let maximumKeys = 16

    package let driver: any SQLDriver

    package init(_ driver: any SQLDriver) {
        self.driver = driver
    }

    /// Executes a read, each of whose statements may see another state of the database.
    package func read<Value: Sendable>(
        operation: StaticString = #function,
        _ body: @escaping @Sendable (any SQLExecutor) throws -> Value
    ) async throws -> Value {
        try await self.driver.runRead(.statements, operation) { try body($0) }
    }

    /// Executes a read whose statements all see one state of the database.
    ///
    /// A body that commits before it reads the last results receives them with the commit. Scans, which read many rows,
    /// use at most half of the connections for reading.
    package func snapshot<Value: Sendable>(
        isScan: Bool = false,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.driver.runRead(isScan ? .scan : .snapshot, operation, body)
    }

    /// Executes a change in a transaction.
    ///
    /// Returns when the change is durable and its signals are sent.
    /// The body may run more than once, each time from the beginning. Only its last run counts.
    /// - Parameters:
    ///   - lane: Which changes SQLite executes first.
    ///   - retriesConflicts: Whether the body runs again if a concurrent transaction inserted the same key.
    ///   - storedRow: A statement that finds a row if the transaction is committed; `nil` if none can tell. PostgreSQL
    ///     executes it on another connection if it loses the response to the commit. The body must not commit then.
    package func write<Value: Sendable>(
        in lane: Lane = .urgent,
        retriesConflicts: Bool = false,
        storedRow: (@Sendable (Value) -> SQL?)? = nil,
        operation: StaticString = #function,
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws -> Value {
        let origin = AuditOrigin.current
        return try await self.driver.runWrite(
            operation,
            in: lane,
            retriesConflicts: retriesConflicts,
            storedRow: storedRow
        ) { connection, changes in
            let transaction = SQLTransaction(connection, origin: origin)
            let value = try body(transaction)
            changes = try transaction.finish()
            return value
        }
    }

    /// Executes one statement in a separate transaction, in one round trip.
    ///
    /// - Returns: the number of rows that it changed.
    @discardableResult
    package func run(_ sql: SQL, in lane: Lane = .urgent, operation: StaticString = #function) async throws -> Int {
        try await self.write(in: lane, operation: operation) { transaction in
            let result = try transaction.run(sql)
            try transaction.commit()
            return try result.changes
        }
    }

    /// Whether a statement finds a row.
    ///
    /// Callers that usually find nothing to do ask before they write: this takes no lock and waits for no disk flush.
    func finds(_ sql: SQL, operation: StaticString = #function) async throws -> Bool {
        try await self.read(operation: operation) { try $0.first(sql) != nil }
    }

    /// Executes a statement that finds few rows by their keys, and decodes them.
    ///
    /// `count` is the number of keys. With up to 16, SQLite executes it on the thread of the caller, and PostgreSQL
    /// receives it together with other look-ups that arrived during the previous round trip.
    func lookUp<Value: Sendable>(
        _ sql: SQL,
        keys count: Int,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable ([StoredRow]) throws -> Value
    ) async throws -> Value {
        guard count <= Self.maximumKeys else {
            return try await self.read(operation: operation) { try decode($0.rows(sql)) }
        }
        return try await self.driver.runLookUp(sql, operation, decode)
    }

    /// Decodes the first row of a statement that finds few rows by their keys; `nil` if there is none.
    func first<Value: Sendable>(
        _ sql: SQL,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable (StoredRow) throws -> Value
    ) async throws -> Value? {
        try await self.lookUp(sql, keys: 1, operation: operation) { try $0.first.map(decode) }
    }

    /// Decodes rows of a table; corrupt ones are skipped and reported.
    func list<Value: Sendable>(
        _ sql: SQL,
        in table: String,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable (StoredRow) throws -> Value
    ) async throws -> [Value] {
        try await self.read(operation: operation) { try $0.rows(sql).mapReadable(in: table, decode) }
    }

    /// Decodes a page of rows of a table; see ``SQLExecutor/page(_:in:limit:cursor:_:)``.
    func page<Value: Sendable, Cursor: Hashable & Sendable>(
        _ sql: SQL,
        in table: String,
        limit: Int,
        cursor: @escaping @Sendable (StoredRow) throws -> Cursor,
        operation: StaticString = #function,
        _ decode: @escaping @Sendable (StoredRow) throws -> Value
    ) async throws -> Page<Value, Cursor> {
        try await self.read(operation: operation) {
            try $0.page(sql, in: table, limit: limit, cursor: cursor, decode)
        }
    }
}

/// The part of a database target that gets connections, executes transactions on them, retries and sends signals.
package protocol SQLDriver: Sendable {
    var logger: Logger { get }

    /// The workers of this process that take batches as they are accepted.
    var batchHandOvers: BatchHandoffRegistry { get }

    /// The calls of this store that share transactions.
    var groups: CallGroups { get }

    /// The number of transactions that can write at the same time and leave room for others.
    var writersAtOnce: Int { get }

    /// Has the key that seals device tokens and contents.
    var dataKeys: DataKeySlot { get }

    /// The largest number of devices that one statement of an audience reads, if the audience is one condition.
    var scanWindow: Int { get }

    func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Executes a statement that finds few rows by their keys, and decodes them.
    func runLookUp<Value: Sendable>(
        _ sql: SQL,
        _ operation: StaticString,
        _ decode: @escaping @Sendable ([StoredRow]) throws -> Value
    ) async throws -> Value

    func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        storedRow: (@Sendable (Value) -> SQL?)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value
}

extension SQLDriver {
    package func runLookUp<Value: Sendable>(
        _ sql: SQL,
        _ operation: StaticString,
        _ decode: @escaping @Sendable ([StoredRow]) throws -> Value
    ) async throws -> Value {
        try await self.runRead(.lookUp, operation) { try decode($0.rows(sql)) }
    }
}

/// The requirements of the statements of a read.
package enum SQLReadKind: Sendable {
    /// Nothing: each may see another state of the database.
    case statements

    /// Nothing either: they find few rows by their keys, so SQLite executes them where the caller is.
    case lookUp

    /// One state of the database.
    case snapshot

    /// One state of the database, for a long time.
    case scan
}
