// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel

/// A transaction on the leases of a store.
///
/// What both stores do alike is written once, in extensions. Statements number their values: `$1`, `$2`.
package protocol LeaseConnection {
    associatedtype Row: StoredRow, SendableMetatype

    /// The clause that locks rows, and waits for those that others have locked; empty where there is one writer.
    var locked: String { get }

    /// The clause that locks rows, and passes over those that others have locked.
    var skippingLocked: String { get }

    func rows(_ sql: String, binding values: [LeaseValue]) throws -> [Row]

    /// - Returns: the number of rows that changed.
    @discardableResult
    func change(_ sql: String, binding values: [LeaseValue]) throws -> Int

    /// The tables of the activities of which something is due.
    var dueActivities: String { get }

    /// Sets the activity with this number aside.
    func setAside(_ aside: SetAside) throws

    /// Makes an activity that was set aside due at a time, its first value; the second is the activity.
    var activityRelease: String { get }

    /// Removes a message of a topic if nothing delivers it any more.
    func forgetIfDelivered(_ message: APNsID) throws

    /// Ends a run of a job as failed, and lets the next run of the job begin.
    func fail(_ run: JobRunID, message: String, now: Date, signalling changes: inout [StoreChange]) throws
}

// MARK: - Interruptions

extension LeaseConnection {
    /// The time after which interruptions no longer count.
    private var window: TimeInterval { 3600 }

    /// The time for which a suspect is tried.
    private var trial: TimeInterval { 60 }

