// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PostgresStore
import PushModel
import PushStore
import SQLiteStore
import StoreTesting

/// A store and the lock of a worker, as one process has them.
struct WorkerInTest: Sendable {
    let id: WorkerID
    let store: any PushStore
    private let close: @Sendable () -> Void
    fileprivate let lock: Task<Void, any Error>

    init(_ id: WorkerID, on store: SQLiteStore) {
        self.id = id
        self.store = ProbedStore(store, .strict)
        self.close = { store.close() }
        self.lock = Task { try await store.hold(id) }
    }

    init(_ id: WorkerID, on store: PostgresStore) {
        self.id = id
        self.store = store
        self.close = { store.close() }
        self.lock = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.run() }
                group.addTask { try await store.hold(id) }
                try await group.waitForAll()
            }
        }
    }

    /// Ends without releasing anything, as a process does that is killed.
    func terminate() async throws {
        self.close()
        try await self.lock.value
    }

    /// Gives the lock up, as a process does that is stopped.
    func stop() async throws {
        self.lock.cancel()
        try await self.lock.value
    }

    /// Opens two stores on one empty database, each with a worker that holds its lock, and hands both to `body`, with
    /// a function that counts the locks.
    static func withTwo(
        _ kind: TestStoreBackend,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (WorkerInTest, WorkerInTest, _ lockCount: @Sendable () async throws -> Int) async throws -> Void
    ) async throws {
        try await WorkerDatabase.make(kind) { database in
            try await database.open("host/1/a") { first in
                try await database.open("host/2/b") { second in
                    try await body(first, second) { try await database.lockCount() }
                }
            }
        }
    }
}

/// A database that is empty at first, on which several workers open a store each.
enum WorkerDatabase: Sendable {
    case sqlite(SQLiteStoreConfiguration)
    case postgres(TestPostgresDatabase)

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a database, hands it to `body`, and removes it.
    static func make(
        _ kind: TestStoreBackend,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (WorkerDatabase) async throws -> Void
    ) async throws {
        switch kind {
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("apus-store-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let path = directory.appendingPathComponent("store.sqlite").path
            try await body(.sqlite(SQLiteStoreConfiguration(path: path, synchronous: .normal)))
        case .postgres:
            try await TestPostgresDatabase.withStoreDatabase { try await body(.postgres($0)) }
        }
    }

    /// Opens a store for a worker that holds its lock, and closes it after `body`.
    func open(
        _ id: WorkerID,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (WorkerInTest) async throws -> Void
    ) async throws {
        // There is no directory before the first lock.
        let locks = (try? await self.lockCount()) ?? 0
        switch self {
        case .sqlite(let configuration):
            try await withSQLiteStore(configuration: configuration, logger: Self.logger) { store in
                try await self.run(WorkerInTest(id, on: store), besides: locks, body)
            }
        case .postgres(let database):
            let configuration = PostgresStoreConfiguration.inTest(database.url)
            try await withPostgresStore(configuration: configuration, logger: Self.logger) { store in
                try await self.run(WorkerInTest(id, on: store), besides: locks, body)
            }
        }
    }

    func lockCount() async throws -> Int {
        switch self {
        case .sqlite(let configuration):
            try FileManager.default.contentsOfDirectory(atPath: "\(configuration.path)-workers").count
        case .postgres(let database):
            try await database.execute("SELECT worker FROM apus.workers WHERE terminated_at IS NULL").count
        }
    }

    private func run(
        _ worker: WorkerInTest,
        besides locks: Int,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (WorkerInTest) async throws -> Void
    ) async throws {
        defer { worker.lock.cancel() }
        try await waitUntil { (try? await self.lockCount()) == locks + 1 }
        try await body(worker)
    }
}
