// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import JSONSchema
import PushModel
import PushStore

/// The decision on changes of activities, before it is written.
private struct ActivityDecision {
    /// What becomes of an order: the number of its activity, and the draft that tells of the change or the refusal.
    typealias Outcome = (number: Int64, draft: Int?, refusal: ActivityRefusal?)

    var round: ActivityRound
    var calendar: ActivityCalendar
    let costs: [Int64: ActivityCosts]

    /// The outcomes of the orders, in their order; `nil` if there is no such activity.
    var outcomes: [Outcome?] = []

    /// The changes that devices show.
    var visible: [(number: Int64, draft: Int)] = []
}

extension SQLExecutor {
    /// Decides which changes are made.
    ///
    /// An estimate needs the costs of all of them.
    fileprivate func decide(
        _ orders: [ActivityOrder],
        of app: AppID,
        isEstimate: Bool,
        now: Date
    ) throws -> ActivityDecision {
        guard orders.count <= ActivityLimit.changesAtOnce else {
            throw StoreError(
                code: .invalid,
                message: "One call changes at most \(ActivityLimit.changesAtOnce) activities. Make several calls."
            )
        }
        let number = try self.activityApp(app)
        var damaged: Set<ActivityID> = []
        let ids = Array(Set(orders.map(\.activity)))
        let found = try readable(ids, in: "activities", onDamage: { damaged.insert($0) }) {
            try self.activityRows($0, app: number)
        }
        let numbers = Dictionary(found.map { ($0.id, $0.number) }) { first, _ in first }
        var damagedTypes: Set<AttributesType> = []
        let schemas = try self.schemas(for: orders.map(\.change), of: found, app: number) { damagedTypes.insert($0) }
        let moving = Set(orders.filter { !$0.change.instants.isEmpty }.compactMap { numbers[$0.activity] })
        let guarded = Set(
            orders.filter { isEstimate || $0.change.budget?.policy == .refuse }.compactMap { numbers[$0.activity] }
        )
        var decision = ActivityDecision(
            round: ActivityRound(app: number, appID: app, now: now),
            calendar: try ActivityCalendar(moving, on: self),
            costs: try self.costs(ofActivities: found.filter { guarded.contains($0.number) }, now: now)
        )
        for row in found { decision.round.load(row) }
        for order in orders {
            guard let number = numbers[order.activity], let row = decision.round.rows[number] else {
                decision.outcomes.append(
                    damaged.contains(order.activity) ? (number: 0, draft: nil, refusal: .damaged) : nil
                )
                continue
            }
            do throws(ActivityRefusal) {
                if order.change.contentState != nil, damagedTypes.contains(row.attributesType) {
                    throw ActivityRefusal.damaged
                }
                let draft = try decision.apply(order.change, to: row, schemas[row.attributesType])
                decision.outcomes.append((number, draft, nil))
            } catch {
                decision.outcomes.append((number, nil, error))
            }
        }
        return decision
    }

    /// Estimates what changes would send and cost; see ``ActivityStore/estimate(_:of:now:)``.
    func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) throws -> [ActivityResult] {
        let decision = try self.decide(orders, of: app, isEstimate: true, now: now)
        return zip(orders, decision.outcomes).map { order, outcome in
            if let refusal = outcome?.refusal { return .refused(refusal) }
            guard let outcome, let row = decision.round.rows[outcome.number] else { return .unknown }
            let costs = decision.costs[outcome.number, default: ActivityCosts()]
            return .changed(costs.receipt(order.change, row.lifecycle))
        }
    }
}

extension ActivityDecision {
    /// Applies a change to an activity.
    ///
    /// - Returns: the draft that tells of it; `nil` if devices do not show it.
    fileprivate mutating func apply(
        _ change: ActivityChange,
        to row: ActivityRow,
        _ schema: JSONSchema?
    ) throws(ActivityRefusal) -> Int? {
        var row = row
        try self.calendar.check(change, ofActivity: row.number)
        try self.costs[row.number]?.check(change)
        let isVisible = try row.lifecycle.apply(
            [change],
            fixedBytes: row.fixedBytes,
            schema: schema,
            now: self.round.now
        )
        self.round.set(row)
        self.calendar.move(change, ofActivity: row.number, in: &self.round)
        guard isVisible else { return nil }
        let draft = self.round.note(row.lifecycle.state == .ended ? .ended : .updated, of: row.number)
        self.round.drafts[draft].tell([change])
        self.visible.append((row.number, draft))
        return draft
    }
}

extension SQLTransaction {
    /// Changes activities; see ``ActivityStore/change(_:of:now:noting:)``.
    func change(_ orders: [ActivityOrder], of app: AppID, now: Date) throws -> [ActivityResult] {
        var decision = try self.decide(orders, of: app, isEstimate: false, now: now)
        try decision.calendar.close(over: decision.visible.map(\.number), in: &decision.round, on: self)
        try decision.calendar.write(in: &decision.round, on: self)
        try decision.round.visit(decision.visible, on: self)
        let notification = try decision.round.finish(on: self)
        let round = decision.round
        return try decision.outcomes.map { outcome in
            guard let outcome else { return .unknown }
            if let refusal = outcome.refusal { return .refused(refusal) }
            return .changed(try round.receipt(outcome.draft, of: outcome.number, notification: notification))
        }
    }

    /// Stores the response of a request for its repetitions.
    func note<Value>(_ value: Value, of app: AppID, _ note: AnswerNote<Value>?) throws {
        guard let record = try note?(value) else { return }
        try self.insert(record, app: try self.lockedNumber(of: app))
    }
}

extension SQLExecutor {
    /// The schemas of the content states of activities, by their types.
    ///
    /// Reads each type once, and only if a content state changes.
    func schemas(
        for changes: [ActivityChange],
        of rows: [ActivityRow],
        app: Int64,
        onDamage: (AttributesType) -> Void = { _ in }
    ) throws -> [AttributesType: JSONSchema] {
        guard !rows.isEmpty, changes.contains(where: { $0.contentState != nil }) else { return [:] }
        return try self.schemas(ofTypes: Set(rows.map(\.attributesType)), app: app, onDamage: onDamage)
    }

    /// The schemas of the content states of types; a corrupt type has none.
    func schemas(
        ofTypes names: Set<AttributesType>,
        app: Int64,
        onDamage: (AttributesType) -> Void = { _ in }
    ) throws -> [AttributesType: JSONSchema] {
        let types = try readable(names.sorted(), in: "activity_types", onDamage: onDamage) {
            try self.activityTypes($0, app: app)
        }
        let schemas = types.compactMap { type in type.contentState.map { (type.name, $0) } }
        return Dictionary(schemas) { first, _ in first }
    }
}

extension SQLTransaction {
    /// Sends the latest state to more devices; see ``ActivityStore/sendOnActivities(now:)``.
    func sendOnActivities(now: Date) throws -> Bool {
        guard let row = try self.activityRowToSendOn(now: now) else { return false }
        var round = ActivityRound(app: row.app, appID: row.appID, now: now)
        round.load(row)
        let draft = round.note(.caughtUp, of: row.number)
        try round.sendOn(row.number, drafts: [row.number: draft], on: self)
        try round.finish(on: self)
        return true
    }
}
