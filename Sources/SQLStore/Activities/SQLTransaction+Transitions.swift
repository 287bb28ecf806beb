// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
import JSONSchema
package import PushModel

extension ActivityTables {
    /// Plans changes ahead; see ``ActivityStore/plan(_:for:of:now:)``.
    package func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> TransitionPlanning? {
        let number = try self.number(ofApp: app)
        guard let row = try self.activityRows([activity], app: number).first else { return nil }
        if row.lifecycle.state.isOver { return .refused(.over) }
        let schemas = try self.schemas(for: plans.map(\.change), of: [row], app: number)
        if let schema = schemas[row.attributesType] {
            do throws(ActivityRefusal) {
                for plan in plans { try row.lifecycle.check(planned: plan.change, schema: schema) }
            } catch {
                return .refused(error)
            }
        }
        var round = ActivityRound(app: number, appID: app, now: now)
        round.load(row)
        var calendar = try ActivityCalendar([row.number], on: self)
        let planned = calendar.plan(plans, ofActivity: row.number, now: now)
        guard calendar.count(ofActivity: row.number) <= ActivityLimit.transitions else {
            return .refused(.tooMany("planned transitions", limit: ActivityLimit.transitions))
        }
        round.note(.transitionPlanned, of: row.number, detail: planned.map(\.key.rawValue).joined(separator: ", "))
        try calendar.write(in: &round, on: self, signalling: &changes)
        _ = try round.finish(on: self, signalling: &changes)
        return .planned(planned)
    }

    /// Takes planned transitions back; see ``ActivityStore/withdraw(_:of:app:now:)``.
    package func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> [TransitionKey]? {
        let number = try self.number(ofApp: app)
        guard let row = try self.activityRows([activity], app: number).first else { return nil }
        var round = ActivityRound(app: number, appID: app, now: now)
        round.load(row)
        var calendar = try ActivityCalendar([row.number], on: self)
        let known = calendar.keys(ofActivity: row.number)
        let withdrawn = keys.map { keys in known.filter { keys.contains($0) } } ?? known
        guard !withdrawn.isEmpty else { return [] }
        for key in withdrawn { calendar.finish(key, as: .withdrawn, ofActivity: row.number, now: now) }
        round.note(.transitionWithdrawn, of: row.number, detail: withdrawn.map(\.rawValue).joined(separator: ", "))
        try calendar.write(in: &round, on: self, signalling: &changes)
        _ = try round.finish(on: self, signalling: &changes)
        return withdrawn
    }