    /// Ends the leases of a worker, and counts what was interrupted; see ``WorkerLiveness/expireLeases(of:now:)``.
    package func expireLeases(
        of worker: WorkerID,
        noted activities: [Int64],
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> [WorkKind: Int] {
        try self.change(
            """
            DELETE FROM interruptions
            WHERE quarantined_at IS NULL AND (count < 2 OR kind = 'activity') AND interrupted_at < $1
            """,
            binding: [.integer(now.addingTimeInterval(-self.window).millisecondsSince1970)]
        )
        let isOther = try self.hadOtherSuspect(worker, noted: activities)
        var expired: [WorkKind: Int] = [:]
        for table in LeaseTable.all {
            if !table.countsInterruptions {
                // A job run may have become claimable since the lease expired.
                let values: [LeaseValue] = [.integer(0), .text(worker.rawValue)]
                for row in try self.rows(table.leased(locking: self.skippingLocked), binding: values) {
                    try row.readable(in: "interruptions") { row in
                        let count = try self.interrupt(row, in: table, isOther: isOther, now: now)
                        expired[table.kind, default: 0] += 1
                        guard count >= Interruptions.maximum, table.kind == .jobRun,
                            case .id(let id)? = table.value(of: try table.key(of: row))
                        else { return }
                        let message = "Quarantined: three processes in a row were terminated during this run."
                        try self.fail(JobRunID(id), message: message, now: now, signalling: &changes)
                    }
                }
            }
            // All leases of batches, and of rows whose keys cannot be read.
            let count = try self.change(
                table.expiration(locking: self.skippingLocked),
                binding: [.integer(table.newEnd(now: now)), .text(worker.rawValue)]
            )
            if count > 0 { expired[table.kind, default: 0] += count }
        }
        for number in activities { try self.interrupt(activity: number, now: now) }
        if !expired.isEmpty { changes.append(.missed) }
        return expired
    }

    /// Whether the worker had a batch, or decided an activity alone, that may be what terminated it as well as an item
    /// that was tried.
    private func hadOtherSuspect(_ worker: WorkerID, noted activities: [Int64]) throws -> Bool {
        if activities.count == 1, let number = activities.first {
            let row = try self.rows(
                "SELECT count FROM interruptions WHERE kind = 'activity' AND key = $1 AND quarantined_at IS NULL",
                binding: [.text(String(number))]
            ).first
            if let row, try row.int64("count") >= Interruptions.maximum - 1 { return true }
        }
        guard let batches = LeaseTable.of(.batch) else { return false }
        return try !self.rows(batches.leasedSuspect, binding: [.integer(0), .text(worker.rawValue)]).isEmpty
    }

    /// Counts an interruption of a leased item, and ends its lease.
    ///
    /// - Returns: how many there were in a row within the last hour. It stays below the limit if another item may have
    ///   terminated the process.
    private func interrupt(_ row: Row, in table: LeaseTable, isOther: Bool, now: Date) throws -> Int {
        let key = try table.key(of: row)
        var count = try self.interrupt(
            table.kind,
            key: key,
            item: key,
            app: try row.integer("app"),
            progress: try row.text("progress"),
            now: now
        )
        if isOther, count >= Interruptions.maximum {
            count = Interruptions.maximum - 1
            try self.change(
                "UPDATE interruptions SET count = $1 WHERE kind = $2 AND key = $3",
                binding: [.integer(Int64(count)), .text(table.kind.rawValue), .text(key)]
            )
        }
        if let value = table.value(of: key) {
            let end = count < Interruptions.maximum - 1 ? table.newEnd(now: now) : LeaseTable.never
            try self.change(table.release, binding: [.integer(end), value])
        }
        if count >= Interruptions.maximum { try self.quarantine(table.kind, key: key, now: now) }
        return count
    }

    private func interrupt(activity number: Int64, now: Date) throws {
        let sql = "SELECT id, app FROM activities WHERE number = $1"
        guard let row = try self.rows(sql, binding: [.integer(number)]).first else { return }
        let key = String(number)
        let count = try self.interrupt(
            .activity,
            key: key,
            item: try row.string("id"),
            app: try row.integer("app"),
            progress: nil,
            now: now
        )
        guard count >= Interruptions.maximum else { return }
        let reason = "three processes in a row were terminated while they decided what is due"
        try self.setAside(
            SetAside(number, reason: reason, until: Date(millisecondsSince1970: LeaseTable.never), now: now)
        )
        try self.quarantine(.activity, key: key, now: now)
    }

    /// Counts an interruption.
    ///
    /// An item counts from 1 if it made progress since the last one, or if it continued after a quarantine.
    /// - Returns: how many there were in a row within the last hour.
    private func interrupt(
        _ kind: WorkKind,
        key: String,
        item: String,
        app: Int64?,
        progress: String?,
        now: Date
    ) throws -> Int {
        let row = try self.rows(
            """
            INSERT INTO interruptions (kind, key, item, app, count, interrupted_at, progress)
            VALUES ($1, $2, $3, $4, 1, $5, $6)
            ON CONFLICT (kind, key) DO UPDATE SET interrupted_at = $5, progress = $6, tried_at = NULL,
                quarantined_at = NULL, reported_at = NULL, reason = NULL,
                count = CASE WHEN interruptions.quarantined_at IS NOT NULL OR interruptions.interrupted_at < $7
                    OR interruptions.count NOT BETWEEN 0 AND \(Interruptions.maximum)
                    OR coalesce(interruptions.progress, '') <> coalesce($6, '') THEN 1 ELSE interruptions.count + 1 END
            RETURNING count
            """,
            binding: [
                .text(kind.rawValue), .text(key), .text(item), .integer(app), .integer(now.millisecondsSince1970),
                .text(progress), .integer(now.addingTimeInterval(-self.window).millisecondsSince1970),
            ]
        ).first
        return try row?.number("count") ?? 1
    }

    /// Makes an item claimable whose time is still `time`.
    ///
    /// - Returns: whether it was; otherwise it was paused, continued or removed meanwhile.
    @discardableResult
    func reschedule(_ key: String, in table: LeaseTable, from time: Int64, now: Date) throws -> Bool {
        guard let value = table.value(of: key) else { return false }
        let values: [LeaseValue] = [.integer(now.millisecondsSince1970), value, .integer(time)]
        return try self.change(table.reschedule, binding: values) > 0
    }

    /// Finds the items that wait to be tried, and the one that is.
    ///
    /// Activities are not among them: a scheduler decides them one by one.
    package static var suspects: String {
        """
        SELECT number, kind, key, tried_at, progress FROM interruptions
        WHERE count = \(Interruptions.maximum - 1) AND quarantined_at IS NULL AND kind <> 'activity'
        """
    }

    /// See ``WorkerLiveness/tryNextSuspect(now:)``.
    package func tryNextSuspect(now: Date, signalling changes: inout [StoreChange]) throws {
        // Another process may be choosing one: the rows are as it leaves them, not their order.
        let suspects = try self.rows("\(Self.suspects) ORDER BY number \(self.locked)", binding: [])
        let tried = try suspects.filter { try $0.integer("tried_at") != nil }
        let waiting = try suspects.filter { try $0.integer("tried_at") == nil }
        for suspect in tried + waiting {
            let number = try suspect.int64("number")
            let key = try suspect.string("key")
            guard let table = WorkKind(rawValue: try suspect.string("kind")).flatMap({ LeaseTable.of($0) }) else {
                continue
            }
            if let triedAt = try suspect.integer("tried_at") {
                guard try self.isOver(suspect, key: key, in: table, triedAt: triedAt, now: now) else { return }
                // The clock may have been set back.
                try self.reschedule(key, in: table, from: triedAt, now: now)
            } else if try self.reschedule(key, in: table, from: LeaseTable.never, now: now) {
                try self.change(
                    "UPDATE interruptions SET tried_at = $1 WHERE number = $2",
                    binding: [.integer(now.millisecondsSince1970), .integer(number)]
                )
                changes.append(.missed)
                return
            }
            try self.change("DELETE FROM interruptions WHERE number = $1", binding: [.integer(number)])
        }
    }

    /// Whether a suspect was processed without a crash.
    private func isOver(_ suspect: Row, key: String, in table: LeaseTable, triedAt: Int64, now: Date) throws -> Bool {
        guard let value = table.value(of: key), let row = try self.rows(table.state, binding: [value]).first else {
            return true
        }
        let time = now.millisecondsSince1970
        if triedAt > time || now.addingTimeInterval(-self.trial).millisecondsSince1970 >= triedAt { return true }
        if try row.text("progress") != suspect.text("progress") { return true }
        return try row.text("worker") == nil && row.integer("claimable_at") != triedAt
    }

    package func dueActivities(limit: Int, now: Date) throws -> [DueActivity] {
        try self.rows(
            """
            SELECT activities.number, activities.id, coalesce((
                    SELECT count FROM interruptions
                    WHERE kind = 'activity' AND key = CAST(activities.number AS text) AND quarantined_at IS NULL
                ), 0) AS interruptions
            FROM \(self.dueActivities) WHERE due_at <= $1 ORDER BY due_at, activities.number LIMIT $2
            """,
            binding: [.integer(now.millisecondsSince1970), .integer(Int64(limit))]
        ).compactMap { row in
            try row.readable(in: "activities") { row in
                DueActivity(
                    number: try row.int64("number"),
                    id: try row.identifier("id"),
                    interruptions: try row.number("interruptions")
                )
            }
        }
    }

    /// Forgets the interruptions of activities, which were decided without a crash.
    package func forgetInterruptions(ofActivities numbers: [Int64]) throws {
        for number in numbers {
            try self.change(
                "DELETE FROM interruptions WHERE kind = 'activity' AND key = $1 AND quarantined_at IS NULL",
                binding: [.text(String(number))]
            )
        }
    }
}
