// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func change(
        _ orders: [ActivityUpdate],
        of app: AppID,
        now: Date,
        noting note: IdempotencyRecordBuilder<[ActivityUpdateOutcome]>?
    ) async throws -> [ActivityUpdateOutcome] {
        let lane: Lane = orders.count <= ActivityLimit.urgentPushes ? .urgent : .bulk
        return try await self.sql.writeHandingOver(in: lane) { transaction in
            let results = try transaction.change(orders, of: app, now: now)
            try transaction.note(results, of: app, note)
            return results
        }
    }

    public func estimate(_ orders: [ActivityUpdate], of app: AppID, now: Date) async throws -> [ActivityUpdateOutcome] {
        try await self.sql.snapshot { reader in
            let loaded = try reader.load(orders, of: app, isEstimate: true, now: now)
            let writes = try loaded.writes(at: now)
            return loaded.results(of: orders) { index, change in
                let result = writes[index].result(change, notification: nil)
                guard case .changed = result else { return result }
                let (costs, change) = (loaded.snapshots[index].costs, loaded.changes[index][change])
                var receipt = writes[index].receipt(entry: nil, notification: nil)
                receipt.sent = change.isVisible ? costs?.reached ?? 0 : 0
                receipt.cost = costs?.cost(change)
                return .changed(receipt)
            }
        }
    }

    public func sendOnActivities(now: Date) async throws -> Bool {
        let (marked, isIdle) = try await self.sql.read { reader -> (BatchID?, Bool) in
            // Only PostgreSQL marks batches.
            let marked =
                try reader.dialect == .sqlite
                ? nil : reader.first("SELECT id FROM batches WHERE needs_relief ORDER BY id LIMIT 1")
            let next = try reader.first("SELECT 1 FROM activities WHERE left_to_send > 0 LIMIT 1")
            return (try marked.flatMap { APNsID(stored: try $0.blob("id")).flatMap(BatchID.init) }, next == nil)
        }
        if let marked {
            try await self.sql.relieveActivities(waitingFor: marked, now: now)
            return true
        }
        if isIdle { return false }
        return try await self.sql.write(in: .bulk) { transaction in
            var isDamaged = false
            let found = try transaction.activityRows(
                """
                \(SQL.activities) WHERE left_to_send > 0 ORDER BY activities.number LIMIT 1\
                \(lock: " FOR UPDATE OF activities SKIP LOCKED")
                """
            ) { number, error in
                isDamaged = true
                try transaction.setAside(number, error, now: now)
            }
            guard let row = found.first else { return isDamaged }
            var snapshots = [ActivitySnapshot(row)]
            var room = ActivityLimit.participantsAtOnce
            try transaction.loadNext(row.sendingOn?.left ?? 0, of: &snapshots[0], &room)
            try transaction.loadBatches(&snapshots)
            try transaction.apply(.continueSending, to: snapshots[0], now: now)
            return true
        }
    }
}

/// The activities of orders, with the changes of each.
private struct LoadedOrders {
    let snapshots: [ActivitySnapshot]
    /// The changes of each activity, in their order.
    let changes: [[ActivityChange]]
    let corrupt: Set<ActivityID>

    func writes(at now: Date) throws -> [ActivityWrites] {
        try self.snapshots.indices.map { try decide(.change(self.changes[$0]), on: self.snapshots[$0], at: now) }
    }

    /// The results of orders; `result` takes the indexes of an activity and of a change of it.
    func results(of orders: [ActivityUpdate], _ result: (Int, Int) -> ActivityUpdateOutcome) -> [ActivityUpdateOutcome]
    {
        let places = self.snapshots.indices.map { (self.snapshots[$0].row.id, $0) }
        let indexes = Dictionary(places) { first, _ in first }
        var counts = self.changes.map { _ in 0 }
        return orders.map { order in
            guard let index = indexes[order.activity] else {
                return self.corrupt.contains(order.activity) ? .refused(.damaged) : .unknown
            }
            defer { counts[index] += 1 }
            return result(index, counts[index])
        }
    }
}

extension SQLExecutor {
    /// Reads the activities of the updates, and the inputs of their decisions; an estimate needs the budgets of all of
    /// them.
    fileprivate func load(
        _ orders: [ActivityUpdate],
        of app: AppID,
        isEstimate: Bool,
        now: Date
    ) throws -> LoadedOrders {
        guard orders.count <= ActivityLimit.changesAtOnce else {
            let message = "One call changes at most \(ActivityLimit.changesAtOnce) activities. Make several calls."
            throw StoreError.invalid(message)
        }
        let number = try self.activityApp(app)
        var ids: [ActivityID] = []
        var ordered: [ActivityID: [ActivityChange]] = [:]
        for order in orders {
            if ordered[order.activity] == nil { ids.append(order.activity) }
            ordered[order.activity, default: []].append(order.change)
        }
        var corrupt: Set<ActivityID> = []
        let rows = try readable(ids, in: "activities", onDamage: { corrupt.insert($0) }) {
            try self.activityRows($0, app: number, app)
        }
        // By index, because an iteration copies all of a row.
        let changes = rows.indices.map { ordered[rows[$0].id] ?? [] }
        var corruptTypes: Set<AttributesType> = []
        let schemas = try self.schemas(for: orders.lazy.map(\.change), of: rows) { corruptTypes.insert($0) }
        let guarded = rows.indices.filter { isEstimate || changes[$0].contains { $0.budget?.policy == .reject } }
        let costs = try self.costs(ofActivities: guarded.map { rows[$0] }, now: now)
        var snapshots = rows.map { row in
            var snapshot = ActivitySnapshot(row)
            snapshot.schema = schemas[row.attributesType]
            snapshot.isSchemaCorrupt = corruptTypes.contains(row.attributesType)
            snapshot.costs = costs[row.number]
            return snapshot
        }
        try self.loadPlans(&snapshots) { changes[$0].contains { $0.end != nil || !$0.instants.isEmpty } }
        if !isEstimate {
            try self.loadParticipants(&snapshots) { index in
                !rows[index].lifecycle.state.isOver && changes[index].contains(where: \.isVisible)
            }
        }
        return LoadedOrders(snapshots: snapshots, changes: changes, corrupt: corrupt)
    }

    /// The schemas of the content states of activities of one app, by their types; only if a content state changes.
    func schemas(
        for changes: some Sequence<ActivityChange>,
        of rows: [ActivityRow],
        onDamage: (AttributesType) -> Void = { _ in }
    ) throws -> [AttributesType: JSONSchema] {
        guard let app = rows.first?.appID, changes.contains(where: { $0.contentState != nil }) else { return [:] }
        return try self.schemas(ofTypes: Set(rows.indices.map { rows[$0].attributesType }), of: app, onDamage: onDamage)
    }
}

extension SQLTransaction {
    func change(_ orders: [ActivityUpdate], of app: AppID, now: Date) throws -> [ActivityUpdateOutcome] {
        let loaded = try self.load(orders, of: app, isEstimate: false, now: now)
        let changes = try self.apply(loaded.writes(at: now), now: now)
        return loaded.results(of: orders) { changes.writes[$0].result($1, notification: changes.notificationID) }
    }

    /// Stores the response of a request for its repetitions.
    func note<Value>(_ value: Value, of app: AppID, _ note: IdempotencyRecordBuilder<Value>?) throws {
        guard let record = try note?(value) else { return }
        try self.insert(record, app: try self.lockedNumber(of: app))
    }
}
