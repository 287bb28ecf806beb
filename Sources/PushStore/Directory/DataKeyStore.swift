// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

/// The key that seals device tokens and the contents of pushes in a store.
///
/// A store that has a data key is sealed: each process that opens it calls ``use(_:)`` before any other call that reads
/// or writes tokens or contents.
public protocol DataKeyStore: Sendable {
    /// Returns the data key, sealed under the master key; `nil` if the store is not sealed.
    func dataKey() async throws -> StoredDataKey?

    /// Stores a data key, unless there is one. If the store has no rows with tokens or contents, it is complete.
    ///
    /// With `ifEmpty`, it stores nothing in a store that has such rows.
    /// - Returns: the data key that the store has then; `nil` if none.
    func addDataKey(_ sealed: [UInt8], ifEmpty: Bool) async throws -> StoredDataKey?

    /// Seals and opens tokens and contents of this store with a key until the store is closed.
    ///
    /// Later calls with another key have no effect.
    func use(_ key: DataKey)

    /// Seals the plain values of a table, in transactions of few rows; call ``use(_:)`` first.
    ///
    /// No other process may register devices meanwhile: one that looks for a sealed token does not find a plain one.
    /// - Parameter progress: receives the number of rows read and sealed so far, after each transaction.
    /// - Returns: these numbers at the end.
    func sealRows(
        in table: SealableTable,
        progress: @Sendable (SealingProgress) -> Void
    ) async throws -> SealingProgress

    /// Records that all rows are sealed.
    func completeSealing() async throws

    /// Overwrites the bytes that changed and removed rows have left in the files of the database.
    ///
    /// - Returns: `false` if the store cannot do that; PostgreSQL does it with `VACUUM FULL`.
    func overwriteFormerBytes() async throws -> Bool
}

extension DataKeyStore {
    /// Opens the data key of a sealed store, and uses it; does nothing if the store is not sealed.
    ///
    /// - Throws: ``StoreError`` `.unavailable` without a master key, with another one, and while rows are being sealed.
    public func openDataKey(with masterKey: MasterKey?) async throws {
        guard let stored = try await self.dataKey() else { return }
        guard stored.isComplete, let key = try? masterKey?.dataKey(stored.sealed) else {
            let fix =
                stored.isComplete
                ? "Pass the master key of the servers." : "Run apus store seal again: it continues."
            throw StoreError(
                code: .unavailable,
                message: "The device tokens and contents of this store are sealed, and cannot be opened. \(fix)"
            )
        }
        self.use(key)
    }
}

public struct StoredDataKey: Hashable, Sendable {
    /// The key, sealed under the master key.
    public let sealed: [UInt8]

    /// Whether the rows that were stored before the key are sealed too.
    public let isComplete: Bool

    package init(stored row: StoredRow) throws {
        self.sealed = try row.blob("sealed")
        self.isComplete = try row.number("is_complete") != 0
    }
}

/// The tables with device tokens or contents, in the order in which they are sealed.
public enum SealableTable: String, Hashable, Sendable, CaseIterable {
    case devices
    case startTokens = "push_to_start_tokens"
    case participants = "activity_participants"
    case activities
    case transitions = "activity_transitions"
    case timeline = "activity_timeline"
    case campaigns
    case jobs
    case batchContents = "batch_contents"
    case idempotencyRecords = "idempotency_records"
    case streamChunks = "stream_chunks"
    case topicMessages = "topic_messages"
    case auditLog = "audit_log"
}

public struct SealingProgress: Hashable, Sendable {
    public var read = 0
    public var sealed = 0

    public init() {}
}

/// The data key of an open store, for all its connections; it is set at most once.
package final class DataKeySlot: Sendable {
    // Without a lock, because each statement reads it.
    private let held = AtomicLazyReference<DataKey>()

    package init() {}

    package var key: DataKey? { self.held.load() }

    package func hold(_ key: DataKey) { _ = self.held.storeIfNil(key) }
}
