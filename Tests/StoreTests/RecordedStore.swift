// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
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

final class RecordingConnection: SQLConnection {
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
