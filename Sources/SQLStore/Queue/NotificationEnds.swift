// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel
package import PushStore

/// The changes of one transaction to a notification whose batches end.
struct NotificationCompletion {
    /// The time of the last change.
    var time: Date

    /// The number of batches that have become final.
    var count = 0

    /// Those of them whose IDs are known.
    var batches: [BatchID] = []
    var isClosed = false
}

/// A notification that was settled at `time`; retention removes it later.
struct SettledNotification {
    let id: NotificationID
    let app: Int64
    let time: Date
}

extension SQLTransaction {
    /// Counts off a batch that has become final, at the end of the transaction; `nil` if its ID is corrupt.
    package func end(_ batch: BatchID?, of notification: NotificationID, now: Date) {
        var end = self.ends[notification] ?? NotificationCompletion(time: now)
        end.time = now
        end.count += 1
        if let batch { end.batches.append(batch) }
        self.ends[notification] = end
    }

    /// Closes a notification to more batches at the end of the transaction, and appends `notification.accepted`.
    package func close(_ notification: NotificationID, now: Date) {
        self.ends[notification, default: NotificationCompletion(time: now)].isClosed = true
    }

    /// Writes a batch that has become final, and counts the remaining targets as failed.
    package func close(_ batch: BatchRow, remaining: Int, as code: FailureCode, now: Date) throws {
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [code: remaining]), to: batch.id)
        try self.updateActivities(waitingFor: batch, now: now)
        self.end(batch.id, of: batch.notification, now: now)
    }

    /// Halts batches that are not final; returns the number of their targets without outcome.
    package func halt(_ batches: [BatchRow], _ halt: StopRequest, now: Date) throws -> Int {
        var targets = 0
        var stops = false
        for var batch in batches {
            switch batch.lifecycle.halt(halt) {
            case .unchanged: continue
            case .paused:
                try self.update(batch)
                targets += batch.lifecycle.remaining
            case .marked(let remaining):
                try self.update(batch)
                targets += remaining
                stops = true
            case .cancelled(let remaining):
                try self.close(batch, remaining: remaining, as: .cancelled, now: now)
                targets += remaining
            }
        }
        if stops, let notification = batches.first?.notification { self.signal(.halted(notification)) }
        return targets
    }

    /// Counts off the batches that ended, and settles each notification whose last batch that was, with its campaign.
    ///
    /// The transaction does this at its end, after its other changes and before its events: rows of notifications are
    /// locked after those of batches and before those of campaigns, in the order of their IDs. Call it only to read the
    /// result or the changed rows within the transaction.
    /// - Returns: the notifications that are settled by it.
    @discardableResult
    package func countOff() throws -> Set<NotificationID> {
        guard !self.ends.isEmpty else { return [] }
        let ends = self.ends.sorted { $0.key.value < $1.key.value }
        self.ends = [:]
        let closing = ends.filter(\.value.isClosed).map(\.key.value)
        try self.readByIndex()
        try self.lock(ends.map(\.key.value), in: "notifications")
        let closed = try self.run(
            "UPDATE notifications SET is_open = false WHERE id \(each: closing) AND is_open RETURNING id"
        )
        let counted = try self.countBatches(of: ends)
        let finished = try self.finishCampaigns(of: ends, counted)
        // PostgreSQL returns all results in one round trip.
        let (rows, campaigns) = (try counted.rows.byID, try finished.rows.byID)
        let wereOpen = Set(try closed.rows.map { try $0.blob("id") })
        let settled = try ends.filter { notification, end in
            let id = notification.value.stored
            guard let row = rows[id], end.count > 0 || wereOpen.contains(id) else { return false }
            return try row.number("is_settled") == 1
        }
        let counts = try self.counts(where: "batches.notification \(each: settled.map(\.key.value))").byNotification
        var remaining = settled[...]
        for (notification, end) in ends {
            let id = notification.value.stored
            for batch in end.batches { self.signal(.batchAdvanced(batch)) }
            if let row = rows[id], wereOpen.contains(id) {
                let accepted = try PushModel.Notification(stored: row)
                self.append(.accepted(accepted, time: end.time), app: try row.int64("app"))
            }
            guard let row = rows[id], remaining.first?.key == notification else {
                self.signal(.batchSettled(notification))
                continue
            }
            remaining.removeFirst()
            let counts = counts[notification] ?? OutcomeCounts()
            try self.settle(notification, stored: row, campaign: campaigns[id], counts, time: end.time)
        }
        let kept = try settled.compactMap { notification, end in
            try rows[notification.value.stored].map {
                SettledNotification(id: notification, app: try $0.int64("app"), time: end.time)
            }
        }
        try self.run(SQLStatement.keepSettled, over: kept)
        return Set(settled.map(\.key))
    }

    /// Counts batches off, with the column `is_settled`.
    private func countBatches(of ends: [(key: NotificationID, value: NotificationCompletion)]) throws -> any SQLResult {
        switch self.dialect {
        case .sqlite:
            // Its index finds out whether other batches are left, which costs less than a counter.
            let rows = try ends.flatMap { try self.rows(SQLStatement.lookForBatches([.id($0.key.value)])) }
            return SQLCompletedResult(rows: rows)
        case .postgres:
            let ended = try SQLRows(
                "ended",
                ends,
                ["id": { .id($0.key.value) }, "batches": { .number($0.value.count) }]
            )
            return try self.run(
                """
                UPDATE notifications SET open_batches = greatest(0, open_batches) - ended.batches\(" FROM ", ended)
                WHERE notifications.id = ended.id
                RETURNING notifications.*, \(SQL.appID), NOT is_open AND open_batches = 0 AS is_settled
                """
            )
        }
    }

    /// Finishes the campaigns of the notifications that are settled; PostgreSQL finds out which of them are.
    private func finishCampaigns(
        of ends: [(key: NotificationID, value: NotificationCompletion)],
        _ counted: any SQLResult
    ) throws -> any SQLResult {
        let last: [APNsID]
        switch self.dialect {
        case .sqlite:
            last = try counted.rows.filter { try $0.number("is_settled") == 1 }.map { try $0.apnsID("id") }
        case .postgres:
            last = ends.map(\.key.value)
            try self.lock(last, in: "campaigns")
        }
        return try self.run(
            """
            UPDATE campaigns SET state = 3, planner = NULL, claimable_at = NULL, paused_at = NULL, runs_since = NULL,
                runs_from = NULL
            WHERE id \(each: last) AND state < 3\(postgres: " AND EXISTS (SELECT FROM notifications ")\(
                postgres: "WHERE notifications.id = campaigns.id AND open_batches = 0 AND NOT is_open)"
            )
            RETURNING *
            """
        )
    }

    /// Lets a transaction of PostgreSQL find rows by index only.
    ///
    /// A server without statistics of a table that grows fast would read all of it for each set of IDs.
    func readByIndex() throws { try self.lock("SELECT set_config('enable_seqscan', 'off', true)") }

    /// Locks rows on PostgreSQL in the order of their IDs.
    private func lock(_ ids: [APNsID], in table: StaticString) throws {
        guard ids.count > 1 else { return }
        try self.lock(
            "SELECT 1 FROM \(SQL(stringLiteral: table)) WHERE id \(each: ids) ORDER BY id FOR NO KEY UPDATE"
        )
    }

    private func settle(
        _ id: NotificationID,
        stored row: StoredRow,
        campaign finished: StoredRow?,
        _ counts: OutcomeCounts,
        time: Date
    ) throws {
        let app = try row.int64("app")
        if let failure = EndpointFailure(of: id, counts: counts) { try self.tell(of: failure, app: app, now: time) }
        self.append(.completed(id, app: try row.identifier("app_id"), counts: counts, time: time), app: app)
        self.signal(.notificationSettled(id))
        guard let finished else { return }
        self.signal(.campaignChanged(CampaignID(id.value)))
        // A corrupt campaign is finished too, without an event.
        guard let campaign = try? StoredCampaign(stored: finished) else { return }
        let event = NewEvent.campaign(campaign.campaign, campaign.lifecycle, from: .running, time: time)
        if let event { self.append(event, app: app) }
    }
}

extension [StoredRow] {
    fileprivate var byID: [[UInt8]: StoredRow] {
        get throws { Dictionary(try self.map { (try $0.blob("id"), $0) }) { first, _ in first } }
    }
}

extension SQL {
    fileprivate static let appID: SQL = "(SELECT apps.id FROM apps WHERE apps.number = notifications.app) AS app_id"
}

extension SQLStatement {
    fileprivate static let lookForBatches = SQLStatement(
        """
        SELECT notifications.*, \(SQL.appID), NOT is_open AND NOT EXISTS (
            SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7)
        ) AS is_settled FROM notifications WHERE id = $1
        """
    )

    static let keepSettled = SQLRowStatement<SettledNotification>(
        "new",
        ["settled_at": { .time($0.time) }, "notification": { .id($0.id.value) }, "app": { .integer($0.app) }]
    ) { "INSERT INTO settled_notifications \($0.insert()) ON CONFLICT DO NOTHING" }
}
