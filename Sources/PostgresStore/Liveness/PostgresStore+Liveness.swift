// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import Logging
public import PushModel
public import PushStore
import SQLStore
import Synchronization

extension PostgresStore: WorkerLiveness {
    /// The wait before a free lock is checked again: a process whose session was cut registers again within it.
    private static let confirmationDelay = Duration.milliseconds(300)

    /// The time after the own registration in which workers may still be connecting that lost their sessions too.
    private static let reconnectionTime = Duration.seconds(15)

    public func hold(_ worker: WorkerID) async throws {
        self.feed.hold(worker)
        // Ends when the task is cancelled or the store is closed.
        for await _ in self.broadcast.changes({ _ in false }) {}
        guard Task.isCancelled else { return }
        self.feed.hold(nil)
        try await self.sql.run("DELETE FROM workers WHERE worker = \(worker)")
    }

    public func terminatedWorkers() async throws -> [WorkerID]? {
        guard let free = try await self.freeWorkers() else { return nil }
        if free.isEmpty { return [] }
        try await Task.sleep(for: Self.confirmationDelay)
        guard let stillFree = try await self.freeWorkers() else { return nil }
        return stillFree.filter { free[$0.key] != nil }.values.sorted()
    }

    /// The workers whose locks are free, by the numbers of the locks; `nil` if this process does not hold its own lock.
    private func freeWorkers() async throws -> [Int: WorkerID]? {
        guard let own = try await self.registration() else { return nil }
        let isSettled = own.time.duration(to: .now) > Self.reconnectionTime
        let locks = try await self.workerLocks(includingEarlierStarts: isSettled)
        let isFree = locks.first { $0.number == own.number }?.isFree
        guard isFree == false else {
            self.feed.worker.lost(own, isFailure: isFree == true)
            self.feed.wake()
            return nil
        }
        self.feed.worker.confirm(own)
        // A server that recovers from a crash cuts all sessions, and keeps its time of start.
        if own.isRepeated, !isSettled { return [:] }
        let free = locks.filter(\.isFree).compactMap { lock in lock.worker.map { (lock.number, $0) } }
        return Dictionary(free) { first, _ in first }
    }

