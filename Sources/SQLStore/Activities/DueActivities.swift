// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.writeHandingOver { transaction in
            var report = TransitionReport()
            let one: SQL = if let activity { " AND \(SQL.dueNumber) = \(activity)" } else { "" }
            // Other transactions get others.
            let rows = try transaction.activityRows(
                """
                \(SQL.dueActivities) WHERE due_at <= \(now)\(one) ORDER BY due_at, \(SQL.dueNumber) LIMIT \(limit)\
                \(lock: " FOR UPDATE OF activities, activity_due SKIP LOCKED")
                """
            ) { number, error in
                try transaction.setAside(number, error, now: now)
                report.setAside += 1
            }
            report.hasMore = rows.count + report.setAside == limit
            for (_, rows) in Dictionary(grouping: rows, by: \.app).sorted(by: { $0.key < $1.key }) {
                let snapshots = try transaction.dueSnapshots(rows, at: now)
                let writes = try snapshots.map { try decide(.runDue, on: $0, at: now) }
                let changes = try transaction.apply(writes, now: now)
                report.expired += writes.count { $0.row.lifecycle.state == .expired }
                report.entries += changes.entries
                report.hasMore = report.hasMore || writes.contains { $0.row.dueAt.map { $0 <= now } ?? false }
            }
            return report
        }
    }

    public func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityChangeSet, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.read { reader in
            var damaged: Int64?
            // A corrupt activity is quarantined when it is due.
            let rows = try reader.activityRows(
                """
                \(SQL.dueActivities) WHERE due_at = \(instant) AND \(SQL.dueNumber) > \(cursor ?? 0)
                ORDER BY \(SQL.dueNumber) LIMIT \(limit)
                """
            ) { number, _ in damaged = number }
            let prepared = try Dictionary(grouping: rows, by: \.app).sorted { $0.key < $1.key }
                .compactMap { try reader.prepare($0.value, dueAt: instant) }
            return Page(elements: prepared, next: [rows.last?.number, damaged].compactMap(\.self).max())
        }
    }

    public var preparedAtOnce: Int { self.sql.driver.writersAtOnce }

    public func carryOut(_ prepared: ActivityChangeSet, now: Date) async throws -> TransitionReport {
        try await self.sql.writeHandingOver { transaction in
            let lateness = now.timeIntervalSince(prepared.time)
            guard lateness >= 0, lateness <= ActivityChangeSet.validSeconds, let first = prepared.writes.first else {
                return TransitionReport()
            }
            let schemas = try transaction.schemas(ofTypes: Set(prepared.schemas.keys), of: first.row.appID)
            guard prepared.schemas.allSatisfy({ schemas[$0.key] == $0.value }) else { return TransitionReport() }
            let unchanged = try transaction.unchanged(prepared.writes.map(\.row))
            guard let changes = try prepared.limited(to: unchanged) else { return TransitionReport() }
            try transaction.apply(changes)
            return TransitionReport(entries: changes.entries)
        }
    }
}

extension SQLTransaction {
    /// Locks the activities that have these revisions, unless other transactions hold them; returns their numbers.
    fileprivate func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64> {
        let told = try SQLRows(
            "told",
            rows,
            ["number": { .integer($0.number) }, "revision": { .integer($0.revision) }]
        )
        let found = try self.map(
            """
            SELECT activities.number FROM activities\(", ", told)
            WHERE activities.number = \(told["number"]) AND activities.revision = \(told["revision"])\
            \(lock: " ORDER BY activities.number FOR UPDATE OF activities SKIP LOCKED")
            """
        ) { try $0.int64("number") }
        return Set(found)
    }
}

extension SQLExecutor {
    /// Reads the inputs of the decisions on due activities of one app.
    ///
    /// `isIncluded` selects the activities, by their due transitions.
    fileprivate func dueSnapshots(
        _ rows: [ActivityRow],
        at time: Date,
        where isIncluded: (ActivityRow, [ActivityTransition]) -> Bool = { _, _ in true }
    ) throws -> [ActivitySnapshot] {
        guard let app = rows.first?.appID else { return [] }
        var snapshots = rows.map(ActivitySnapshot.init)
        try self.loadPlans(&snapshots)
        var types: Set<AttributesType> = []
        var guarded: [ActivityRow] = []
        var visible: Set<Int64> = []
        snapshots.removeAll { snapshot in
            let row = snapshot.row
            let due = snapshot.plan?.due(by: time) ?? []
            guard isIncluded(row, due) else { return true }
            if due.contains(where: { $0.change.contentState != nil }) { types.insert(row.attributesType) }
            if due.contains(where: { $0.change.budget?.policy == .reject }) { guarded.append(row) }
            if due.contains(where: \.change.isVisible) { visible.insert(row.number) }
            return false
        }
        let schemas = try self.schemas(ofTypes: types, of: app)
        let costs = try self.costs(ofActivities: guarded, now: time)
        for index in snapshots.indices {
            let row = snapshots[index].row
            snapshots[index].schema = schemas[row.attributesType]
            snapshots[index].costs = costs[row.number]
        }
        let numbers = snapshots.map(\.row.number)
        try self.loadParticipants(&snapshots) { visible.contains(numbers[$0]) }
        return snapshots
    }

    /// Prepares decisions on activities before their due time, as far as they do not depend on later changes.
    fileprivate func prepare(_ candidates: [ActivityRow], dueAt instant: Date) throws -> ActivityChangeSet? {
        var room = ActivityLimit.participantsAtOnce
        let snapshots = try self.dueSnapshots(candidates, at: instant) { row, due in
            // Not if the activity ends by then, or if a budget depends on the pushes that are sent before.
            let end = row.lifecycle.end(isPlanned: row.isPlanned)
            guard !due.isEmpty, row.sendingOn == nil, row.namesParticipants, end.map({ $0 > instant }) ?? true,
                !due.contains(where: { $0.change.budget?.policy == .reject }), row.joined <= room
            else { return false }
            room -= row.joined
            return true
        }
        var schemas: [AttributesType: JSONSchema?] = [:]
        let writes = try snapshots.compactMap { snapshot -> ActivityWrites? in
            if snapshot.plan?.due(by: instant).contains(where: { $0.change.contentState != nil }) ?? false {
                schemas.updateValue(snapshot.schema, forKey: snapshot.row.attributesType)
            }
            let writes = try decide(.runDue, on: snapshot, at: instant)
            return writes.canBePrepared(on: snapshot) ? writes : nil
        }
        if writes.isEmpty { return nil }
        var changes = try ActivityChangeSet(combining: writes, at: instant)
        changes.schemas = schemas
        return changes
    }
}
