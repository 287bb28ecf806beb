// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import JSONSchema
import PushModel
import PushStore

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

    /// The changes that devices show.
    private(set) var visible: [(number: Int64, draft: Int)] = []

    private(set) var expired = 0

    /// The transitions that end by it.
    var ended: [(activity: Int64, transition: ActivityTransition)] { self.calendar.ended }

    /// The transitions that ended, for a report.
    func entries(of ended: [(activity: Int64, transition: ActivityTransition)]) -> [TransitionReport.Entry] {
        let ids = Dictionary(self.rows.map { ($0.number, $0.id) }) { first, _ in first }
        return ended.compactMap { number, transition in
            ids[number].map {
                TransitionReport.Entry(app: self.round.appID, activity: $0, transition: transition)
            }
        }
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
            round: ActivityRound(app: first.app, appID: first.appID, now: now),
            calendar: calendar,
            rows: due.map(\.row),
            types: types,
            schemas: try self.schemas(ofTypes: types, app: first.app)
        )
        for row in decision.rows { decision.lookAfter(row, costs[row.number]) }
        try decision.calendar.close(over: decision.rows.map(\.number), in: &decision.round, on: self)
        return decision
    }
}

extension DueActivities {
    /// Ends an activity whose 8 hours are over, or makes the first change of it that is due.
    fileprivate mutating func lookAfter(_ row: ActivityRow, _ costs: ActivityCosts?) {
        self.round.load(row)
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

    /// Makes changes as one.
    ///
    /// A change that is refused is skipped, and does not prevent the others.
    private mutating func carryOut(
        _ transitions: [ActivityTransition],
        of row: ActivityRow,
        _ costs: ActivityCosts?
    ) {
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
        for transition in made {
            self.calendar.finish(transition.key, as: .done, ofActivity: row.number, now: self.round.now)
        }
        let names = made.map(\.key.rawValue).joined(separator: ", ")
        let kind: TimelineEntry.Kind = row.lifecycle.state == .ended ? .ended : .updated
        let draft = self.round.note(kind, of: row.number, detail: names)
        self.round.drafts[draft].tell(made.map(\.change))
        if isVisible { self.visible.append((row.number, draft)) }
    }

    private mutating func skip(_ transitions: [ActivityTransition], because reason: String, of number: Int64) {
        for transition in transitions {
            self.calendar.finish(transition.key, as: .skipped, ofActivity: number, now: self.round.now)
        }
        let names = transitions.map(\.key.rawValue).joined(separator: ", ")
        self.round.note(.transitionSkipped, of: number, detail: "\(names): \(reason)")
    }
}

// MARK: - Carrying out

extension SQLTransaction {
    /// Carries out what is due; see ``ActivityStore/carryOutTransitions(limit:only:now:)``.
    func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) throws -> TransitionReport {
        var report = TransitionReport()
        let rows = try self.dueActivityRows(limit: limit, only: activity, now: now) { number, error in
            try self.setAside(SetAside(number, error, now: now))
            report.setAside += 1
        }
        report.hasMore = rows.count + report.setAside == limit
        for (_, rows) in Dictionary(grouping: rows, by: \.app).sorted(by: { $0.key < $1.key }) {
            guard var decision = try self.decide(rows, now: now) else { continue }
            try decision.calendar.write(in: &decision.round, on: self)
            try decision.round.visit(decision.visible, on: self)
            try decision.round.finish(on: self)
            report.expired += decision.expired
            report.entries += decision.entries(of: decision.ended)
            let isMoreDue = decision.round.rows.values.contains { $0.dueAt.map { $0 <= now } ?? false }
            report.hasMore = report.hasMore || isMoreDue
        }
        return report
    }
}

// MARK: - Preparing

/// What a store needs to carry out a decision that it took before its instant.
private struct PreparedDecision: Sendable {
    let decision: DueActivities

    /// The devices that show a change, as they were read.
    let phones: [ParticipantRow]

    /// The writes if no activity changes before the instant.
    let writes: ActivityWrites

    let ended: [(activity: Int64, transition: ActivityTransition)]

    /// The estimated memory of an activity and of a device, besides contents, as it was read and as it is written.
    private static let activitySize = 2000
    private static let phoneSize = 1000

    var size: Int {
        func contents(_ row: ActivityRow) -> Int { row.lifecycle.contentState?.bytes.count ?? 0 }
        let read = self.decision.rows.reduce(0) { $0 + contents($1) }
        let written = self.decision.round.rows.values.reduce(0) { $0 + contents($1) }
        // A batch has payloads of its own.
        let payloads = 2 * self.decision.round.payloads.reduce(0) { $0 + $1.bytes.count }
        return Self.activitySize * self.decision.rows.count + Self.phoneSize * self.phones.count + read + written
            + payloads
    }
}

