// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite
import Synchronization

extension SQLiteStore: WorkerLiveness {
    /// The wait before another attempt to lock the own file, which another process holds while it looks at it.
    private static let retryDelay = Duration.milliseconds(20)

    public func hold(_ worker: WorkerID) async throws {
        try self.workerLocks.prepare()
        var held: WorkerLockFile?
        while held == nil {
            held = try self.workerLocks.lock(worker, creates: true)
            if held == nil { try await Task.sleep(for: Self.retryDelay) }
        }
        self.heldLock.withLock { $0 = held }
        defer { self.heldLock.withLock { $0 = nil } }
        // Ends when the task is cancelled or the store is closed.
        for await _ in self.broadcast.changes({ _ in false }) {}
        if Task.isCancelled { held?.remove() }
    }

    public func terminatedWorkers() async throws -> [WorkerID] {
        // The own file is locked too, by another descriptor.
        try self.workerLocks.workers().filter { try self.workerLocks.lock($0, creates: false) != nil }
    }

    public func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int] {
        // Held until the commit, so that no other process expires them too.
        guard let lock = try self.workerLocks.lock(worker, creates: false) else { return [:] }
        let activities = lock.note()
        let expired = try await self.write { database, changes in
            try LeaseSQL(database: database)
                .expireLeases(of: worker, noted: activities, now: now, signalling: &changes)
        }
        lock.remove()
        return expired
    }

    public func tryNextSuspect(now: Date) async throws {
        // Mostly there is none: found out without a change, which would wait for the disk.
        let isIdle = try await self.read { try $0.row(LeaseSQL.suspects) == nil }
        if isIdle { return }
        try await self.write { database, changes in
            try LeaseSQL(database: database).tryNextSuspect(now: now, signalling: &changes)
        }
    }

    public func note(_ activities: [Int64]) async throws {
        self.heldLock.withLock { $0 }?.write(activities)
    }

    public func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] {
        try await self.read(leases: { try $0.dueActivities(limit: PageLimit.clamp(limit), now: now) })
    }

    public func forgetInterruptions(ofActivities numbers: [Int64]) async throws {
        try await self.write(leases: { leases, _ in try leases.forgetInterruptions(ofActivities: numbers) })
    }
}

extension SQLiteStore: QuarantineStore {
    private func write<Value: Sendable>(
        leases body: @escaping @Sendable (LeaseSQL, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        try await self.write { database, changes in try body(LeaseSQL(database: database), &changes) }
    }

    private func read<Value: Sendable>(
        leases body: @escaping @Sendable (LeaseSQL) throws -> Value
    ) async throws -> Value {
        try await self.read { try body(LeaseSQL(database: $0)) }
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

/// The leases of a SQLite database.
struct LeaseSQL: LeaseConnection {
    let database: Database

    var locked: String { "" }
    var skippingLocked: String { "" }

    var dueActivities: String { "activities" }

    var activityRelease: String { "UPDATE activities SET due_at = $1 WHERE number = $2 AND due_at > $1" }

    func rows(_ sql: String, binding values: [LeaseValue]) throws -> [Row] {
        try self.database.rows(sql, Self.arguments(values))
    }

    @discardableResult
    func change(_ sql: String, binding values: [LeaseValue]) throws -> Int {
        try self.database.run(sql, Self.arguments(values))
    }

    func forgetIfDelivered(_ message: APNsID) throws { try self.database.removeIfDelivered(message) }

    func setAside(_ aside: SetAside) throws { try self.database.setAside(aside) }

    func fail(_ run: JobRunID, message: String, now: Date, signalling changes: inout [StoreChange]) throws {
        if try self.database.failRun(run, message: message, now: now) { changes.append(.jobsDue) }
    }

    private static func arguments(_ values: [LeaseValue]) -> StatementArguments {
        values.map { value -> (any StatementArgument)? in
            switch value {
            case .id(let id): id.stored
            case .text(let text): text
            case .integer(let number): number
            }
        }
    }
}
