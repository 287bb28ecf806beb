// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore

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
        try await self.write { _ = try $0.queue("DELETE FROM workers WHERE worker = $1", [.text(worker.rawValue)]) }
    }

    public func terminatedWorkers() async throws -> [WorkerID] {
        guard let free = try await self.freeWorkers(), !free.isEmpty else { return [] }
        try await Task.sleep(for: Self.confirmationDelay)
        guard let stillFree = try await self.freeWorkers() else { return [] }
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

    /// The lock of a worker, as another session sees it.
    struct WorkerLock: Hashable, Sendable {
        let number: Int
        let worker: WorkerID?
        let isFree: Bool
    }

    /// The locks of all workers.
    ///
    /// Those that registered before the server started have lost theirs.
    func workerLocks(includingEarlierStarts: Bool) async throws -> [WorkerLock] {
        try await self.read { connection in
            try connection.rows(Self.checking, [.number(includingEarlierStarts ? 1 : 0)]).map { row in
                WorkerLock(
                    number: try row.number("number"),
                    worker: try row.text("worker").flatMap { WorkerID(rawValue: $0) },
                    isFree: try row.number("is_free") == 1
                )
            }
        }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        let name = PostgresValue.text(worker.rawValue)
        return try await self.write { connection, changes in
            guard let row = try connection.row(Self.locking, [name]), let number = try row.integer("number"),
                let lock = try connection.row(Self.lockAttempt, [.integer(number)]), try lock.number("is_free") == 1
            else { return [:] }
            let note = try row.text("note") ?? ""
            let expired = try LeaseSession(connection: connection).expireLeases(
                of: worker,
                noted: note.split(separator: " ").compactMap { Int64($0) },
                now: now,
                signalling: &changes
            )
            try connection.queue(Self.removal, [name])
            try connection.queue(Self.marking, [name])
            return expired
        }
    }

    public func tryNextSuspect(now: Date) async throws {
        let isIdle = try await self.read { try $0.row(LeaseSession.suspects) == nil }
        if isIdle { return }
        try await self.write(leases: { leases, changes in
            try leases.tryNextSuspect(now: now, signalling: &changes)
        })
    }

    public func note(_ activities: [Int64]) async throws {
        guard let number = (try? self.feed.worker.registration())?.number else { return }
        let note = activities.map(String.init).joined(separator: " ")
        try await self.write { connection in
            // A note that a crash of the server loses is only missed.
            try connection.queue("SET LOCAL synchronous_commit = off")
            try connection.queue("UPDATE workers SET note = $1 WHERE number = $2", [.text(note), .number(number)])
        }
    }

    public func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] {
        try await self.read(leases: { try $0.dueActivities(limit: PageLimit.clamp(limit), now: now) })
    }

    public func forgetInterruptions(ofActivities numbers: [Int64]) async throws {
        try await self.write(leases: { leases, _ in try leases.forgetInterruptions(ofActivities: numbers) })
    }
}

extension PostgresStore: QuarantineStore {
    private func write<Value: Sendable>(
        leases body: @escaping @Sendable (LeaseSession, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.write { connection, changes in try body(LeaseSession(connection: connection), &changes) }
    }

    private func read<Value: Sendable>(
        leases body: @escaping @Sendable (LeaseSession) throws -> Value
    ) async throws -> Value {
        try await self.read { try body(LeaseSession(connection: $0)) }
    }

    public func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<QuarantinedItem, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read(leases: { leases in
            try leases.quarantinedItems(of: app, kind: kind, after: cursor, limit: limit)
        })
    }

    public func unreportedItems(limit: Int) async throws -> [QuarantinedItem] {
        try await self.read(leases: { try $0.unreportedItems(limit: PageLimit.clamp(limit)) })
    }

    public func markReported(_ number: Int64, now: Date) async throws -> Bool {
        try await self.write(leases: { leases, _ in try leases.markReported(number, now: now) })
    }

    public func quarantinedItem(_ number: Int64) async throws -> QuarantinedItem? {
        try await self.read(leases: { try $0.quarantinedItem(number) })
    }

    @discardableResult
    public func repeatQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem? {
        try await self.write(leases: { leases, changes in
            try leases.repeatQuarantinedItem(number, now: now, signalling: &changes)
        })
    }

    @discardableResult
    public func removeQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem? {
        try await self.write(leases: { leases, _ in try leases.removeQuarantinedItem(number, now: now) })
    }
}

/// The leases of a PostgreSQL database.
struct LeaseSession: LeaseConnection {
    let connection: PostgresConnection

    var locked: String { "FOR UPDATE" }
    var skippingLocked: String { "FOR UPDATE SKIP LOCKED" }

    var dueActivities: String { "activities JOIN activity_due ON activity_due.activity = activities.number" }

    var activityRelease: String { "UPDATE activity_due SET due_at = $1 WHERE activity = $2 AND due_at > $1" }

    func rows(_ sql: String, binding values: [LeaseValue]) throws -> [PostgresRow] {
        try self.connection.rows(sql, Self.values(values))
    }

    @discardableResult
    func change(_ sql: String, binding values: [LeaseValue]) throws -> Int {
        let reply = try self.connection.queue(sql, Self.values(values))
        try self.connection.receive()
        return reply.changes
    }

    func forgetIfDelivered(_ message: APNsID) throws { try self.connection.removeIfDelivered(message) }

    func setAside(_ aside: SetAside) throws { try self.connection.setAside(aside) }

    func fail(_ run: JobRunID, message: String, now: Date, signalling changes: inout [StoreChange]) throws {
        if try self.connection.failRun(run, message: message, now: now) { changes.append(.jobsDue) }
    }

    private static func values(_ values: [LeaseValue]) -> [PostgresValue] {
        values.map { value in
            switch value {
            case .id(let id): .id(id)
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            }
        }
    }
}

extension PostgresStore {
    /// Takes 1 if workers of an earlier start of the server are checked too.
    private static let checking = """
        SELECT worker, number, pg_try_advisory_xact_lock(\(WorkerSession.lockClass), number) AS is_free FROM workers
        WHERE server_started_at = \(WorkerSession.serverStart) OR $1 = 1
        """

    /// Takes the ID of the worker.
    ///
    /// Another process may be expiring its leases.
    private static let locking = "SELECT number, note FROM workers WHERE worker = $1 FOR UPDATE SKIP LOCKED"

    /// Takes the number of the lock, which is held until the transaction ends.
    private static let lockAttempt = """
        SELECT pg_try_advisory_xact_lock(\(WorkerSession.lockClass), $1::integer) AS is_free
        """

    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    /// Takes the ID of the worker.
    ///
    /// The row stays for a minute, the duration of a lease: the server may carry out a transaction that a terminated
    /// process left, and that claims. So its leases are expired again at each check.
    private static let removal = """
        DELETE FROM workers WHERE worker = $1 AND terminated_at <= \(PostgresStore.now) - 60000
        """

    /// Takes the ID of the worker.
    private static let marking = """
        UPDATE workers SET terminated_at = \(PostgresStore.now), note = NULL WHERE worker = $1 AND terminated_at IS NULL
        """
}
