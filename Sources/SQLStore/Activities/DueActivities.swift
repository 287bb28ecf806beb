// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
import PushModel
public import PushStore

/// The decision on activities of one app that are due: an activity whose 8 hours are over ends, and the first change
/// that is due is made of each other one.
///
/// The decision can be taken before the activities are due; see ``PreparedTransitions``.
struct DueActivities: Sendable {
    var round: ActivityRound
    var calendar: ActivityCalendar
    /// The activities as they were read.
    private(set) var rows: [ActivityRow]
    /// The types of the activities whose content changes, and the schemas of these types.
    let types: Set<AttributesType>
    let schemas: [AttributesType: JSONSchema]
    private(set) var visible: [(number: Int64, draft: Int)] = []
    private(set) var expired = 0

    func entries(of ended: [(activity: Int64, transition: ActivityTransition)]) -> [TransitionReport.Entry] {
        let ids = Dictionary(self.rows.map { ($0.number, $0.id) }) { first, _ in first }
        return ended.compactMap { number, transition in
            ids[number].map { .init(app: self.round.appID, activity: $0, transition: transition) }
        }
    }

    /// Ends an activity whose 8 hours are over, or makes the first change of it that is due.
    fileprivate mutating func lookAfter(_ row: ActivityRow, _ costs: ActivityCosts?) {
        var ended = row
        if ended.lifecycle.expire(isPlanned: row.isPlanned, now: self.round.now) {
            self.round.set(ended)
            self.round.note(.expired, of: row.number)
            self.expired += 1
            return
        }
        let due = self.calendar.due(ofActivity: row.number, by: self.round.now)
        for step in TransitionRound(due: due, now: self.round.now).steps {
            switch step {
            case .leaveOut(let transition):
                let reason = transition.isReadable ? "it was missed" : "what was planned cannot be read"
                self.skip([transition], because: reason, of: row.number)
            case .carryOut(let transitions):
                return self.carryOut(transitions, of: row, costs)
            }
        }
    }

    /// Makes changes as one; a change that is refused is skipped, and does not prevent the others.
    private mutating func carryOut(_ transitions: [ActivityTransition], of row: ActivityRow, _ costs: ActivityCosts?) {
        var row = row
        var isVisible = false
        var made: [ActivityTransition] = []
        // All at once, because one may make another valid; one after the other only if that is refused.
        let attempts = transitions.count > 1 ? [transitions] + transitions.map { [$0] } : [transitions]
        for attempt in attempts where made.count < transitions.count {
            var changed = row
            do {
                for transition in attempt { try costs?.check(transition.change) }
                isVisible =
                    try changed.lifecycle.apply(
                        attempt.map(\.change),
                        fixedBytes: row.fixedBytes,
                        schema: self.schemas[row.attributesType],
                        now: self.round.now
                    ) || isVisible
                row = changed
                made += attempt
            } catch {
                guard attempt.count == 1 else { continue }
                self.skip(attempt, because: error.message, of: row.number)
            }
        }
        guard !made.isEmpty else { return }
        self.round.set(row)
        self.calendar.finish(made.map(\.key), as: .done, ofActivity: row.number, now: self.round.now)
        let names = made.map(\.key.rawValue).joined(separator: ", ")
        let kind: TimelineEntry.Kind = row.lifecycle.state == .ended ? .ended : .updated
        let draft = self.round.note(kind, of: row.number, detail: names, telling: made.map(\.change))
        if isVisible { self.visible.append((row.number, draft)) }
    }

    private mutating func skip(_ transitions: [ActivityTransition], because reason: String, of number: Int64) {
        self.calendar.finish(transitions.map(\.key), as: .skipped, ofActivity: number, now: self.round.now)
        let names = transitions.map(\.key.rawValue).joined(separator: ", ")
        self.round.note(.transitionSkipped, of: number, detail: "\(names): \(reason)")
    }

    fileprivate mutating func leaveOut(_ activities: Set<Int64>) {
        self.round.leaveOut(activities)
        self.rows.removeAll { activities.contains($0.number) }
    }
}

extension SQLExecutor {
    /// Decides what becomes of activities of one app that are due; `nil` without activities.
    ///
    /// `isIncluded` selects the activities, by the transitions that are due.
    func decide(
        _ candidates: [ActivityRow],
        now: Date,
        where isIncluded: (ActivityRow, [ActivityTransition]) -> Bool = { _, _ in true }
    ) throws -> DueActivities? {
        guard let first = candidates.first else { return nil }
        let calendar = try ActivityCalendar(Set(candidates.map(\.number)), on: self)
        let due = candidates.map { (row: $0, transitions: calendar.due(ofActivity: $0.number, by: now)) }
            .filter { isIncluded($0.row, $0.transitions) }
        let changing = due.filter { $0.transitions.contains { $0.change.contentState != nil } }
        let guarded = due.filter { $0.transitions.contains { $0.change.budget?.policy == .refuse } }
        let costs = try self.costs(ofActivities: guarded.map(\.row), now: now)
        let types = Set(changing.map(\.row.attributesType))
        var decision = DueActivities(
            round: ActivityRound(app: first.app, appID: first.appID, now: now, due.map(\.row)),
            calendar: calendar,
            rows: due.map(\.row),
            types: types,
            schemas: try self.schemas(ofTypes: types, app: first.app)
        )
        for row in decision.rows { decision.lookAfter(row, costs[row.number]) }
        try decision.calendar.close(over: decision.rows.map(\.number), in: &decision.round, on: self)
        return decision
    }

