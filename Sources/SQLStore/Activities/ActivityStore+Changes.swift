// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func change(
        _ orders: [ActivityOrder],
        of app: AppID,
        now: Date,
        noting note: AnswerNote<[ActivityResult]>?
    ) async throws -> [ActivityResult] {
        let lane: Lane = orders.count <= ActivityLimit.urgentPushes ? .urgent : .bulk
        return try await self.sql.writeHandingOver(in: lane) { transaction in
            let results = try transaction.change(orders, of: app, now: now)
            try transaction.note(results, of: app, note)
            return results
        }
    }

    public func estimate(_ orders: [ActivityOrder], of app: AppID, now: Date) async throws -> [ActivityResult] {
        try await self.sql.snapshot { reader -> [ActivityResult] in
            let decision = try reader.decide(orders, of: app, isEstimate: true, now: now)
            return zip(orders, decision.outcomes).map { order, outcome in
                if let refusal = outcome?.refusal { return .refused(refusal) }
                guard let outcome, let row = decision.round.rows[outcome.number] else { return .unknown }
                let costs = decision.costs[outcome.number] ?? ActivityCosts(now: now)
                return .changed(costs.receipt(order.change, row.lifecycle))
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
            var found: ActivityRow?
            var isDamaged = true
            while found == nil, isDamaged {
                isDamaged = false
                found = try transaction.activityRows(
                    """
                    \(SQL.activities) WHERE left_to_send > 0 ORDER BY activities.number LIMIT 1\
                    \(lock: " FOR UPDATE OF activities SKIP LOCKED")
                    """
                ) { number, error in
                    isDamaged = true
                    try transaction.setAside(number, error, now: now)
                }.first
            }
            guard let row = found else { return false }
            var round = ActivityRound(row, now: now)
            let draft = round.note(.caughtUp, of: row.number)
            try round.sendOn(row.number, drafts: [row.number: draft], on: transaction)
            try round.finish(on: transaction)
            return true
        }
    }
}

/// The decision on changes of activities, before it is written.
private struct ActivityDecision {
    /// What becomes of an order: the number of its activity, and the draft that tells of the change or the refusal.
    typealias Outcome = (number: Int64, draft: Int?, refusal: ActivityRefusal?)
    var round: ActivityRound
    var calendar: ActivityCalendar
    let costs: [Int64: ActivityCosts]
    /// The outcomes of the orders, in their order; `nil` if there is no such activity.
    var outcomes: [Outcome?] = []
    var visible: [(number: Int64, draft: Int)] = []

    /// Applies a change; returns the draft that tells of it, `nil` if devices do not show it.
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
        let kind: TimelineEntry.Kind = row.lifecycle.state == .ended ? .ended : .updated
        let draft = self.round.note(kind, of: row.number, telling: [change])
        self.visible.append((row.number, draft))
        return draft
    }
}

extension SQLExecutor {
    /// Decides which changes are made; an estimate needs the costs of all of them.
    fileprivate func decide(
        _ orders: [ActivityOrder],
        of app: AppID,
        isEstimate: Bool,
        now: Date
    ) throws -> ActivityDecision {
        guard orders.count <= ActivityLimit.changesAtOnce else {
            let message = "One call changes at most \(ActivityLimit.changesAtOnce) activities. Make several calls."
            throw StoreError.invalid(message)
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
            round: ActivityRound(app: number, appID: app, now: now, found),
            calendar: try ActivityCalendar(moving, on: self),
            costs: try self.costs(ofActivities: found.filter { guarded.contains($0.number) }, now: now)
        )
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

    /// The schemas of the content states of activities, by their types; only if a content state changes.
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

    func costs(ofActivities rows: [ActivityRow], now: Date) throws -> [Int64: ActivityCosts] {
        var costs: [Int64: ActivityCosts] = [:]
        var few: [Int64] = []
        var room = 0
        func readFew() throws {
            let found = try few.isEmpty ? [] : self.participantRows(ofActivities: few)
            for (number, phones) in Dictionary(grouping: found, by: \.activity) {
                costs[number] = ActivityCosts(phones, now: now)
            }
            (few, room) = ([], ActivityLimit.participantsAtOnce)
        }
        for row in rows.sorted(by: { $0.number < $1.number }) where row.joined > 0 {
            if row.joined > ActivityLimit.participantsAtOnce {
                let limit = ActivityLimit.participantsAtOnce
                let phones = try self.participantRows(ofActivity: row.number, after: 0, limit: limit)
                costs[row.number] = ActivityCosts(phones, now: now)
                continue
            }
            if row.joined > room { try readFew() }
            few.append(row.number)
            room -= row.joined
        }
        try readFew()
        return costs
    }
}

extension SQLTransaction {
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

/// The devices of an activity to which a change would be sent, with their recent pushes.
///
/// If an activity has more devices than are sent to at once, those that joined first represent all of them.
struct ActivityCosts: Sendable {
    private let phones: [ActivityParticipant]
    /// The number of devices that are sent to, with the channel of the activity.
    private let reached: Int
    private let now: Date

    init(_ rows: [ParticipantRow] = [], now: Date) {
        let reached = rows.map(\.participant).filter { participant in
            var participant = participant
            // A device whose 8 hours are over is sent nothing.
            _ = participant.expire(now: now)
            return participant.target != nil
        }
        self.reached = reached.count
        // A channel has a budget of its own.
        self.phones = reached.filter { $0.origin != .channel }
        self.now = now
    }

    /// The cost of a change; `nil` if its priority is not 10, or no device would show it.
    func cost(_ change: ActivityChange) -> BudgetCost? {
        guard change.isVisible, change.priority == .immediate, !self.phones.isEmpty else { return nil }
        var cost = BudgetCost()
        for phone in self.phones { _ = cost.add(phone, of: change.budget ?? PushBudget(), now: self.now) }
        return cost
    }

    /// Refuses a change that exceeds the budget of a device, if its policy asks for that.
    func check(_ change: ActivityChange) throws(ActivityRefusal) {
        guard change.budget?.policy == .refuse, let refusal = self.cost(change)?.refusal(.refuse) else { return }
        throw refusal
    }

    func receipt(_ change: ActivityChange, _ lifecycle: ActivityLifecycle) -> ActivityReceipt {
        ActivityReceipt(
            version: lifecycle.version,
            state: lifecycle.state,
            sent: change.isVisible ? self.reached : 0,
            cost: self.cost(change)
        )
    }
}
