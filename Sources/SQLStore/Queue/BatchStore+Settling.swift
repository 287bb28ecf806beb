// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension BatchStore where Self: SQLBacked {
    public func settle(_ settlement: Settlement, now: Date) async throws -> SettlementResult {
        let item = TimedSettlement(settlement: settlement, time: now)
        let booked =
            if settlement.isSmall {
                try await self.sql.driver.groups.settlements.run(item) {
                    try await self.sql.settle($0, waitsBriefly: $1)
                }
            } else {
                try await self.sql.settle([item])[0]
            }
        return try await self.receipt(of: item, booked.get())
    }

    public func settle(_ settlements: [Settlement], now: Date) async -> [Result<SettlementResult, any Error>] {
        var results: [Result<SettlementResult, any Error>] = []
        while results.count < settlements.count {
            let items = settlements[results.count...].prefix(CallGroups.maximumCalls)
                .map { TimedSettlement(settlement: $0, time: now) }
            do {
                for (item, booked) in zip(items, try await self.sql.settle(items, waitsBriefly: items.count > 1)) {
                    results.append(await Self.result { try await self.receipt(of: item, booked.get()) })
                }
            } catch let error as StoreError where error.isTransient {
                // One attempt for each would take too long.
                results += items.map { _ in .failure(error) }
            } catch {
                for item in items {
                    results.append(await Self.result { try await self.settle(item.settlement, now: now) })
                }
            }
        }
        return results
    }

    private static func result(
        of settle: () async throws -> SettlementResult
    ) async -> Result<SettlementResult, any Error> {
        do { return .success(try await settle()) } catch { return .failure(error) }
    }

    private func receipt(of item: TimedSettlement, _ booked: BookedSettlement) async throws -> SettlementResult {
        let (receipt, needsRelief) = booked
        if needsRelief {
            try await self.sql.relieveActivities(waitingFor: item.settlement.batch, now: item.time)
        }
        return receipt
    }
}

struct TimedSettlement: Sendable {
    let settlement: Settlement
    let time: Date
}

/// The receipt of a settlement, and whether another transaction has to update activities.
typealias BookedSettlement = (receipt: SettlementResult, needsRelief: Bool)

extension Settlement {
    /// Whether it shares its transaction with others.
    fileprivate var isSmall: Bool {
        self.lane == .urgent && self.range.count + self.resent.count <= CallGroups.maximumTargets
    }

    /// Whether it begins with the first target, and all of its targets were delivered.
    fileprivate var isFirstDelivery: Bool {
        self.range.lowerBound == 0 && !self.range.isEmpty && self.resent.isEmpty && self.failures.isEmpty
            && self.deferrals.isEmpty && self.prunes.isEmpty && self.suspects.isEmpty
    }
}

extension SQLDatabase {
    /// Books settlements in one transaction, those of one batch in their order.
    ///
    /// - Returns: a result for each. A settlement that is rejected does not affect the others.
    /// - Throws: an error if nothing was stored.
    func settle(
        _ items: [TimedSettlement],
        waitsBriefly: Bool = false,
        operation: StaticString = #function
    ) async throws -> [Result<BookedSettlement, any Error>] {
        let isUrgent = items.contains { $0.settlement.lane == .urgent }
        return try await self.write(in: isUrgent ? .urgent : .bulk, operation: operation) { transaction in
            if waitsBriefly { try transaction.waitBriefly() }
            return try transaction.settle(items)
        }
    }
}

/// Returns the result of a settlement after the commit.
///
/// It removes the notification that it settled.
private typealias Booking = (inout Set<NotificationID>) throws -> BookedSettlement

