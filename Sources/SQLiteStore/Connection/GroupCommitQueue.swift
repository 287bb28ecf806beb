// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLite
import Synchronization

/// Runs changes one at a time, and lets those that wait at the same moment share one commit.
///
/// A commit that survives a loss of power waits for the disk, which takes longer than most changes. So while one commit
/// is under way others gather, and the next one carries those of a lane, as ``WriteScheduler`` says. One that fails leaves
/// the others alone: if it has changed rows, all of them are executed again with a savepoint each.
final class GroupCommitQueue: Sendable {
    struct Job: Sendable {
        let run: @Sendable (Database) throws -> Success
        let fail: @Sendable (any Error) -> Void
    }

    /// The actions after a change is durable.
    struct Success: Sendable {
        let changes: [StoreChange]
        let resume: @Sendable () -> Void
    }

    /// A change failed after it had changed rows, which must not be committed with the others, or it ignored a failure.
    private struct PartialChange: Error {}

    private struct State {
        var turns = WriteScheduler<Job>()
        var isDraining = false
        var isClosed = false
    }

    private let pool: DatabasePool
    private let broadcast: StoreChangeBroadcaster
    private let checkpointer: Checkpointer?
    private let corruptRows: CorruptRowLog
    private let state = Mutex(State())

    init(pool: DatabasePool, broadcast: StoreChangeBroadcaster, corruptRows: CorruptRowLog, checkpointer: Checkpointer?)
    {
        self.pool = pool
        self.broadcast = broadcast
        self.corruptRows = corruptRows
        self.checkpointer = checkpointer
    }

    /// Refuses all further changes; those that wait are still made.
    ///
    /// - Returns: whether the queue was open before.
    func close() -> Bool {
        self.state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Runs a change in a transaction; when it is durable, sends its signals and returns.
    ///
    /// The body may run more than once, each time from the same state; only its last run counts.
    func run<Value: Sendable>(
        in lane: Lane = .urgent,
        _ body: @escaping @Sendable (Database, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        // The queue calls either `fail` or what `run` returns, once.
        try await withUnsafeThrowingContinuation { continuation in
            let job = Job(
                run: { database in
                    var changes: [StoreChange] = []
                    let value = try body(database, &changes)
                    return Success(changes: changes) { continuation.resume(returning: value) }
                },
                fail: { continuation.resume(throwing: $0) }
            )
            self.enqueue(job, in: lane)
        }
    }

    /// Lets a change wait for its turn; never waits itself.
    func enqueue(_ job: Job, in lane: Lane) {
        let (isClosed, isFirst) = self.state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed else { return (true, false) }
            state.turns.append(job, in: lane)
            defer { state.isDraining = true }
            return (false, !state.isDraining)
        }
        if isClosed { job.fail(StoreError(code: .unavailable, message: "The store \(self.pool.path) is closed.")) }
        guard isFirst else { return }
        self.pool.writer.enqueue { database in
            self.corruptRows.observe {
                while let group = self.nextGroup() {
                    self.commit(group, database)
                    self.checkpointer?.lookAround(database)
                }
            }
        }
    }

    private func nextGroup() -> [Job]? {
        self.state.withLock { state in
            let group = state.turns.next()
            if group.isEmpty { state.isDraining = false }
            return group.isEmpty ? nil : group
        }
    }

    private func commit(_ group: [Job], _ database: Database) {
        guard group.count > 1 else {
            for job in group { self.commitAlone(job, database) }
            return
        }
        let results: [Result<Success, any Error>]
        do {
            do {
                results = try self.execute(group, database)
            } catch is PartialChange {
                // A savepoint costs each change two statements and copies of the pages that it writes.
                results = try self.execute(group, database, hasSavepoints: true)
            }
        } catch {
            let failure = StoreError.translating(error, path: self.pool.path)
            for job in group {
                if Self.concernsAll(error) { job.fail(failure) } else { self.commitAlone(job, database) }
            }
            return
        }
        for (job, result) in zip(group, results) {
            switch result {
            case .success(let success): self.complete(success)
            case .failure(let error): job.fail(StoreError.translating(error, path: self.pool.path))
            }
        }
    }

    private func execute(
        _ group: [Job],
        _ database: Database,
        hasSavepoints: Bool = false
    ) throws -> [Result<Success, any Error>] {
        try database.inTransaction(.immediate) {
            try group.map { job in
                let changes = database.totalChanges
                let result = Result {
                    hasSavepoints ? try database.inSavepoint { try job.run(database) } : try job.run(database)
                }
                // Some failures, such as a full disk, roll the whole transaction back.
                guard database.isInsideTransaction else {
                    _ = try result.get()
                    throw PartialChange()
                }
                if case .failure = result, !hasSavepoints, database.totalChanges != changes { throw PartialChange() }
                return result
            }
        }
    }

    private func commitAlone(_ job: Job, _ database: Database) {
        do {
            self.complete(try database.inTransaction(.immediate) { try job.run(database) })
        } catch {
            job.fail(StoreError.translating(error, path: self.pool.path))
        }
    }

    /// Whether a failure would meet every change alike, so that trying each alone would only wait longer.
    private static func concernsAll(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.resultCode {
        case .busy, .locked, .readOnly, .cannotOpen, .misuse: return true
        default: return false
        }
    }

    private func complete(_ success: Success) {
        self.broadcast.send(success.changes)
        success.resume()
    }
}

/// Decides the order of changes: a pure state machine.
///
/// Changes that wait in a lane share one commit. Urgent ones go first; but after each of their commits, those of the
/// bulk lane have one, so that they never starve.
struct WriteScheduler<Job> {
    /// The most urgent changes that share one commit.
    static var maximumUrgent: Int { 256 }

    /// The most bulk changes that share one commit: few enough that an urgent one waits only for a moment.
    static var maximumBulk: Int { 4 }

    private var urgent: [Job] = []
    private var bulk: [Job] = []
    private var isTurnOfBulk = false

    mutating func append(_ job: Job, in lane: Lane) {
        switch lane {
        case .urgent: self.urgent.append(job)
        case .bulk: self.bulk.append(job)
        }
    }

    /// Takes the changes of the next commit.
    ///
    /// - Returns: changes of one lane in their order; none when nothing waits.
    mutating func next() -> [Job] {
        let isBulk = self.urgent.isEmpty || (self.isTurnOfBulk && !self.bulk.isEmpty)
        self.isTurnOfBulk = !isBulk
        return isBulk
            ? Self.take(Self.maximumBulk, from: &self.bulk) : Self.take(Self.maximumUrgent, from: &self.urgent)
    }

    private static func take(_ count: Int, from jobs: inout [Job]) -> [Job] {
        let taken = Array(jobs.prefix(count))
        jobs.removeFirst(taken.count)
        return taken
    }
}
