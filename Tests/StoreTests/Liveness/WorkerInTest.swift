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
    private let close: @Sendable () throws -> Void
    private let lock: Task<Void, any Error>

    init(_ id: WorkerID, on store: SQLiteStore) {
        self.id = id
        self.store = store
        self.close = { try store.close() }
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
        try self.close()
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
        _ kind: StoreInTest,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (WorkerInTest, WorkerInTest, _ lockCount: @Sendable () async throws -> Int) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let ids: [WorkerID] = ["host/1/a", "host/2/b"]
        switch kind {
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("apus-store-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let path = directory.appendingPathComponent("store.sqlite").path
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
            try await withSQLiteStore(configuration: configuration, logger: logger) { first in
                try await withSQLiteStore(configuration: configuration, logger: logger) { second in
                    try await self.run(WorkerInTest(ids[0], on: first), WorkerInTest(ids[1], on: second), body) {
                        try FileManager.default.contentsOfDirectory(atPath: "\(path)-workers").count
                    }
                }
            }
        case .postgres:
            try await PostgresDatabaseInTest.withStoreDatabase { database in
                let configuration = PostgresStoreConfiguration.inTest(database.url)
                try await withPostgresStore(configuration: configuration, logger: logger) { first in
                    try await withPostgresStore(configuration: configuration, logger: logger) { second in
                        try await self.run(WorkerInTest(ids[0], on: first), WorkerInTest(ids[1], on: second), body) {
                            try await database.execute("SELECT worker FROM apus.workers").count
                        }
                    }
                }
            }
        }
    }

    private static func run(
        _ first: WorkerInTest,
        _ second: WorkerInTest,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (WorkerInTest, WorkerInTest, _ lockCount: @Sendable () async throws -> Int) async throws -> Void,
        lockCount: @escaping @Sendable () async throws -> Int
    ) async throws {
        defer { for worker in [first, second] { worker.lock.cancel() } }
        try await waitUntil { (try? await lockCount()) == 2 }
        try await body(first, second, lockCount)
    }
}
