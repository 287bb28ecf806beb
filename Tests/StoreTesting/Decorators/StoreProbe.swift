// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
public import PushStore
import SQLStore
import Synchronization

/// Code that runs around each transaction of a store with the name of the operation, such as `key(_:)`.
///
/// What it throws is thrown by the operation. The name is that of the function that executes the transaction, which may be a
/// helper of the operation.
public struct StoreProbe: Sendable {
    public typealias Action = @Sendable (_ operation: String) async throws -> Void

    private let before: Action
    fileprivate let beforeCommit: @Sendable (_ operation: String) throws -> Void
    private let after: Action
    fileprivate let isStrict: Bool

    /// Fails transactions on SQLite that would fail on PostgreSQL; see ``StrictConnection``.
    public static let strict = StoreProbe(isStrict: true)

    /// - Parameters:
    ///   - before: runs before the transaction begins.
    ///   - beforeCommit: runs in a transaction that changes something, after its last statement.
    ///   - after: runs when the transaction is committed.
    ///   - isStrict: whether transactions on SQLite fail that would fail on PostgreSQL.
    public init(
        before: @escaping Action = { _ in },
        beforeCommit: @escaping @Sendable (_ operation: String) throws -> Void = { _ in },
        after: @escaping Action = { _ in },
        isStrict: Bool = false
    ) {
        self.before = before
        self.beforeCommit = beforeCommit
        self.after = after
        self.isStrict = isStrict
    }

    func run<Value>(_ operation: StaticString, _ body: () async throws -> Value) async throws -> Value {
        try await self.before(operation.description)
        let value = try await body()
        try await self.after(operation.description)
        return value
    }
}

/// Fails operations by name.
public final class StoreFaults: Sendable {
    private let operations: Set<String>
    private let error: any Error
    private let count: Mutex<Int>

    /// - Parameters:
    ///   - count: how many transactions fail.
    ///   - operations: the names, such as `key(_:)`.
    ///   - error: the error that they throw.
    public init(
        _ count: Int = .max,
        of operations: String...,
        with error: any Error = StoreError(code: .unavailable, message: "the connection broke")
    ) {
        self.operations = Set(operations)
        self.error = error
        self.count = Mutex(count)
    }

    /// How many transactions still fail.
    public var left: Int { self.count.withLock { $0 } }

    public func end() { self.count.withLock { $0 = 0 } }

    /// Throws if the operation fails.
    public func check(_ operation: String) throws {
        guard self.operations.contains(operation) else { return }
        let fails = self.count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
        if fails { throw self.error }
    }
}

struct ProbedDriver: SQLDriver {
    let driver: any SQLDriver
    let probe: StoreProbe

    var logger: Logger { self.driver.logger }

    var batchHandOvers: BatchHandoffRegistry { self.driver.batchHandOvers }

    var groups: CallGroups { self.driver.groups }

    var dataKeys: DataKeySlot { self.driver.dataKeys }

    var writersAtOnce: Int { self.driver.writersAtOnce }

    var scanWindow: Int { self.driver.scanWindow }

    func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.probe.run(operation) { try await self.driver.runRead(kind, operation, body) }
    }

    func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        storedRow: (@Sendable (Value) -> SQL?)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.probe.run(operation) {
            try await self.driver.runWrite(
                operation,
                in: lane,
                retriesConflicts: retriesConflicts,
                storedRow: storedRow
            ) { connection, changes in
                let strict = self.probe.isStrict ? StrictConnection(connection) : nil
                let value = try body(strict ?? connection, &changes)
                try strict?.commit()
                try self.probe.beforeCommit(operation.description)
                return value
            }
        }
    }
}