extension SQLTransaction {
    /// Books settlements, as `BatchStore.settle` does; no statement may follow.
    fileprivate func settle(_ items: [TimedSettlement]) throws -> [Result<BookedSettlement, any Error>] {
        let ids = Set(items.map(\.settlement.batch))
        try self.readByIndex()
        if ids.count > 1 {
            try self.lock("SELECT 1 FROM batches WHERE id \(each: ids.map(\.value)) ORDER BY id FOR UPDATE")
        }
        let singles = try self.settleSingles(items)
        let others = zip(items, singles).filter { !$0.1 }.map(\.0.settlement.batch)
        var batches = others.isEmpty ? [:] : try self.lockedBatches(Set(others))
        try self.lockDevices(of: items.map(\.settlement), batches)
        let bookings = try zip(items, singles).map { item, isSingle -> Booking in
            guard isSingle else { return try self.book(item, &batches) }
            return { _ in (SettlementResult(batchSettled: true, notificationSettled: true), needsRelief: false) }
        }
        // After the results of the failures: planners wait for the row of the notification.
        var settled = try self.countOff()
        try self.commit()
        // The last settlement of a notification is the one that settled it.
        return bookings.reversed().map { booking in Result { try booking(&settled) } }.reversed()
    }

    /// Settles the batches that are whole notifications, and all of whose targets were delivered.
    ///
    /// The conditions are those under which `BatchLifecycle.settle` settles a batch with its first settlement.
    /// Campaigns and batches of Live Activities do not meet them, because their settlement changes more.
    /// - Returns: whether each settlement is booked; the caller books the others.
    private func settleSingles(_ items: [TimedSettlement]) throws -> [Bool] {
        var seen: Set<BatchID> = []
        let candidates = items.filter { item in
            seen.insert(item.settlement.batch).inserted && item.settlement.isSmall && item.settlement.isFirstDelivery
        }
        let settled = try self.map(SQLStatement.settleSingle, over: candidates.map(\.settlement)) { row in
            (
                batch: try row.batchID("id", of: "batch"), notification: NotificationID(try row.apnsID("notification")),
                app: try row.int64("app"), appID: try row.identifier("app_id", AppID.self)
            )
        }
        var singles = Dictionary(settled.map { ($0.batch, $0) }) { first, _ in first }
        var kept: [SettledNotification] = []
        for item in candidates {
            guard let single = singles[item.settlement.batch] else { continue }
            let (id, app, targets) = (single.notification, single.app, item.settlement.range.count)
            self.signal(.batchAdvanced(single.batch))
            self.signal(.notificationSettled(id))
            self.append(.delivered(id, app: single.appID, targets: targets, time: item.time), app: app)
            kept.append(SettledNotification(id: id, app: app, time: item.time))
        }
        try self.run(SQLStatement.keepSettled, over: kept)
        // A second settlement of a batch takes the general path.
        return items.map { singles.removeValue(forKey: $0.settlement.batch) != nil }
    }

    /// Locks the devices that settlements change, of all batches in one order.
    private func lockDevices(
        of settlements: [Settlement],
        _ batches: [BatchID: Result<BatchRow, any Error>]
    ) throws {
        guard self.dialect == .postgres, !batches.isEmpty else { return }
        let targets = settlements.flatMap { settlement -> [(app: Int64, target: Target)] in
            guard case .success(let batch)? = batches[settlement.batch] else { return [] }
            let suspects = settlement.suspects.map(\.target)
            let targets = settlement.prunes.map(\.target) + suspects + suspects.map(\.inOtherEnvironment)
            return targets.map { (batch.app, $0) }
        }
        if targets.count > 1 { try self.lockDevices(targets) }
    }