    /// Carries out what is due; see ``ActivityStore/carryOutTransitions(limit:only:now:)``.
    package func carryOutTransitions(
        limit: Int,
        only activity: Int64?,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> TransitionReport {
        var report = TransitionReport()
        let rows = try self.dueActivityRows(limit: limit, only: activity, now: now) { number, error in
            try self.setAside(SetAside(number, error, now: now))
            report.setAside += 1
        }
        report.hasMore = rows.count + report.setAside == limit
        for (app, rows) in Dictionary(grouping: rows, by: \.app).sorted(by: { $0.key < $1.key }) {
            guard let appID = rows.first?.appID else { continue }
            var round = ActivityRound(app: app, appID: appID, now: now)
            var calendar = try ActivityCalendar(Set(rows.map(\.number)), on: self)
            let due = rows.flatMap { calendar.due(ofActivity: $0.number, by: now).map(\.change) }
            // One that cannot be read keeps nothing from being carried out.
            let schemas = try self.schemas(for: due, of: rows, app: app)
            let guarded = rows.filter { row in
                calendar.due(ofActivity: row.number, by: now).contains { $0.change.budget?.policy == .refuse }
            }
            let costs = try self.costs(ofActivities: guarded, now: now)
            var visible: [(number: Int64, draft: Int)] = []
            for row in rows {
                round.load(row)
                let schema = schemas[row.attributesType]
                if let draft = round.lookAfter(row, schema, costs[row.number], &calendar, &report) {
                    visible.append((row.number, draft))
                }
            }
            try calendar.close(over: rows.map(\.number), in: &round, on: self)
            try calendar.write(in: &round, on: self, signalling: &changes)
            try round.visit(visible, on: self)
            _ = try round.finish(on: self, signalling: &changes)
            let ids = Dictionary(rows.map { ($0.number, $0.id) }) { first, _ in first }
            report.entries += calendar.ended.compactMap { number, transition in
                ids[number].map { TransitionReport.Entry(app: appID, activity: $0, transition: transition) }
            }
            let isMoreDue = round.rows.values.contains { $0.dueAt.map { $0 <= now } ?? false }
            report.hasMore = report.hasMore || isMoreDue
        }
        return report
    }
}

extension ActivityRound {
    /// Ends an activity whose 8 hours are over, or makes the first change of it that is due.
    ///
    /// - Returns: the entry that tells of a change that phones see; `nil` when there is none.
    mutating func lookAfter(
        _ row: ActivityRow,
        _ schema: JSONSchema?,
        _ costs: ActivityCosts?,
        _ calendar: inout ActivityCalendar,
        _ report: inout TransitionReport
    ) -> Int? {
        var row = row
        if row.lifecycle.expire(isPlanned: row.isPlanned, now: self.now) {
            self.set(row)
            self.note(.expired, of: row.number)
            report.expired += 1
            return nil
        }
        for step in TransitionRound(due: calendar.due(ofActivity: row.number, by: self.now), now: self.now).steps {
            switch step {
            case .leaveOut(let transition):
                let reason = transition.isReadable ? "it was missed" : "what was planned cannot be read"
                self.skip([transition], because: reason, of: row.number, &calendar)
            case .carryOut(let transitions):
                return self.carryOut(transitions, of: row, schema, costs, &calendar)
            }
        }
        return nil
    }

    /// Makes changes as one; what cannot be made is left out, and keeps none of the others from being made.
    private mutating func carryOut(
        _ transitions: [ActivityTransition],
        of row: ActivityRow,
        _ schema: JSONSchema?,
        _ costs: ActivityCosts?,
        _ calendar: inout ActivityCalendar
    ) -> Int? {
        var row = row
        var isVisible = false
        var made: [ActivityTransition] = []
        // All at once, since one may make up for another; one after the other only where that is refused.
        let attempts = transitions.count > 1 ? [transitions] + transitions.map { [$0] } : [transitions]
        for attempt in attempts where made.count < transitions.count {
            var changed = row
            do {
                for transition in attempt { try costs?.check(transition.change) }
                isVisible =
                    try changed.lifecycle.apply(
                        attempt.map(\.change),
                        fixedBytes: row.fixedBytes,
                        schema: schema,
                        now: self.now
                    ) || isVisible
                row = changed
                made += attempt
            } catch {
                guard attempt.count == 1 else { continue }
                self.skip(attempt, because: error.message, of: row.number, &calendar)
            }
        }
        guard !made.isEmpty else { return nil }
        self.set(row)
        for transition in made {
            calendar.finish(transition.key, as: .done, ofActivity: row.number, now: self.now)
        }
        let names = made.map(\.key.rawValue).joined(separator: ", ")
        let kind: TimelineEntry.Kind = row.lifecycle.state == .ended ? .ended : .updated
        let draft = self.note(kind, of: row.number, detail: names)
        self.drafts[draft].tell(made.map(\.change))
        return isVisible ? draft : nil
    }

    private mutating func skip(
        _ transitions: [ActivityTransition],
        because reason: String,
        of number: Int64,
        _ calendar: inout ActivityCalendar
    ) {
        for transition in transitions {
            calendar.finish(transition.key, as: .skipped, ofActivity: number, now: self.now)
        }
        let names = transitions.map(\.key.rawValue).joined(separator: ", ")
        self.note(.transitionSkipped, of: number, detail: "\(names): \(reason)")
    }
}
