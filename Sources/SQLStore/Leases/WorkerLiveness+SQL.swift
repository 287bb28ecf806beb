// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
package import PushModel
public import PushStore

extension WorkerLiveness where Self: SQLBacked {
    public func tryNextSuspect(now: Date) async throws {
        guard try await self.sql.finds(SQL.suspects) else { return }
        try await self.sql.write { try $0.tryNextSuspect(now: now) }
    }

    public func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] {
        try await self.sql.list(
            """
            SELECT activities.number, activities.id, coalesce((
                    SELECT count FROM interruptions
                    WHERE kind = 'activity' AND key = CAST(activities.number AS text) AND quarantined_at IS NULL
                ), 0) AS interruptions
            FROM activities\(SQL.timesJoin)
            WHERE due_at <= \(now) ORDER BY due_at, activities.number LIMIT \(PageLimit.clamp(limit))
            """,
            in: "activities"
        ) { try DueActivity(stored: $0) }
    }

    public func forgetInterruptions(ofActivities numbers: [Int64]) async throws {
        try await self.sql.run(
            """
            DELETE FROM interruptions
            WHERE kind = 'activity' AND key \(in: numbers.map(String.init)) AND quarantined_at IS NULL
            """
        )
    }
}

extension SQLTransaction {
    /// The time after which interruptions no longer count.
    private static let window: TimeInterval = 3600

    /// The time for which a suspect is tried.
    private static let trial: TimeInterval = 60

    /// Ends the leases of a worker, and counts interruptions; see `WorkerLiveness.expireLeases`.
    package func expireLeases(of worker: WorkerID, noted activities: [Int64], now: Date) throws -> [WorkKind: Int] {
        try self.run(
            """
            DELETE FROM interruptions
            WHERE quarantined_at IS NULL AND (count < 2 OR kind = 'activity')
                AND interrupted_at < \(now.addingTimeInterval(-Self.window))
            """
        )
        let isOther = try self.hadOtherSuspect(worker, noted: activities)
        var expired: [WorkKind: Int] = [:]
        for table in LeaseTable.all {
            if !table.countsInterruptions {
                // A job run may have become claimable since the lease expired.
                for row in try self.rows(table.leased(by: worker)) {
                    try row.readable(in: "interruptions") { row in
                        let count = try self.interrupt(row, in: table, isOther: isOther, now: now)
                        expired[table.kind, default: 0] += 1
                        guard count >= Interruptions.maximum, table.kind == .jobRun,
                            case .id(let id?)? = table.value(of: try table.key(of: row))
                        else { return }
                        let message = "Quarantined: three processes in a row were terminated during this run."
                        try self.failRun(JobRunID(id), message: message, now: now)
                    }
                }
            }
            // All leases of batches, and of rows whose keys cannot be read.
            let count = try self.run(table.expiration(of: worker, now: now)).changes
            if count > 0 { expired[table.kind, default: 0] += count }
        }
        for number in activities { try self.interrupt(activity: number, now: now) }
        if !expired.isEmpty { self.signal(.missed) }
        return expired
    }

    /// Whether the worker had a batch, or executed an activity alone, that may have terminated it as well as the item
    /// on trial.
    private func hadOtherSuspect(_ worker: WorkerID, noted activities: [Int64]) throws -> Bool {
        if activities.count == 1, let number = activities.first {
            let suspect = try self.first(
                """
                SELECT 1 FROM interruptions WHERE kind = 'activity' AND key = \(String(number))
                    AND quarantined_at IS NULL AND count >= \(Interruptions.maximum - 1)
                """
            )
            if suspect != nil { return true }
        }
        guard let batches = LeaseTable.of(.batch) else { return false }
        return try self.first(batches.leasedSuspect(by: worker, beyond: 0)) != nil
    }

    /// Counts an interruption of a leased item, and ends its lease.
    ///
    /// - Returns: how many there were in a row within the last hour. It stays below the maximum if another item may
    ///   have terminated the process.
    private func interrupt(_ row: StoredRow, in table: LeaseTable, isOther: Bool, now: Date) throws -> Int {
        let key = try table.key(of: row)
        let count = try self.interrupt(
            table.kind,
            key: key,
            item: key,
            app: try row.integer("app"),
            progress: try row.text("progress"),
            limit: isOther ? Interruptions.maximum - 1 : Interruptions.maximum,
            now: now
        )
        if let value = table.value(of: key) {
            let end = count < Interruptions.maximum - 1 ? table.newEnd(now: now) : LeaseTable.never
            try self.run(table.release(value, at: end))
        }
        if count >= Interruptions.maximum { try self.quarantine(table.kind, key: key, now: now) }
        return count
    }

    private func interrupt(activity number: Int64, now: Date) throws {
        guard let row = try self.first("SELECT id, app FROM activities WHERE number = \(number)") else { return }
        let key = String(number)
        let count = try self.interrupt(
            .activity,
            key: key,
            item: try row.string("id"),
            app: try row.integer("app"),
            progress: nil,
            limit: Interruptions.maximum,
            now: now
        )
        guard count >= Interruptions.maximum else { return }
        let reason = "three processes in a row were terminated while they processed its due transitions"
        try self.setAside(number, reason: reason, until: Date(millisecondsSince1970: LeaseTable.never), now: now)
        try self.quarantine(.activity, key: key, now: now)
    }

