// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    @discardableResult
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        let (receipt, needsRelief) = try await self.sql.write(in: settlement.lane) { transaction in
            try transaction.settle(settlement, now: now)
        }
        if needsRelief { try await self.sql.relieveActivities(waitingFor: settlement.batch, now: now) }
        return receipt
    }
}

extension SQLTransaction {
    /// Books a settlement; see `BatchStore.settle`. No statement may follow.
    ///
    /// - Returns: also whether the batch is marked for another transaction that updates activities.
    fileprivate func settle(
        _ settlement: Settlement,
        now: Date
    ) throws -> (receipt: SettlementReceipt, needsRelief: Bool) {
        guard var batch = try self.lockedBatch(settlement.batch) else {
            throw StoreError.leaseLost(batch: settlement.batch, worker: settlement.worker)
        }
        let counts: OutcomeCounts
        let isFinished: Bool
        switch try batch.book(settlement) {
        case .booked(let booked, let finished): (counts, isFinished) = (booked, finished)
        case .repeated(let receipt): return (receipt, batch.isActivity && self.dialect == .postgres)
        }
        try self.update(batch)
        try self.add(counts, to: batch.id)
        try self.insert(settlement.failures, of: batch.id)
        let mark = try self.updateActivities(waitingFor: batch, failures: settlement.failures, now: now)
        let invalid = try self.invalidateDevices(settlement.prunes, app: batch.app)
        let suspect = try self.suspectDevices(settlement.suspects, app: batch.app, now: now)
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

    /// Executes `DeviceStatus.prune` for each device that has one of these tokens.
    private func invalidateDevices(_ prunes: [Settlement.Prune], app: Int64) throws -> (any SQLResult)? {
        guard !prunes.isEmpty else { return nil }
        let dead = try SQLRows(
            "dead",
            prunes,
            [
                "environment": { .environment($0.target.environment) }, "token": { .bytes($0.target.token.bytes) },
                "reason": { .text($0.reason.rawValue) }, "since": { .integer($0.inactiveSince) },
            ]
        )
        return try self.run(
            """
            UPDATE devices SET status = 2, status_reason = \(dead["reason"]), status_since = \(dead["since"])
            \("FROM ", dead)
            WHERE devices.app = \(app) AND devices.environment = \(dead["environment"])
                AND devices.token = \(dead["token"])
                AND devices.status < 2 AND devices.registered_at <= \(dead["since"])
            RETURNING \(SQL.deviceChange(dead))
            """
        )
    }

    /// Executes `DeviceStatus.suspect` for each device that has one of these tokens.
    private func suspectDevices(_ suspects: [Settlement.Suspicion], app: Int64, now: Date) throws -> (any SQLResult)? {
        guard !suspects.isEmpty else { return nil }
        let bad = try SQLRows(
            "bad",
            suspects,
            [
                "environment": { .environment($0.target.environment) }, "token": { .bytes($0.target.token.bytes) },
                "reason": { .text($0.reason.rawValue) },
            ]
        )
        return try self.run(
            """
            UPDATE devices SET status = 1, status_reason = \(bad["reason"]), status_since = \(now) \("FROM ", bad)
            WHERE devices.app = \(app) AND devices.environment = \(bad["environment"])
                AND devices.token = \(bad["token"]) AND devices.status = 0
            RETURNING \(SQL.deviceChange(bad))
            """
        )
    }

    /// Appends the events of devices whose status has changed.
    private func report(_ changed: [any SQLResult], sending batch: BatchRow, now: Date) throws {
        guard !changed.isEmpty else { return }
        let found = try self.run("SELECT id FROM apps WHERE number = \(batch.app)")
        guard let app = try found.rows.first?.identifier("id", AppID.self) else { return }
        for result in changed {
            // A corrupt device keeps no batch from being settled.
            let rows = try result.rows.mapReadable(in: "devices") {
                (place: try $0.number("place"), device: try DeviceChange(stored: $0))
            }
            for (_, device) in rows.sorted(by: { $0.place < $1.place }) {
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
    }
}

extension SQL {
    /// The columns of a device whose status has changed, and its place in the settlement.
    fileprivate static func deviceChange(_ rows: SQLRows) -> SQL {
        """
        \(rows["row_position"]) AS place, devices.installation, devices.environment, devices.status,
            devices.status_reason, devices.status_since
        """
    }
}
