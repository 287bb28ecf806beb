// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite
import Synchronization

/// Executes short reads on the thread of the caller, or in groups if no connection is idle.
///
/// A change of the thread takes longer than finding a row by its key, so a short read blocks its caller instead. Without an
/// idle connection, reads gather until one is free, and the next transaction executes all of them. Both begin after the
/// call, so a read sees every change that was durable by then. The connection is released after some transactions, so
/// that other reads are executed too.
final class ReadCoalescer: Sendable {
    /// How many transactions follow one another on a connection.
    private static let turns = 64

    /// Executes a read in a transaction, or fails it.
    private typealias Job = @Sendable (Result<Database, any Error>) -> Void

    private struct State {
        var waiting: [Job] = []
        var isDraining = false
    }

    private let pool: DatabasePool
    private let corruptRows: CorruptRowLog
    private let state = Mutex(State())

    /// The number of reads that wait for a connection.
    var waitingCount: Int { self.state.withLock { $0.waiting.count } }

    init(pool: DatabasePool, corruptRows: CorruptRowLog) {
        self.pool = pool
        self.corruptRows = corruptRows
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let result = self.pool.readIfIdle { database in
            Result { try self.corruptRows.observe { try body(database) } }
        }
        if let result { return try result.get() }
        // The queue calls each job once.
        return try await withUnsafeThrowingContinuation { continuation in
            let isFirst = self.state.withLock { state in
                state.waiting.append { database in
                    continuation.resume(with: Result { try body(database.get()) })
                }
                defer { state.isDraining = true }
                return !state.isDraining
            }
            if isFirst { self.begin() }
        }
    }

    private func begin() {
        self.pool.enqueueRead { database in
            self.corruptRows.observe { self.drain(database) }
        }
    }

    private func drain(_ database: Database) {
        for _ in 0..<Self.turns {
            guard let group = self.nextGroup() else { return }
            do {
                try database.run("BEGIN DEFERRED")
                for job in group { job(.success(database)) }
                // Nothing was changed, so nothing is lost when the end of the transaction fails.
                do { try database.run("COMMIT") } catch { try? database.execute("ROLLBACK") }
            } catch {
                // None of them was run.
                for job in group { job(.failure(error)) }
            }
        }
        self.begin()
    }

    private func nextGroup() -> [Job]? {
        self.state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            defer { state.waiting.removeAll(keepingCapacity: true) }
            return state.waiting
        }
    }
}