    /// Counts an interruption.
    ///
    /// An item counts from 1 if it made progress since the last one, or if it continued after a quarantine.
    /// - Returns: how many there were in a row within the last hour, at most `limit`.
    private func interrupt(
        _ kind: WorkKind,
        key: String,
        item: String,
        app: Int64?,
        progress: String?,
        limit: Int,
        now: Date
    ) throws -> Int {
        let row = try self.first(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, progress)
            VALUES (\(kind.rawValue), \(key), \(item), \(app), 1, \(now), \(progress))
            ON CONFLICT (kind, key) DO UPDATE SET interrupted_at = excluded.interrupted_at,
                progress = excluded.progress, tried_at = NULL, quarantined_at = NULL, reported_at = NULL, reason = NULL,
                count = CASE WHEN interruptions.quarantined_at IS NOT NULL
                    OR interruptions.interrupted_at < \(now.addingTimeInterval(-Self.window))
                    OR interruptions.count NOT BETWEEN 0 AND \(Interruptions.maximum)
                    OR coalesce(interruptions.progress, '') <> coalesce(excluded.progress, '')
                    THEN 1 ELSE \(SQL.least)(interruptions.count + 1, \(limit)) END
            RETURNING count
            """
        )
        return try row?.number("count") ?? 1
    }

    /// Whether an item is tried now; batches and activities have no trials.
    func isTryingSuspect() throws -> Bool {
        try self.first("\(SQL.suspects) AND tried_at IS NOT NULL LIMIT 1") != nil
    }

    /// Makes an item claimable whose time is still `time`.
    ///
    /// - Returns: the result, which has no changes if the item was paused, continued or removed meanwhile; `nil` for an
    ///   invalid key.
    @discardableResult
    func reschedule(_ key: String, in table: LeaseTable, from time: Int64, now: Date) throws -> (any SQLResult)? {
        guard let value = table.value(of: key) else { return nil }
        return try self.run(table.reschedule(value, from: time, to: now.millisecondsSince1970))
    }

    /// Makes the next suspect claimable; see `WorkerLiveness.tryNextSuspect`.
    ///
    /// No trial begins while a suspect batch is leased.
    fileprivate func tryNextSuspect(now: Date) throws {
        // Another process may be choosing one: the rows are as it leaves them, not their order.
        let suspects = try self.rows("\(SQL.suspects) ORDER BY number\(lock: " FOR UPDATE")")
        let tried = try suspects.filter { try $0.integer("tried_at") != nil }
        let waiting = try suspects.filter { try $0.integer("tried_at") == nil }
        for suspect in tried + waiting {
            let number = try suspect.int64("number")
            let key = try suspect.string("key")
            guard let table = WorkKind(rawValue: try suspect.string("kind")).flatMap({ LeaseTable.of($0) }) else {
                continue
            }
            let triedAt = try suspect.integer("tried_at")
            if triedAt == nil, let batches = LeaseTable.of(.batch),
                try self.first(batches.leasedSuspect(beyond: now.millisecondsSince1970)) != nil
            {
                return
            }
            if let triedAt {
                guard try self.isOver(suspect, key: key, in: table, triedAt: triedAt, now: now) else { return }
                // The clock may have been set back.
                try self.reschedule(key, in: table, from: triedAt, now: now)
            } else if let result = try self.reschedule(key, in: table, from: LeaseTable.never, now: now),
                try result.changes > 0
            {
                try self.run("UPDATE interruptions SET tried_at = \(now) WHERE number = \(number)")
                self.signal(.missed)
                return
            }
            try self.run("DELETE FROM interruptions WHERE number = \(number)")
        }
    }

    /// Whether a suspect was processed without a crash.
    private func isOver(
        _ suspect: StoredRow,
        key: String,
        in table: LeaseTable,
        triedAt: Int64,
        now: Date
    ) throws -> Bool {
        guard let value = table.value(of: key), let row = try self.first(table.state(value)) else { return true }
        let time = now.millisecondsSince1970
        if triedAt > time || now.addingTimeInterval(-Self.trial).millisecondsSince1970 >= triedAt { return true }
        if try row.text("progress") != suspect.text("progress") { return true }
        return try row.text("worker") == nil && row.integer("claimable_at") != triedAt
    }
}

extension SQL {
    /// The items that wait to be tried, and the one that is.
    ///
    /// A scheduler decides activities one by one. The kinds of later versions are unknown.
    fileprivate static let suspects: SQL = """
        SELECT number, kind, key, tried_at, progress FROM interruptions
        WHERE count = \(Interruptions.maximum - 1) AND quarantined_at IS NULL
            AND kind \(in: LeaseTable.all.map(\.kind.rawValue))
        """
}
