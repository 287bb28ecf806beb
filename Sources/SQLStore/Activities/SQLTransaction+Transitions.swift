// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import JSONSchema
import PushModel
import PushStore

extension SQLTransaction {
    /// Plans changes; see ``ActivityStore/plan(_:for:of:now:)``.
    func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) throws -> TransitionPlanning? {
        let number = try self.lockedNumber(of: app)
        guard let row = try self.activityRow(activity, app: number) else { return nil }
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
        try calendar.write(in: &round, on: self)
        try round.finish(on: self)
        return .planned(planned)
    }

    /// Withdraws planned transitions; see ``ActivityStore/withdraw(_:of:app:now:)``.
    func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) throws -> [TransitionKey]? {
        let number = try self.lockedNumber(of: app)
        guard let row = try self.activityRow(activity, app: number) else { return nil }
        var round = ActivityRound(app: number, appID: app, now: now)
        round.load(row)
        var calendar = try ActivityCalendar([row.number], on: self)
        let known = calendar.keys(ofActivity: row.number)
        let withdrawn = keys.map { keys in known.filter { keys.contains($0) } } ?? known
        guard !withdrawn.isEmpty else { return [] }
        for key in withdrawn { calendar.finish(key, as: .withdrawn, ofActivity: row.number, now: now) }
        round.note(.transitionWithdrawn, of: row.number, detail: withdrawn.map(\.rawValue).joined(separator: ", "))
        try calendar.write(in: &round, on: self)
        try round.finish(on: self)
        return withdrawn
    }
}