    fileprivate func prepare(_ candidates: [ActivityRow], dueAt instant: Date) throws -> PreparedTransitions? {
        var room = ActivityLimit.participantsAtOnce
        let decided = try self.decide(candidates, now: instant) { row, due in
            // Not if it ends by itself then, or if a budget depends on the pushes that are sent before.
            let end = row.lifecycle.end(isPlanned: row.isPlanned)
            guard !due.isEmpty, row.sendingOn == nil, row.namesParticipants, end.map({ $0 > instant }) ?? true,
                !due.contains(where: { $0.change.budget?.policy == .refuse }), row.joined <= room
            else { return false }
            room -= row.joined
            return true
        }
        guard var decision = decided else { return nil }
        decision.calendar.schedule(in: &decision.round)
        let drafts = Dictionary(decision.visible.map { ($0.number, $0.draft) }) { _, last in last }
        var phones = try self.participantRows(ofActivities: drafts.keys.sorted())
        try decision.round.bringUpToDate(phones, drafts: drafts, on: self)
        // With a device that waits for an outcome, or on which it is over, the decision on an activity can be another one
        // when it is written.
        let unsettled = Set(
            phones.filter { phone in
                if decision.round.changed[phone.number] != nil { return true }
                guard let id = phone.batch, let known = decision.round.batches[id], let batch = known else {
                    return false
                }
                return batch.lifecycle.state != .settled
            }.map(\.activity)
        )
        decision.leaveOut(unsettled)
        phones.removeAll { unsettled.contains($0.activity) }
        guard !decision.rows.isEmpty else { return nil }
        var writes = decision.round
        try writes.makeWrites()
        let prepared = PreparedDecision(
            decision: decision,
            phones: phones,
            writes: writes,
            ended: decision.calendar.ended.filter { !unsettled.contains($0.activity) }
        )
        return PreparedTransitions(
            dueAt: instant,
            activities: decision.rows.map(\.number),
            transitions: prepared.ended.count,
            phoneCount: phones.count,
            size: prepared.size,
            decision: prepared
        )
    }
}

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
                guard var decision = try transaction.decide(rows, now: now) else { continue }
                try decision.calendar.write(in: &decision.round, on: transaction)
                try decision.round.visit(decision.visible, on: transaction)
                try decision.round.finish(on: transaction)
                report.expired += decision.expired
                report.entries += decision.entries(of: decision.calendar.ended)
                let isMoreDue = decision.round.rows.values.contains { $0.dueAt.map { $0 <= now } ?? false }
                report.hasMore = report.hasMore || isMoreDue
            }
            return report
        }
    }

    public func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.sql.read { reader in
            var damaged: Int64?
            // One that cannot be read is set aside when it is due.
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

    public func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport {
        try await self.sql.writeHandingOver { transaction in
            let lateness = now.timeIntervalSince(prepared.dueAt)
            guard lateness >= 0, lateness <= PreparedTransitions.validSeconds,
                let prepared = prepared.decision as? PreparedDecision
            else { return TransitionReport() }
            var decision = prepared.decision
            let schemas = try transaction.schemas(ofTypes: decision.types, app: decision.round.app)
            guard schemas == decision.schemas else { return TransitionReport() }
            // The activities for which everything is as it was when the decision was taken.
            var kept = try transaction.unchanged(decision.rows)
            let phones = prepared.phones.filter { kept.contains($0.activity) }
            let same = try phones.isEmpty ? [] : transaction.unchanged(phones)
            for phone in phones where !same.contains(phone.number) { kept.remove(phone.activity) }
            if kept.isEmpty { return TransitionReport() }
            var ended = prepared.ended
            if kept.count == decision.rows.count {
                try transaction.write(prepared.writes)
            } else {
                ended.removeAll { !kept.contains($0.activity) }
                decision.leaveOut(Set(decision.rows.map(\.number)).subtracting(kept))
                try decision.round.finish(on: transaction)
            }
            try transaction.end(ended)
            return TransitionReport(entries: prepared.decision.entries(of: ended))
        }
    }
}

/// What a store needs to carry out a decision that it took before its instant.
private struct PreparedDecision: Sendable {
    let decision: DueActivities
    /// The devices that show a change, as they were read.
    let phones: [ParticipantRow]
    /// The writes if no activity changes before the instant.
    let writes: ActivityRound
    let ended: [(activity: Int64, transition: ActivityTransition)]

    /// The estimated memory in bytes: 2000 for an activity and 1000 for a device, besides contents as read and as written.
    var size: Int {
        func contents(_ row: ActivityRow) -> Int { row.lifecycle.contentState?.bytes.count ?? 0 }
        let read = self.decision.rows.reduce(0) { $0 + contents($1) }
        let written = self.decision.round.rows.values.reduce(0) { $0 + contents($1) }
        // A batch has payloads of its own.
        let payloads = 2 * self.decision.round.payloads.reduce(0) { $0 + $1.bytes.count }
        return 2000 * self.decision.rows.count + 1000 * self.phones.count + read + written + payloads
    }
}
