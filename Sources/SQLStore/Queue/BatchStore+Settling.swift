// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    @discardableResult
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        let (receipt, needsRelief) = try await self.sql.write(in: settlement.lane) {
            try $0.settle(settlement, now: now)
        }
        if needsRelief { try await self.sql.relieveActivities(waitingFor: settlement.batch, now: now) }
        return receipt
    }
}

extension SQLTransaction {
    /// Books a settlement, as `BatchStore.settle` does; no statement may follow.
    ///
    /// - Returns: also whether the batch is marked for another transaction that updates activities.
    fileprivate func settle(
        _ settlement: Settlement,
        now: Date
    ) throws -> (receipt: SettlementReceipt, needsRelief: Bool) {
        func leaseLost() -> StoreError { .leaseLost(batch: settlement.batch, worker: settlement.worker) }
        guard var batch = try self.lockedBatch(settlement.batch) else { throw leaseLost() }
        try settlement.check(targetCount: batch.lifecycle.targetCount)
        let settling = batch.lifecycle.settle(
            settlement.range,
            resent: settlement.resent,
            deferring: settlement.deferrals,
            by: settlement.worker
        )
        let isFinished: Bool
        switch settling {
        case .applied(let finished): isFinished = finished
        case .alreadyApplied:
            let receipt = SettlementReceipt(wasRepeated: true, batchSettled: batch.lifecycle.state == .settled)
            return (receipt, batch.isActivity && self.dialect == .postgres)
        case .leaseLost: throw leaseLost()
        }
        let counts = settlement.counts
        batch.delivered += counts.delivered
        try self.update(batch)
        try self.add(counts, to: batch.id)
        try self.insert(settlement.failures, of: batch.id)
        let mark = try self.updateActivities(waitingFor: batch, failures: settlement.failures, now: now)
        let (prunes, suspects) = (settlement.prunes, settlement.suspects)
        let invalid = prunes.isEmpty ? nil : try self.invalidateDevices(prunes, app: batch.app)
        let suspect = suspects.isEmpty ? nil : try self.suspectDevices(suspects, app: batch.app, now: now)
        // Without events, PostgreSQL commits with the statements above, and locks no feed.
        try self.report([invalid, suspect].compactMap(\.self), sending: batch, now: now)
        var settled: Set<NotificationID> = []
        if isFinished {
            self.end(batch.id, of: batch.notification, now: now)
            // After the results of the failures: planners wait for the row of the notification.
            settled = try self.countOff()
        } else {
            self.signal(.batchAdvanced(batch.id))
        }
        try self.commit()
        let receipt = SettlementReceipt(
            batchSettled: isFinished,
            notificationSettled: settled.contains(batch.notification),
            pruned: try invalid?.changes ?? 0,
            suspected: try suspect?.changes ?? 0
        )
        return (receipt, try mark.map { try $0.changes > 0 } ?? false)
    }

    private func report(_ changed: [any SQLResult], sending batch: BatchRow, now: Date) throws {
        guard !changed.isEmpty else { return }
        let found = try self.run("SELECT id FROM apps WHERE number = \(batch.app)")
        guard let app = try found.rows.first?.identifier("id", AppID.self) else { return }
        for device in try changed.flatMap({ try self.deviceChanges($0) }) {
            if let event = EventDraft(device, app: app, now: now) { self.append(event, app: batch.app) }
            guard case .invalid = device.status else { continue }
            try self.tell(
                .failed,
                device.installation,
                app: batch.app,
                in: device.environment,
                sending: batch.notification,
                now: now
            )
        }
    }

    /// Counts off a batch that has become final, at the end of the transaction; `nil` if its ID is corrupt.
    package func end(_ batch: BatchID?, of notification: NotificationID, now: Date) {
        var end = self.ends[notification] ?? NotificationEnd(time: now)
        end.count += 1
        if let batch { end.batches.append(batch) }
        self.ends[notification] = end
    }

    /// Closes a notification to more batches at the end of the transaction, and appends `notification.accepted`.
    package func close(_ notification: NotificationID, now: Date) {
        self.ends[notification, default: NotificationEnd(time: now)].isClosed = true
    }

