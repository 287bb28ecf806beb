// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import SQLStore
import Synchronization

/// The operations of `SQLStore` on a driver that records the statements.
struct RecordedStore: SQLOperations, AppStore, WorkerLiveness {
    let sql: SQLDatabase

    // The operations that each store implements.
    func deleteApp(_ id: AppID) async throws -> Bool { false }
    func hold(_ worker: WorkerID) async throws {}
    func terminatedWorkers() async throws -> [WorkerID]? { nil }
    func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] { [:] }
    func note(_ activities: [Int64]) async throws {}
}

final class StatementLog: Sendable {
    let texts = Mutex<Set<String>>([])

    func add(_ sql: SQL, _ dialect: SQLDialect) {
        self.texts.withLock { _ = $0.insert(sql.text(for: dialect)) }
    }
}

struct RecordingDriver: SQLDriver {
    let driver: any SQLDriver
    let log: StatementLog

    var logger: Logger { self.driver.logger }

    var groups: WriteGroups { self.driver.groups }

    func runRead<Value: Sendable>(
        _ kind: SQLReadKind,
        _ operation: StaticString,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await self.driver.runRead(kind, operation) { try body(RecordingConnection($0, self.log)) }
    }

    func runWrite<Value: Sendable>(
        _ operation: StaticString,
        in lane: Lane,
        retriesConflicts: Bool,
        isStored: (@Sendable (any SQLExecutor, Value) throws -> Bool)?,
        _ body: @escaping @Sendable (any SQLConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.driver.runWrite(
            operation,
            in: lane,
            retriesConflicts: retriesConflicts,
            isStored: isStored
        ) { connection, changes in
            try body(RecordingConnection(connection, self.log), &changes)
        }
    }
}

private final class RecordingConnection: SQLConnection {
    private let connection: any SQLConnection
    private let log: StatementLog

    var dialect: SQLDialect { self.connection.dialect }

    init(_ connection: any SQLConnection, _ log: StatementLog) {
        self.connection = connection
        self.log = log
    }

    func run(_ sql: SQL) throws -> any SQLResult {
        self.log.add(sql, self.dialect)
        return try self.connection.run(sql)
    }

    func query(_ sql: SQL) throws -> any SQLResult {
        self.log.add(sql, self.dialect)
        return try self.connection.query(sql)
    }

    func commit() throws {
        try self.connection.commit()
    }
}
