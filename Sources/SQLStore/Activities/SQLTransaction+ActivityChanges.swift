// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
import JSONSchema
package import PushModel

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
        let ids = Array(Set(orders.map(\.activity)))
        let found = try readable(ids, in: "activities", onDamage: { damaged.insert($0) }) {
            try self.activityRows($0, app: number)
        }
        let numbers = Dictionary(found.map { ($0.id, $0.number) }) { first, _ in first }
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
        return try told.map { entry in
            guard let entry else { return .unknown }
            if let refusal = entry.refusal { return .refused(refusal) }
            return .changed(try round.receipt(entry.entry, of: entry.number, notification: notification))
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
        let types = try readable(names.sorted(), in: "activity_types", onDamage: onDamage) {
            try self.activityTypes($0, app: app)
        }
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

extension ActivityTables {
    /// Sends phones their newest content that waited for what has come to its outcome, and takes note of what has not
    /// reached its phones.
    ///
    /// To be called in the transaction by which targets of an activity's batch come to an outcome, or by which a batch is
    /// given back.
    /// `failures` are the targets that this transaction failed. The targets that an ended batch left are found
    /// without it.
    package func relieve(
        _ batch: BatchRow,
        failures: [Settlement.Failure] = [],
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let lifecycle = batch.lifecycle
        var failures = failures
        if let remainder = lifecycle.remainder {
            failures += (0..<lifecycle.targetCount).filter { !lifecycle.isSettled($0) }
                .map { Settlement.Failure(index: $0, outcome: .failed(remainder)) }
        }
        let free = try self.waitingPushes(on: batch.id, before: batch.endOfRelief).filter { push in
            lifecycle.state.isFinal || lifecycle.isSettled(push.position)
                // It waits for its time: overtaken by then.
                || lifecycle.waitingTime(of: push.position) != nil
        }
        guard !failures.isEmpty || !free.isEmpty else { return }
        // What cannot be read of it keeps nothing from being settled.
        let sentTo =
            try failures.isEmpty
            ? [] : readable(batch.id, in: "activity_batches") { try self.participants(of: batch.id) } ?? []
        let lost = failures.filter { sentTo.indices.contains($0.index) }
        let numbers = Set(lost.map { sentTo[$0.index] } + free.map(\.participant))
        // The activities first: while these are held nobody changes their phones.
        let activities = try readable(Set(numbers.map(ParticipantNumber.activity)).sorted(), in: "activities") {
            try self.activityRows(numbers: $0)
        }
        let known = Set(activities.map(\.number))
        var phones: [Int64: ParticipantRow] = [:]
        for phone in try readable(
            numbers.sorted(),
            in: "activity_participants",
            { try self.participantRows(numbers: $0) }
        )
        where known.contains(phone.activity) {
            phones[phone.number] = phone
        }
        guard let first = activities.first else { return try self.remove(free) }
        var round = ActivityRound(app: first.app, appID: first.appID, now: now)
        for row in activities { round.load(row) }
        // The batch is read anew where somebody waits for it: now that the activities are held it can be held as well.
        var behind = Set(free.map(\.participant))
        let isNamed = lost.contains { $0.outcome.namesTarget }
        let targets =
            try isNamed ? readable(batch.id, in: "batch_contents") { try self.targetList(of: batch) } ?? [] : []
        for failure in lost {
            let number = sentTo[failure.index]
            guard var phone = phones[number] else { continue }
            try self.lose(failure, to: &phone, of: batch, targets, in: &round)
            phones[number] = phone
            if phone.participant.target != nil, failure.outcome.namesToken { behind.insert(number) }
        }
        if !free.isEmpty { try self.remove(free) }
        var drafts: [Int64: Int] = [:]
        for row in activities { drafts[row.number] = round.note(.caughtUp, of: row.number) }
        try round.bringUpToDate(behind.sorted().compactMap { phones[$0] }, drafts: drafts, on: self)
        _ = try round.finish(on: self, signalling: &changes)
    }

    /// A push has not reached its phone.
    private func lose(
        _ failure: Settlement.Failure,
        to phone: inout ParticipantRow,
        of batch: BatchRow,
        _ targets: TargetList,
        in round: inout ActivityRound
    ) throws {
        let isLast = phone.batch == batch.id && phone.position == failure.index
        if isLast {
            phone.participant.miss()
            phone.batch = nil
            round.changed[phone.number] = phone
        }
        guard case .rejected(let rejection) = failure.outcome,
            failure.outcome.namesToken || phone.participant.origin == .channel && rejection.isOfDeadChannel
        else { return }
        guard targets.indices.contains(failure.index) else { return }
        let target = targets[failure.index]
        if phone.participant.origin == .push, phone.participant.token != target.token,
            let row = round.rows[phone.activity]
        {
            try self.removePushToStartToken(
                target,
                of: row.attributesType,
                installation: phone.participant.installation,
                app: row.app
            )
        }
        guard phone.participant.lose(target, reason: rejection.reason, isLast: isLast) else { return }
        round.changed[phone.number] = phone
        guard phone.participant.origin != .channel else {
            round.note(.channelGone, of: phone.activity, detail: rejection.reason.rawValue)
            guard let row = round.rows[phone.activity], let channel = row.channel else { return }
            round.events.append(
                .channelGone(channel.name, from: row.id, of: row.appID, reason: rejection.reason, time: round.now)
            )
            return
        }
        round.tellOfGone(phone, reason: rejection.reason.rawValue)
    }
}

extension BatchRow {
    /// The place before which targets may have come to an outcome, or be given up.
    package var endOfRelief: Int {
        if case .waiting = self.lifecycle.state { return self.lifecycle.targetCount }
        return self.lifecycle.state.isFinal ? self.lifecycle.targetCount : self.lifecycle.cursor
    }
}

extension Rejection {
    /// Whether it says that APNs does not have the channel of a broadcast.
    fileprivate var isOfDeadChannel: Bool { self.reason == .channelNotRegistered || self.reason == .badChannelID }
}

extension Outcome {
    /// Whether it says that the token or the channel is dead or bad.
    fileprivate var namesTarget: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return self.namesToken || rejection.isOfDeadChannel
    }

    /// Whether it says that the token is dead or bad.
    fileprivate var namesToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.nextStep == .pruneToken || rejection.nextStep == .suspectToken
    }
}
