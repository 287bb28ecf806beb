// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore {
    @discardableResult
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementReceipt {
        let (receipt, needsRelief) = try await self.book(settlement, now: now)
        if needsRelief { try await self.relieveActivities(waitingFor: settlement.batch, now: now) }
        return receipt
    }

    private func book(
        _ settlement: Settlement,
        now: Date
    ) async throws -> (receipt: SettlementReceipt, needsRelief: Bool) {
        try await self.write { connection, changes in
            guard var batch = try connection.lockedBatch(settlement.batch) else {
                throw StoreError.leaseLost(batch: settlement.batch, worker: settlement.worker)
            }
            let counts: OutcomeCounts
            let isFinished: Bool
            switch try batch.book(settlement) {
            case .booked(let booked, let finished): (counts, isFinished) = (booked, finished)
            case .repeated(let receipt): return (receipt, batch.isActivity)
            }
            try connection.add(counts, to: batch.id)
            try connection.insert(settlement.failures, of: batch.id)
            let pruned = try connection.prune(settlement.prunes, app: batch.app)
            let suspected = try connection.suspect(settlement.suspects, app: batch.app, now: now)
            try connection.update(batch)
            let mark = try connection.markForRelief(batch, hasFailures: !settlement.failures.isEmpty)
            // A slice that has no events is committed with what was queued, and locks no feed.
            var news = FeedNews()
            try connection.tell(of: [pruned, suspected].compactMap(\.self), sending: batch, now: now, in: &news)
            // Behind what failed has been received: who plans waits for the notification's row, which this locks.
            let end = isFinished ? try connection.count(off: [batch.id], of: batch.notification) : nil
            try connection.tell(of: [end].compactMap(\.self), now: now, in: &news)
            let told = try connection.commit(news)
            changes = try (end?.changes ?? [.batchAdvanced(batch.id)]) + told
            let receipt = SettlementReceipt(
                batchSettled: isFinished,
                notificationSettled: try end?.isSettled ?? false,
                pruned: pruned?.changes ?? 0,
                suspected: suspected?.changes ?? 0
            )
            return (receipt, mark.map { $0.changes > 0 } ?? false)
        }
    }

    @discardableResult
    public func cancel(_ notification: NotificationID, now: Date) async throws -> Int? {
        try await self.write { connection, changes in
            let batches = try connection.lockUnsettledBatches(of: notification)
            guard
                try connection.row("SELECT 1 FROM notifications WHERE id = $1", [.id(notification.value)]) != nil
            else { return nil }
            var ends = BatchEnds()
            let unsettled = try connection.readableBatches(batches.rows)
            let halted = try connection.halt(unsettled, .cancel, &ends)
            let settled = try connection.count(off: ends)
            var news = FeedNews()
            try connection.tell(of: settled, now: now, in: &news)
            let told = try connection.commit(news)
            changes = try settled.changes + (halted.stops ? [.halted(notification)] : []) + told
            return halted.targets
        }
    }
}

extension PostgresConnection {
    /// Queues that rows are added for what did not succeed.
    func insert(_ failures: [Settlement.Failure], of batch: BatchID) throws {
        let outcomes = failures.compactMap { failure in StoredOutcome(failure.outcome).map { (failure.index, $0) } }
        guard !outcomes.isEmpty else { return }
        try self.queue(
            """
            INSERT INTO batch_failures (batch, position, kind, name, status, inactive_since)
            SELECT $1, told.* FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) AS told
            """,
            [
                .id(batch.value), .integers(outcomes.map { Int64($0.0) }), .integers(outcomes.map { Int64($0.1.kind) }),
                .texts(outcomes.map(\.1.name)), .integers(outcomes.map { $0.1.status.map(Int64.init) }),
                .integers(outcomes.map(\.1.inactiveSince)),
            ]
        )
    }

    /// Queues `DeviceStatus.prune` for every device that has one of these tokens.
    fileprivate func prune(_ prunes: [Settlement.Prune], app: Int64) throws -> PostgresReply? {
        guard !prunes.isEmpty else { return nil }
        return try self.queue(
            """
            UPDATE devices SET status = 2, status_reason = told.reason, status_since = told.since
            FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::bigint[]) WITH ORDINALITY
                AS told (environment, token, reason, since, place)
            WHERE devices.app = $1 AND devices.environment = told.environment AND devices.token = told.token
                AND devices.status < 2 AND devices.registered_at <= told.since
            RETURNING \(Self.changedDevice)
            """,
            [
                .integer(app), .integers(prunes.map { Int64($0.target.environment.stored) }),
                .byteStrings(prunes.map(\.target.token.bytes)), .texts(prunes.map(\.reason.rawValue)),
                .integers(prunes.map(\.inactiveSince)),
            ]
        )
    }

    /// Queues `DeviceStatus.suspect` for every device that has one of these tokens.
    fileprivate func suspect(_ suspects: [Settlement.Suspicion], app: Int64, now: Date) throws -> PostgresReply? {
        guard !suspects.isEmpty else { return nil }
        return try self.queue(
            """
            UPDATE devices SET status = 1, status_reason = told.reason, status_since = $5
            FROM unnest($2::bigint[], $3::bytea[], $4::text[]) WITH ORDINALITY
                AS told (environment, token, reason, place)
            WHERE devices.app = $1 AND devices.environment = told.environment AND devices.token = told.token
                AND devices.status = 0
            RETURNING \(Self.changedDevice)
            """,
            [
                .integer(app), .integers(suspects.map { Int64($0.target.environment.stored) }),
                .byteStrings(suspects.map(\.target.token.bytes)), .texts(suspects.map(\.reason.rawValue)),
                .integer(now.millisecondsSince1970),
            ]
        )
    }

    /// What is told of a device whose status has changed, and its place in the settlement.
    private static let changedDevice = """
        told.place, devices.installation, devices.environment, devices.status, devices.status_reason, devices.status_since
        """

    /// Adds the events of devices that have changed; receives what was queued for that.
    fileprivate func tell(
        of changed: [PostgresReply],
        sending batch: BatchRow,
        now: Date,
        in news: inout FeedNews
    ) throws {
        guard !changed.isEmpty else { return }
        let found = try self.queue("SELECT id FROM apps WHERE number = $1", [.integer(batch.app)])
        try self.receive()
        guard let id = try found.rows.first?.identifier("id", AppID.self) else { return }
        for reply in changed {
            // A damaged device must not keep the batch from being settled.
            let rows = try reply.rows.mapReadable(in: "devices") {
                (place: try $0.number("place"), device: try DeviceChange(stored: $0))
            }
            for (_, device) in rows.sorted(by: { $0.place < $1.place }) {
                if let event = EventDraft(device, app: id, now: now) { news.add(event, app: batch.app) }
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