    /// The registration of this process; waits a second for it, as it takes when the process starts.
    private func registration() async throws -> WorkerSession.Registration? {
        for _ in 0..<20 {
            if let registration = try self.feed.worker.registration() { return registration }
            self.feed.wake()
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// The locks of all workers; those that registered before the server started have lost theirs.
    func workerLocks(includingEarlierStarts: Bool) async throws -> [(number: Int, worker: WorkerID?, isFree: Bool)] {
        try await self.run(ConnectionSlot.Policy(isCancellable: true)) { connection in
            try connection.rows(
                text: """
                    SELECT worker, number, pg_try_advisory_xact_lock(\(WorkerSession.lockClass), number) AS is_free
                    FROM workers WHERE server_started_at = \(WorkerSession.serverStart) OR $1 = 1
                    """,
                [.number(includingEarlierStarts ? 1 : 0)]
            ).map { row in
                let worker = try row.text("worker").flatMap { WorkerID(rawValue: $0) }
                return (number: try row.number("number"), worker: worker, isFree: try row.number("is_free") == 1)
            }
        }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        try await self.sql.write { transaction in
            // Another process may be expiring its leases.
            let row = try transaction.first(
                "SELECT number, note FROM workers WHERE worker = \(worker) FOR UPDATE SKIP LOCKED"
            )
            // The lock, whose class is `WorkerSession.lockClass`, is held until the transaction ends.
            guard let row, let number = try row.integer("number"),
                let lock = try transaction.first(
                    "SELECT pg_try_advisory_xact_lock('workers'::regclass::oid::integer, \(number)::integer) AS is_free"
                ),
                try lock.number("is_free") == 1
            else { return [:] }
            let note = try row.text("note") ?? ""
            let expired = try transaction.expireLeases(
                of: worker,
                noted: note.split(separator: " ").compactMap { Int64($0) },
                now: now
            )
            // The row stays for a minute, the duration of a lease: the server may carry out a transaction that a
            // terminated process left, and that claims. So its leases are expired again at each check.
            let serverTime: SQL = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
            try transaction.run(
                "DELETE FROM workers WHERE worker = \(worker) AND terminated_at <= \(serverTime) - 60000"
            )
            try transaction.run(
                """
                UPDATE workers SET terminated_at = \(serverTime), note = NULL
                WHERE worker = \(worker) AND terminated_at IS NULL
                """
            )
            return expired
        }
    }

    public func note(_ activities: [Int64]) async throws {
        guard let number = (try? self.feed.worker.registration())?.number else { return }
        let note = activities.map(String.init).joined(separator: " ")
        try await self.write { connection, _ in
            // A note that a crash of the server loses is only missed.
            try connection.queue("SET LOCAL synchronous_commit = off")
            try connection.queue("UPDATE workers SET note = $1 WHERE number = $2", [.text(note), .number(number)])
        }
    }
}

/// The registration of this process as a worker: a row in `workers`, and an advisory lock of the session that listens.
///
/// The session ends with the process, and the lock with the session. The thread of the ``ListenNotifyChannel`` registers.
final class WorkerSession: Sendable {
    /// A row of `workers` whose lock the session holds.
    struct Registration: Hashable, Sendable {
        let number: Int
        let time: ContinuousClock.Instant

        /// Whether the process was registered before, and lost that registration.
        var isRepeated = false
    }

    private struct State {
        var worker: WorkerID?
        var registration: Registration?
        var hasRegistered = false

        /// How many registrations in a row were of no use.
        var failures = 0
    }

    private static let maximumFailures = 3
    private let state = Mutex(State())

    /// Registers a worker from now on; `nil` registers none.
    func hold(_ worker: WorkerID?) {
        self.state.withLock { $0 = State(worker: worker) }
    }

    /// The registration of this process; `nil` while it has none.
    ///
    /// - Throws: `UnreliableLocksError` if several registrations in a row were of no use.
    func registration() throws -> Registration? {
        try self.state.withLock { state in
            guard state.failures < Self.maximumFailures else {
                throw UnreliableLocksError(
                    "The database does not keep session-level advisory locks, for example because of a pooler that "
                        + "shares sessions."
                )
            }
            return state.registration
        }
    }

    /// The session has ended, and its lock with it.
    func sessionEnded() {
        self.state.withLock { $0.registration = nil }
    }

    /// A registration was found to be lost; `isFailure` if its session seems to live.
    func lost(_ registration: Registration, isFailure: Bool) {
        self.state.withLock { state in
            guard state.registration == registration else { return }
            state.registration = nil
            if isFailure { state.failures += 1 }
        }
    }

    /// A registration was found to be held.
    func confirm(_ registration: Registration) {
        self.state.withLock { if $0.registration == registration { $0.failures = 0 } }
    }

    /// Registers the worker on the session that listens, unless there is none or it is registered.
    ///
    /// - Throws: ``PostgresError`` if the session is lost.
    func register(on connection: PostgresConnection, logger: Logger) throws {
        let worker = self.state.withLock { $0.registration == nil ? $0.worker : nil }
        guard let worker else { return }
        do {
            try connection.queue("SELECT pg_advisory_unlock_all()")
            let row = try connection.row(text: Self.registering, [.text(worker.rawValue)])
            guard let number = try row?.number("number") else { return }
            self.state.withLock { state in
                guard state.worker == worker else { return }
                state.registration = Registration(number: number, time: .now, isRepeated: state.hasRegistered)
                state.hasRegistered = true
            }
        } catch let failure as PostgresError where !connection.isBroken {
            // The feed continues without a lock; the next check registers again.
            logger.warning("Failed to register as a worker", metadata: ["error": "\(failure)"])
            // A full disk, or a lock timeout, does not show that locks are unreliable.
            if failure.isUnsupported { self.state.withLock { $0.failures += 1 } }
        }
    }

    /// The first key of the locks, which separates the schemas of a database.
    static let lockClass = "'workers'::regclass::oid::integer"

    /// The time at which the server started, in milliseconds since 1970.
    ///
    /// Locks do not survive it.
    static let serverStart = "(extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint"

    /// Takes the ID of the worker.
    ///
    /// The row is visible to others once the lock is held.
    ///
    /// The number is new, because the lock of the former one is held until the server notices that its session is lost.
    private static let registering = """
        WITH registered AS (
            INSERT INTO workers (worker, server_started_at) VALUES ($1, \(WorkerSession.serverStart))
            ON CONFLICT (worker) DO UPDATE SET number = EXCLUDED.number,
                server_started_at = EXCLUDED.server_started_at, terminated_at = NULL
            RETURNING number
        )
        SELECT number, pg_advisory_lock(\(WorkerSession.lockClass), number) FROM registered
        """
}
