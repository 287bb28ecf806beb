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
    /// Books a settlement, as `BatchStore.settle` does; no statement may follow.
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

    /// Appends the events of devices whose status has changed.
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
}
