// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite
import Synchronization

/// Runs short reads, and lets those that wait at the same moment share a connection and a transaction.
///
/// To get hold of a connection, to begin a transaction and to end it takes several times as long as it takes to find a row
/// by its key. So while some reads are under way others gather, and the next transaction carries all of them. It begins
/// after they were asked for, so that each sees every change that was durable by then. Now and then the connection is given
/// back, so that reads of other kinds have their turn however many of these come.
final class LookUpQueue: Sendable {
    /// How many transactions follow one another on a connection.
    private static let turns = 64

    private struct Job: Sendable {
        let run: @Sendable (Database) -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isDraining = false
    }

    private let pool: DatabasePool
    private let state = Mutex(State())

    init(pool: DatabasePool) {
        self.pool = pool
    }

    /// Runs a read that finds few rows, by their keys.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                run: { database in continuation.resume(with: Result { try body(database) }) },
                fail: { continuation.resume(throwing: $0) }
            )
            let isFirst = self.state.withLock { state in
                state.waiting.append(job)
                defer { state.isDraining = true }
                return !state.isDraining
            }
            if isFirst { self.begin() }
        }
    }

    private func begin() {
        self.pool.enqueueRead { database in
            for _ in 0..<Self.turns {
                guard let group = self.nextGroup() else { return }
                do {
                    try database.run("BEGIN DEFERRED")
                    for job in group { job.run(database) }
                    // Nothing was changed, so nothing is lost when the end of the transaction fails.
                    do { try database.run("COMMIT") } catch { try? database.execute("ROLLBACK") }
                } catch {
                    // None of them was run.
                    for job in group { job.fail(error) }
                }
            }
            self.begin()
        }
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
