// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
import JSONSchema
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> TransitionPlanning? {
        try await self.sql.write { try $0.plan(plans, for: activity, of: app, now: now) }
    }

    public func withdraw(
        _ keys: [TransitionKey]?,
        of activity: ActivityID,
        app: AppID,
        now: Date
    ) async throws -> [TransitionKey]? {
        try await self.sql.write { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return nil }
            var round = ActivityRound(row, now: now)
            var calendar = try ActivityCalendar([row.number], on: transaction)
            let known = calendar.keys(ofActivity: row.number)
            let withdrawn = keys.map { keys in known.filter { keys.contains($0) } } ?? known
            guard !withdrawn.isEmpty else { return [] }
            for key in withdrawn { calendar.finish(key, as: .withdrawn, ofActivity: row.number, now: now) }
            round.note(.transitionWithdrawn, of: row.number, detail: withdrawn.map(\.rawValue).joined(separator: ", "))
            try calendar.write(in: &round, on: transaction)
            try round.finish(on: transaction)
            return withdrawn
        }
    }
}

extension SQLTransaction {
    func plan(
        _ plans: [TransitionPlan],
        for activity: ActivityID,
        of app: AppID,
        now: Date
    ) throws -> TransitionPlanning? {
        guard let row = try self.lockedActivityRow(activity, of: app) else { return nil }
        if row.lifecycle.state.isOver { return .refused(.over) }
        let schemas = try self.schemas(for: plans.map(\.change), of: [row], app: row.app)
        if let schema = schemas[row.attributesType] {
            do throws(ActivityRefusal) {
                for plan in plans { try row.lifecycle.check(planned: plan.change, schema: schema) }
            } catch {
                return .refused(error)
            }
        }
        var round = ActivityRound(row, now: now)
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
}
