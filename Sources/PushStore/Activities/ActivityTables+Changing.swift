// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import JSONSchema
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension ActivityTables {
    /// Changes activities, or tells what that would come to where `isDry`; see ``ActivityStore/change(_:of:now:noting:)`` and
    /// ``ActivityStore/estimate(_:of:now:)``.
    package func change(
        _ orders: [ActivityOrder],
        of app: AppID,
        isDry: Bool = false,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> [ActivityResult] {
        guard orders.count <= ActivityLimit.changesAtOnce else {
            throw StoreError(
                code: .invalid,
                message: "One call changes at most \(ActivityLimit.changesAtOnce) activities. Make several calls."
            )
        }
        let number = try self.number(ofApp: app)
        var round = ActivityRound(app: number, appID: app, now: now)
        var damaged: Set<ActivityID> = []
        let found = try readable(Array(Set(orders.map(\.activity))), onDamage: { damaged.insert($0) }) {
            try self.activityRows($0, app: number)
        }
        let numbers = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.number) })
        for row in found { round.load(row) }
        var damagedTypes: Set<AttributesType> = []
        let schemas = try self.schemas(for: orders.map(\.change), of: found, app: number) { damagedTypes.insert($0) }
        let moving = Set(orders.filter { !$0.change.instants.isEmpty }.compactMap { numbers[$0.activity] })
        var calendar = try ActivityCalendar(moving, on: self)
        let guarded = orders.filter { isDry || $0.change.budget?.policy == .refuse }.compactMap { numbers[$0.activity] }
        let costs = try self.costs(ofActivities: Set(guarded).compactMap { round.rows[$0] }, now: now)
        var told: [(number: Int64, entry: Int?, refusal: ActivityRefusal?)?] = []
        var visible: [(number: Int64, draft: Int)] = []
        for order in orders {
            guard let number = numbers[order.activity], var row = round.rows[number] else {
                let isDamaged = damaged.contains(order.activity)
                told.append(isDamaged ? (number: 0, entry: nil, refusal: .damaged) : nil)
                continue
            }
            if order.change.contentState != nil, damagedTypes.contains(row.attributesType) {
                told.append((number: number, entry: nil, refusal: .damaged))
                continue
            }
            do throws(ActivityRefusal) {
                try calendar.check(order.change, ofActivity: number)
                try costs[number]?.check(order.change)
                let isVisible = try row.lifecycle.apply(
                    [order.change],
                    fixedBytes: row.fixedBytes,
                    schema: schemas[row.attributesType],
                    now: now
                )
                round.set(row)
                calendar.move(order.change, ofActivity: number, in: &round)
                guard isVisible else {
                    told.append((number, nil, nil))
                    continue
                }
                let draft = round.note(row.lifecycle.state == .ended ? .ended : .updated, of: number)
                round.drafts[draft].tell([order.change])
                visible.append((number, draft))
                told.append((number, draft, nil))
            } catch {
                told.append((number, nil, error))
            }
        }
        if isDry {
            return zip(orders, told).map { order, entry in
                if let refusal = entry?.refusal { return .refused(refusal) }
                guard let entry, let row = round.rows[entry.number] else { return .unknown }
                return .changed(costs[entry.number, default: ActivityCosts()].receipt(order.change, row.lifecycle))
            }
        }
        try calendar.close(over: visible.map(\.number), in: &round, on: self)
        try calendar.write(in: &round, on: self, signalling: &changes)
        try round.visit(visible, on: self)
        let notification = try round.finish(on: self, signalling: &changes)
        return told.map { entry in
            guard let entry else { return .unknown }
            if let refusal = entry.refusal { return .refused(refusal) }
            return .changed(round.receipt(entry.entry, of: entry.number, notification: notification))
        }
    }

    /// Keeps what is answered to repetitions of a request that has come to a value.
    package func note<Value>(_ value: Value, of app: AppID, _ note: AnswerNote<Value>?) throws {
        guard let record = try note?(value) else { return }
        try self.insert(record, app: try self.number(ofApp: app))
    }

    /// What the content states of activities have to obey, by their types.
    ///
    /// It is looked up once for each type, and only where a content state changes.
    func schemas(
        for changes: [ActivityChange],
        of rows: [ActivityRow],
        app: Int64,
        onDamage: (AttributesType) -> Void = { _ in }
    ) throws -> [AttributesType: JSONSchema] {
        guard !rows.isEmpty, changes.contains(where: { $0.contentState != nil }) else { return [:] }
        return try self.schemas(ofTypes: Set(rows.map(\.attributesType)), app: app, onDamage: onDamage)
    }

    /// What the content states of activities of those types have to obey; of a damaged type nothing is known.
    func schemas(
        ofTypes names: Set<AttributesType>,
        app: Int64,
        onDamage: (AttributesType) -> Void = { _ in }
    ) throws -> [AttributesType: JSONSchema] {
        let types = try readable(names.sorted(), onDamage: onDamage) { try self.activityTypes($0, app: app) }
        let schemas = types.compactMap { type in type.contentState.map { (type.name, $0) } }
        return Dictionary(schemas) { first, _ in first }
    }

    /// Sends the newest state on; see ``ActivityStore/sendOnActivities(now:)``.
    package func sendOnActivities(now: Date, signalling changes: inout [StoreChange]) throws -> Bool {
        guard let row = try self.activityRowToSendOn(now: now) else { return false }
        var round = ActivityRound(app: row.app, appID: row.appID, now: now)
        round.load(row)
        let draft = round.note(.caughtUp, of: row.number)
        try round.sendOn(row.number, drafts: [row.number: draft], on: self)
        _ = try round.finish(on: self, signalling: &changes)
        return true
    }
}