    /// Writes a batch that has become final, and counts the remaining targets as failed.
    package func close(_ batch: BatchRow, remaining: Int, as code: FailureCode, now: Date) throws {
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [code: remaining]), to: batch.id)
        try self.updateActivities(waitingFor: batch, now: now)
        self.end(batch.id, of: batch.notification, now: now)
    }

    /// Halts batches that are not final; returns the number of their targets without outcome.
    package func halt(_ batches: [BatchRow], _ halt: BatchHalt, now: Date) throws -> Int {
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
        let all = try ends.map { try self.count(off: $0.value, of: $0.key) }
        // Settled first: on PostgreSQL all counts arrive in one round trip.
        let counts = try all.map { counted -> NotificationCounts? in
            try counted.isSettled ? self.counts(of: counted.notification) : nil
        }
        var settled: Set<NotificationID> = []
        for (counted, counts) in zip(all, counts) {
            for batch in counted.end.batches { self.signal(.batchAdvanced(batch)) }
            if let row = try counted.row.rows.first, try counted.wasOpen {
                let notification = try PushModel.Notification(stored: row)
                self.append(.accepted(notification, time: counted.end.time), app: try row.int64("app"))
            }
            if let counts {
                try self.settle(counted, try counts.byNotification[counted.notification] ?? OutcomeCounts())
                settled.insert(counted.notification)
            } else {
                self.signal(.batchSettled(counted.notification))
            }
        }
        return settled
    }

    private func count(off end: NotificationEnd, of notification: NotificationID) throws -> CountedNotification {
        let id = notification.value
        var closed: (any SQLResult)?
        if end.isClosed {
            closed = try self.run("UPDATE notifications SET is_open = false WHERE id = \(id) AND is_open")
        }
        let row: any SQLResult
        var isLast = true
        switch self.dialect {
        case .sqlite:
            // Its index finds out whether other batches are left, which costs less than a counter.
            row = try self.run(SQLStatement.lookForBatches([.id(id)]))
            isLast = try row.rows.first?.number("is_settled") == 1
        case .postgres:
            row = try self.run(SQLStatement.countOff([.number(end.count), .id(id)]))
        }
        return CountedNotification(
            notification: notification,
            end: end,
            closed: closed,
            row: row,
            finished: isLast ? try self.run(SQLStatement.finishCampaign([.id(id)])) : nil
        )
    }

    private func settle(_ counted: CountedNotification, _ counts: OutcomeCounts) throws {
        guard let row = try counted.row.rows.first else { return }
        let (id, time, app) = (counted.notification, counted.end.time, try row.int64("app"))
        try self.run(SQLStatement.keepSettled([.time(time), .id(id.value), .integer(app)]))
        if let failure = EndpointFailure(of: id, counts: counts) { try self.tell(of: failure, app: app, now: time) }
        self.append(.settled(id, app: try row.identifier("app_id"), counts: counts, time: time), app: app)
        self.signal(.notificationSettled(id))
        guard let finished = try counted.finished?.rows.first else { return }
        self.signal(.campaignChanged(CampaignID(id.value)))
        // A corrupt campaign is finished too, without an event.
        guard let campaign = try? CampaignRow(stored: finished) else { return }
        let event = EventDraft.campaign(campaign.campaign, campaign.lifecycle, from: .running, time: time)
        if let event { self.append(event, app: app) }
    }
}

/// What a transaction ends of a notification.
struct NotificationEnd {
    var time: Date

    /// The number of batches that have become final.
    var count = 0

    /// Those of them whose IDs are known.
    var batches: [BatchID] = []
    var isClosed = false
}

private struct CountedNotification {
    let notification: NotificationID
    let end: NotificationEnd
    let closed: (any SQLResult)?
    let row: any SQLResult
    let finished: (any SQLResult)?
    var wasOpen: Bool { get throws { try self.closed.map { try $0.changes > 0 } ?? false } }

    var isSettled: Bool {
        get throws {
            guard let row = try self.row.rows.first, try self.end.count > 0 || self.wasOpen else { return false }
            return try row.number("is_settled") == 1
        }
    }
}

extension SQLStatement {
    private static let appID: SQL = "(SELECT apps.id FROM apps WHERE apps.number = notifications.app) AS app_id"

    fileprivate static let lookForBatches = SQLStatement(
        """
        SELECT notifications.*, \(SQLStatement.appID), NOT is_open AND NOT EXISTS (
            SELECT 1 FROM batches WHERE notification = notifications.id AND (state < 3 OR state = 7)
        ) AS is_settled FROM notifications WHERE id = $1
        """
    )

    fileprivate static let countOff = SQLStatement(
        """
        UPDATE notifications SET open_batches = greatest(0, open_batches) - $1 WHERE id = $2
        RETURNING *, \(SQLStatement.appID), NOT is_open AND open_batches = 0 AS is_settled
        """
    )

    fileprivate static let keepSettled = SQLStatement(
        """
        INSERT INTO settled_notifications (settled_at, notification, app) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
        """
    )

    /// Finishes the campaign of a notification; PostgreSQL executes it early, to save a round trip.
    fileprivate static let finishCampaign = SQLStatement(
        """
        UPDATE campaigns SET state = 3, planner = NULL, claimable_at = NULL, paused_at = NULL, runs_since = NULL,
            runs_from = NULL
        WHERE id = $1 AND state < 3\(
            postgres: " AND EXISTS (SELECT FROM notifications WHERE id = $1 AND open_batches = 0 AND NOT is_open)"
        )
        RETURNING *
        """
    )
}

// MARK: - Live Activities

extension SQLTransaction {
    /// Handles the failures of a batch that is sent to devices of Live Activities, and the devices that wait for it.
    ///
    /// SQLite does that in this transaction. PostgreSQL only marks the batch, because activities are locked before
    /// batches; ``SQLDatabase/relieveActivities(waitingFor:now:)`` does the rest in a transaction of its own.
    /// - Returns: the result of the statement that marks the batch; `nil` without one.
    @discardableResult
    func updateActivities(
        waitingFor batch: BatchRow,
        failures: [Settlement.Failure] = [],
        now: Date
    ) throws -> (any SQLResult)? {
        guard batch.isActivity else { return nil }
        switch self.dialect {
        case .sqlite:
            try self.relieve(batch, failures: failures, now: now)
            return nil
        case .postgres:
            let id = batch.id.value
            let isAwaited: SQL = """
                AND EXISTS (SELECT FROM activity_waiting WHERE batch = \(id) AND position < \(batch.endOfRelief))
                """
            let hasFailures = !failures.isEmpty || batch.lifecycle.remainder != nil
            return try self.run(
                "UPDATE batches SET needs_relief = true WHERE id = \(id) \(hasFailures ? "" : isAwaited)"
            )
        }
    }
}