extension SQLExecutor {
    /// Prepares what is due at an instant; see ``ActivityStore/prepareTransitions(dueAt:after:limit:)``.
    func prepareTransitions(
        dueAt instant: Date,
        after number: Int64?,
        limit: Int
    ) throws -> Page<PreparedTransitions, Int64> {
        let (rows, last) = try self.activityRows(dueAt: instant, after: number ?? 0, limit: limit)
        let prepared = try Dictionary(grouping: rows, by: \.app).sorted { $0.key < $1.key }
            .compactMap { try self.prepare($0.value, dueAt: instant) }
        return Page(elements: prepared, next: last)
    }

    private func prepare(_ candidates: [ActivityRow], dueAt instant: Date) throws -> PreparedTransitions? {
        var room = ActivityLimit.participantsAtOnce
        let decided = try self.decide(candidates, now: instant) { row, due in
            guard row.canBePrepared(due, dueAt: instant), row.joined <= room else { return false }
            room -= row.joined
            return true
        }
        guard var decision = decided else { return nil }
        decision.calendar.schedule(in: &decision.round)
        let drafts = Dictionary(decision.visible.map { ($0.number, $0.draft) }) { _, last in last }
        var phones = try self.participantRows(ofActivities: drafts.keys.sorted())
        try decision.round.bringUpToDate(phones, drafts: drafts, on: self)
        let unsettled = decision.round.unsettled(among: phones)
        decision.leaveOut(unsettled)
        phones.removeAll { unsettled.contains($0.activity) }
        guard !decision.rows.isEmpty else { return nil }
        var round = decision.round
        let prepared = PreparedDecision(
            decision: decision,
            phones: phones,
            writes: try round.makeWrites(),
            ended: decision.ended.filter { !unsettled.contains($0.activity) }
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

extension SQLTransaction {
    /// Carries out what was prepared; see ``ActivityStore/carryOut(_:now:)``.
    func carryOut(_ prepared: PreparedTransitions, now: Date) throws -> TransitionReport {
        let lateness = now.timeIntervalSince(prepared.dueAt)
        guard lateness >= 0, lateness <= PreparedTransitions.validSeconds,
            let prepared = prepared.decision as? PreparedDecision
        else { return TransitionReport() }
        let kept = try self.unchanged(prepared)
        if kept.isEmpty { return TransitionReport() }
        var ended = prepared.ended
        if kept.count == prepared.decision.rows.count {
            try self.write(prepared.writes)
        } else {
            ended.removeAll { !kept.contains($0.activity) }
            var decision = prepared.decision
            decision.leaveOut(Set(decision.rows.map(\.number)).subtracting(kept))
            try decision.round.finish(on: self)
        }
        try self.end(ended)
        return TransitionReport(entries: prepared.decision.entries(of: ended))
    }

    /// The numbers of the activities for which everything is as it was when the decision was taken.
    private func unchanged(_ prepared: PreparedDecision) throws -> Set<Int64> {
        let decision = prepared.decision
        guard try self.schemas(ofTypes: decision.types, app: decision.round.app) == decision.schemas else { return [] }
        var kept = try self.unchanged(decision.rows)
        let phones = prepared.phones.filter { kept.contains($0.activity) }
        if phones.isEmpty { return kept }
        let same = try self.unchanged(phones)
        if same.count < phones.count {
            for phone in phones where !same.contains(phone.number) { kept.remove(phone.activity) }
        }
        return kept
    }
}

extension DueActivities {
    /// Removes activities from the decision.
    fileprivate mutating func leaveOut(_ activities: Set<Int64>) {
        self.round.leaveOut(activities)
        self.rows.removeAll { activities.contains($0.number) }
    }
}

extension ActivityRow {
    /// Whether the decision on it can be taken before an instant: it has few devices, does not end by itself at that
    /// instant, and no budget depends on the pushes that are sent before.
    fileprivate func canBePrepared(_ due: [ActivityTransition], dueAt instant: Date) -> Bool {
        guard !due.isEmpty, self.sendingOn == nil, self.namesParticipants else { return false }
        if let end = self.lifecycle.end(isPlanned: self.isPlanned), end <= instant { return false }
        return !due.contains { $0.change.budget?.policy == .refuse }
    }
}