    /// Books a settlement, or rejects it before it changes anything.
    private func book(
        _ item: TimedSettlement,
        _ batches: inout [BatchID: Result<BatchRow, any Error>]
    ) throws -> Booking {
        let (settlement, now) = (item.settlement, item.time)
        func leaseLost() -> StoreError { .leaseLost("batch \(settlement.batch)", holder: settlement.worker) }
        var batch: BatchRow
        do {
            guard let row = batches[settlement.batch] else { throw leaseLost() }
            batch = try row.get()
            try settlement.check(targetCount: batch.lifecycle.targetCount)
        } catch {
            return { _ in throw error }
        }
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
            let receipt = SettlementResult(wasRepeated: true, batchSettled: batch.lifecycle.state == .settled)
            let needsRelief = batch.isActivity && self.dialect == .postgres
            return { _ in (receipt, needsRelief) }
        case .leaseLost: return { _ in throw leaseLost() }
        }
        let counts = settlement.counts
        batch.delivered += counts.delivered
        batches[batch.id] = .success(batch)
        try self.update(batch)
        try self.add(counts, to: batch.id)
        try self.insert(settlement.failures, of: batch.id)
        let mark = try self.updateActivities(waitingFor: batch, failures: settlement.failures, now: now)
        let (prunes, suspects) = (settlement.prunes, settlement.suspects)
        // First: a batch may have a token in both environments.
        let suspect = suspects.isEmpty ? nil : try self.suspectDevices(suspects, app: batch.app, now: now)
        let invalid =
            prunes.isEmpty && suspects.isEmpty
            ? nil : try self.invalidateDevices(prunes, badInOtherEnvironment: suspects, app: batch.app, now: now)
        // Without events, PostgreSQL commits with the statements above, and locks no feed.
        try self.report([suspect, invalid].compactMap(\.self), sending: batch, now: now)
        if isFinished {
            self.end(batch.id, of: batch.notification, now: now)
        } else {
            self.signal(.batchAdvanced(batch.id))
        }
        let notification = batch.notification
        return { settled in
            let receipt = SettlementResult(
                batchSettled: isFinished,
                notificationSettled: isFinished && settled.remove(notification) != nil,
                pruned: try invalid?.changes ?? 0,
                suspected: try suspect?.changes ?? 0
            )
            return (receipt, try mark.map { try $0.changes > 0 } ?? false)
        }
    }

    private func report(_ changed: [any SQLResult], sending batch: BatchRow, now: Date) throws {
        guard !changed.isEmpty else { return }
        let found = try self.run("SELECT id FROM apps WHERE number = \(batch.app)")
        guard let app = try found.rows.first?.identifier("id", AppID.self) else { return }
        for device in try changed.flatMap({ try self.deviceChanges($0) }) {
            if let event = NewEvent(device, app: app, now: now) { self.append(event, app: batch.app) }
            guard case .invalid = device.status else { continue }
            try self.tell(
                .failed,
                device.installation,
                app: batch.app,
                in: device.environment,
                device.container,
                sending: batch.notification,
                now: now
            )
        }
    }
}

extension SQLStatement {
    /// Settles a batch that is the only one of its notification; PostgreSQL also counts it off.
    ///
    /// `state + 0` rules out the index of unsettled batches. With it, PostgreSQL compares each open batch with each
    /// settlement; without it, it finds the batches by their IDs.
    fileprivate static let settleSingle = SQLRowStatement<Settlement>(
        "one",
        [
            "id": { .id($0.batch.value) }, "worker": { .identifier($0.worker) },
            "targets": { .number($0.range.count) },
        ]
    ) { one in
        """
        \(postgres: "WITH settled AS (")UPDATE batches SET state = 3, claimable_at = NULL, next_target = target_count,
            delivered = target_count, interrupted = 0\(" FROM ", one)
        WHERE batches.id = \(one["id"]) AND state + 0 = 1 AND batches.worker = \(one["worker"])
            AND target_count = \(one["targets"]) AND next_target = 0 AND deferred IS NULL AND is_activity = 0
            AND EXISTS (
                SELECT 1 FROM notifications
                WHERE notifications.id = batches.notification AND batch_count = 1 AND NOT is_open
            )
            AND NOT EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = batches.notification)
        RETURNING batches.id, batches.notification, batches.app\(
            sqlite: ", (SELECT apps.id FROM apps WHERE apps.number = batches.app) AS app_id",
            postgres: """
                )
                UPDATE notifications SET open_batches = 0 FROM settled WHERE notifications.id = settled.notification
                RETURNING settled.*, (SELECT apps.id FROM apps WHERE apps.number = settled.app) AS app_id
                """
        )
        """
    }
}

// MARK: - Live Activities

extension SQLTransaction {
    /// Handles the failures of a batch that is sent to devices of Live Activities, and the devices that wait for it.
    ///
    /// SQLite does that in this transaction. PostgreSQL only marks the batch, because activities are locked before
    /// batches; ``SQLDatabase/relieveActivities(waitingFor:now:)`` does the rest in a separate transaction.
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
