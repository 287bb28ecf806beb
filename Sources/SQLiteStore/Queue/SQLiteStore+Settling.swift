// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore {
    @discardableResult
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        try await self.write(in: settlement.lane) { database, changes in
            guard var batch = try database.batch(settlement.batch) else {
                throw StoreError.leaseLost(batch: settlement.batch, worker: settlement.worker)
            }
            let counts: OutcomeCounts
            let isFinished: Bool
            switch try batch.book(settlement) {
            case .booked(let booked, let finished): (counts, isFinished) = (booked, finished)
            case .repeated(let receipt): return receipt
            }
            try database.update(batch)
            try database.add(counts, to: batch.id)
            try database.insert(settlement.failures, of: batch.id)
            changes = [.batchAdvanced(batch.id)]
            if batch.isActivity {
                // Its tokens are those of activities, not of devices.
                try database.activities.relieve(batch, failures: settlement.failures, now: now, signalling: &changes)
            }
            let pruned = try settlement.prunes.compactMap { try database.prune($0, app: batch.app) }
            let suspected = try settlement.suspects.compactMap { try database.suspect($0, app: batch.app, now: now) }
            try database.append(
                pruned + suspected,
                sending: batch.notification,
                app: batch.app,
                now: now,
                signalling: &changes
            )
            let isDone = try isFinished && database.settleIfDone(batch.notification, now: now, signalling: &changes)
            return SettlementReceipt(
                batchSettled: isFinished,
                notificationSettled: isDone,
                pruned: pruned.count,
                suspected: suspected.count
            )
        }
    }

    @discardableResult
    public func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.write { database, changes in
            let id = notification.value.stored
            guard try database.row("SELECT 1 FROM notifications WHERE id = ?", [id]) != nil else { return nil }
            return try database.halt(notification, .cancel, now: now, signalling: &changes)
        }
    }
}

extension Database {
    /// Ends a batch whose remaining targets are not sent to, and counts these as failed.
    func close(
        _ batch: BatchRow,
        remaining: Int,
        as code: FailureCode,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [code: remaining]), to: batch.id)
        changes.append(.batchAdvanced(batch.id))
        if batch.isActivity { try self.activities.relieve(batch, now: now, signalling: &changes) }
        try self.settleIfDone(batch.notification, now: now, signalling: &changes)
    }

    /// Halts the batches of a notification that are not final.
    ///
    /// - Returns: how many of their targets have no outcome.
    func halt(
        _ notification: NotificationID,
        _ halt: BatchHalt,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> Int {
        var halted = 0
        for var batch in try self.unsettledBatches(of: notification) {
            switch batch.lifecycle.halt(halt) {
            case .unchanged: continue
            case .paused:
                try self.update(batch)
                halted += batch.lifecycle.remaining
            case .marked(let remaining):
                try self.update(batch)
                halted += remaining
                if !changes.contains(.halted(notification)) { changes.append(.halted(notification)) }
            case .cancelled(let remaining):
                try self.close(batch, remaining: remaining, as: .cancelled, now: now, signalling: &changes)
                halted += remaining
            }
        }
        return halted
    }

    /// Adds rows for what did not succeed.
    func insert(_ failures: [Settlement.Failure], of batch: BatchID) throws {
        for failure in failures {
            guard let outcome = StoredOutcome(failure.outcome) else { continue }
            try self.run(
                """
                INSERT INTO batch_failures (batch, position, kind, name, status, inactive_since)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [batch.value.stored, failure.index, outcome.kind, outcome.name, outcome.status, outcome.inactiveSince]
            )
        }
    }

    fileprivate func prune(_ prune: Settlement.Prune, app: Int64) throws -> DeviceChange? {
        try self.changeStatus(ofDeviceWith: prune.target, app: app) { status, registeredAt in
            status.prune(reason: prune.reason, inactiveSince: prune.inactiveSince, registeredAt: registeredAt)
        }
    }

    fileprivate func suspect(_ suspicion: Settlement.Suspicion, app: Int64, now: Date) throws -> DeviceChange? {
        try self.changeStatus(ofDeviceWith: suspicion.target, app: app) { status, _ in
            status.suspect(reason: suspicion.reason, now: now)
        }
    }

    private func changeStatus(
        ofDeviceWith target: Target,
        app: Int64,
        _ change: (inout DeviceStatus, Date) -> Bool
    ) throws -> DeviceChange? {
        let row = try self.row(
            """
            SELECT number, installation, registered_at, status, status_reason, status_since FROM devices
            WHERE app = ? AND environment = ? AND token = ?
            """,
            [app, target.environment.stored, target.token.bytes]
        )
        // A damaged device must not keep the batch from being settled.
        let found = try row?.readable(in: "devices") { row in
            (
                installation: try row.identifier("installation", InstallationID.self),
                registeredAt: try row.date("registered_at"), status: try DeviceStatus(stored: row)
            )
        }
        guard let row, let found else { return nil }
        var status = found.status
        guard change(&status, found.registeredAt) else { return nil }
        let stored = status.stored
        try self.run(
            "UPDATE devices SET status = ?, status_reason = ?, status_since = ? WHERE number = ?",
            [stored.number, stored.reason, stored.since, try row.int64("number")]
        )
        return DeviceChange(
            installation: found.installation,
            environment: target.environment,
            status: status
        )
    }
}
