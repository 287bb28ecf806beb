// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLTransaction {
    /// Writes a round; returns the notification that sends its pushes.
    @discardableResult
    func write(_ round: ActivityRound) throws -> NotificationID? {
        let notification = try self.send(round)
        // The rows of activities after the rows that refer to them: PostgreSQL then finds the activities as they were
        // locked, and does not lock the new versions for the foreign keys.
        if !round.sent.isEmpty { try self.updateSends(round.sent) }
        if !round.added.isEmpty { try self.insert(round.added) }
        if !round.changed.isEmpty { try self.update(Array(round.changed.values)) }
        if !round.waiting.isEmpty { try self.insert(round.waiting) }
        if !round.entries.isEmpty { try self.append(round.entries) }
        try self.update(round.written)
        for (id, positions) in round.superseded {
            guard let known = round.batches[id], var batch = known else { continue }
            let given = batch.lifecycle.supersede(Set(positions))
            try self.supersede(given, of: batch, now: round.now)
        }
        for event in round.events { self.append(event, app: round.app) }
        if round.written.contains(where: { $0.sendingOn != nil }) { self.signal(.activitiesDue) }
        return notification
    }

    private func send(_ round: ActivityRound) throws -> NotificationID? {
        if round.planned.isEmpty { return nil }
        var claims: [BatchID: ClaimedBatch] = [:]
        if let notification = round.notification {
            try self.insert(notification, app: round.app)
            let ready = round.planned.filter { $0.sendAt == nil }.map(\.batch)
            claims = self.handOver?.take(ready, now: notification.createdAt) ?? [:]
        }
        try self.insert(round.planned.map { BatchDraft($0, isActivity: true) }, claimed: claims, app: round.app)
        let told = try SQLRows(
            "told",
            round.planned,
            [
                "batch": { .id($0.batch.id.value) },
                "participants": { .bytes(ParticipantList.encode(round.participants[$0.batch.id] ?? [])) },
            ]
        )
        try self.run("INSERT INTO activity_batches \(told.insert())")
        let lanes = Set(round.planned.filter { claims[$0.batch.id] == nil }.map(\.batch.lane))
        for lane in lanes { self.signal(.batchReady(lane)) }
        if let notification = round.notification {
            self.append(.accepted(notification, time: notification.createdAt), app: round.app)
        } else if let rollout = round.rollout?.id.notification {
            let count = round.planned.count
            let targets = round.planned.reduce(0) { $0 + $1.batch.targets.count }
            try self.add(targets: targets, batches: count, unsettled: count, to: rollout)
        }
        return round.notification?.id ?? round.rollout?.id.notification
    }

    /// Fails deferred targets of a batch.
    private func supersede(_ positions: [Int], of batch: BatchRow, now: Date) throws {
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [.superseded: positions.count]), to: batch.id)
        let failures = positions.map { Settlement.Failure(index: $0, outcome: .failed(.superseded)) }
        try self.insert(failures, of: batch.id)
        if batch.lifecycle.state == .settled {
            self.end(batch.id, of: batch.notification, now: now)
        } else {
            self.signal(.batchAdvanced(batch.id))
        }
    }
}

extension ActivityRound {
    /// Writes everything; returns the notification that sends the pushes, `nil` if nothing is sent.
    @discardableResult
    mutating func finish(on transaction: SQLTransaction) throws -> NotificationID? {
        try self.makeWrites()
        return try transaction.write(self)
    }

    /// Makes the batches, the entries of timelines and the events; nothing changes in the round after that.
    mutating func makeWrites() throws {
        try self.makePushes()
        // Not those of ``TimelineEntry/Kind/caughtUp`` without pushes.
        self.entries = self.drafts.compactMap { draft in
            if draft.kind == .caughtUp, draft.sends.count == 0, draft.waiting == 0 { return nil }
            guard draft.isTold, var row = self.rows[draft.activity] else { return nil }
            row.entries += 1
            self.set(row)
            var entry = draft
            entry.sequence = row.entries
            return entry
        }
        self.written = self.changedRows.sorted().compactMap { self.rows[$0] }
        // An event for each activity that devices show now, or that is over.
        let events = self.written.compactMap { row in
            EventDraft.activity(
                row.id,
                of: self.appID,
                type: row.attributesType,
                state: row.lifecycle.state,
                from: row.formerState,
                time: self.now
            )
        }
        self.events = events + self.events
    }

    /// The receipt of a call, by the entry that tells of it.
    func receipt(
        _ draft: Int?,
        of activity: Int64,
        notification: NotificationID?,
        unreachable: [InstallationID] = []
    ) throws -> ActivityReceipt {
        guard let row = self.rows[activity] else { throw StoreError.damaged("activity") }
        let entry = draft.map { self.drafts[$0] }
        let sent = entry?.sends.count ?? 0
        return ActivityReceipt(
            version: entry?.version ?? row.lifecycle.version,
            state: row.lifecycle.state,
            sent: sent,
            waiting: entry?.waiting ?? 0,
            notification: sent > 0 ? notification : nil,
            cost: entry?.cost,
            unreachable: unreachable
        )
    }

    /// Cuts the pushes into batches, and records with each device what it is sent.
    private mutating func makePushes() throws {
        if self.pushes.isEmpty { return }
        let groups = self.groups
        let parts = try groups.map(self.part)
        let added = self.rollout?.makeBatches(parts, of: self.appID, now: self.now)
        let plan = added == nil ? NotificationPlan(app: self.appID, parts: parts, now: self.now) : nil
        self.notification = plan?.notification
        let places = Dictionary(self.added.enumerated().map { ($1.number, $0) }) { first, _ in first }
        for (batch, group) in zip(added ?? plan?.batches ?? [], groups) {
            self.planned.append(PlannedBatch(batch: batch, sendAt: group.key.sendAt))
            self.participants[batch.id] = group.pushes.map(\.participant)
            for (position, push) in group.pushes.enumerated() {
                self.drafts[push.draft].sends.add(position, of: batch.id)
                let (place, changed) = (places[push.participant], self.changed[push.participant])
                guard var phone = place.map({ self.added[$0] }) ?? changed ?? self.phones[push.participant] else {
                    continue
                }
                if push.isCounted { phone.participant.recent.add(now: self.now) }
                phone.batch = batch.id
                phone.position = position
                phone.participant.sentVersion = self.drafts[push.draft].version
                phone.participant.formerVersion = push.formerVersion
                if let place {
                    self.added[place] = phone
                } else if changed != nil {
                    self.changed[phone.number] = phone
                } else {
                    self.sent.append(phone)
                }
            }
        }
    }

    private typealias PushGroup = (key: Group, pushes: ArraySlice<Push>)

    private var groups: [PushGroup] {
        var order: [Group] = []
        var pushes: [Group: [Push]] = [:]
        for push in self.pushes {
            if pushes[push.group] == nil { order.append(push.group) }
            pushes[push.group, default: []].append(push)
        }
        return order.flatMap { key -> [PushGroup] in
            let all = pushes[key] ?? []
            return stride(from: 0, to: all.count, by: Batch.maximumTargets).map { start in
                (key, all[start..<min(start + Batch.maximumTargets, all.count)])
            }
        }
    }

    private func part(_ group: PushGroup) throws -> NotificationPlan.Part {
        let end = self.now.addingTimeInterval(Double(ActivityLimit.runningSeconds))
        // After that time, the activity is over on each device.
        let expiration = APNsExpiration(rawValue: end.secondsSince1970)
        let headers: NotificationHeaders
        switch group.key.broadcast {
        case nil:
            headers = NotificationHeaders(
                topic: try Topic(bundleID: self.appID.rawValue, pushType: .liveactivity),
                pushType: .liveactivity,
                priority: group.key.priority,
                expiration: expiration
            )
        case .some(let policy):
            headers = NotificationHeaders(
                broadcastFor: try Topic(self.appID.rawValue),
                priority: group.key.priority,
                // A channel that stores nothing takes nothing else.
                expiration: policy == .noMessage ? .once : expiration
            )
        }
        let payload: BatchPayload
        if let first = group.pushes.first?.payload, group.pushes.allSatisfy({ $0.payload == first }) {
            payload = .shared(self.payloads[first])
        } else {
            payload = .distinct(PayloadList(group.pushes.lazy.map { self.payloads[$0.payload] }))
        }
        return NotificationPlan.Part(
            lane: self.rollout == nil && self.pushes.count <= ActivityLimit.urgentPushes ? .urgent : .bulk,
            headers: headers,
            payload: payload,
            targets: TargetList(group.pushes.lazy.map(\.target)),
            expiresAt: end
        )
    }
}

/// An entry of a timeline that is to be stored.
struct TimelineDraft: Sendable {
    let activity: Int64
    /// Its place in the timeline; given to it when it is stored.
    var sequence = 0
    let time: Date
    let kind: TimelineEntry.Kind
    let version: Int
    var installation: InstallationID?
    var detail: String?
    /// What was changed, as JSON; see ``tell(_:)``.
    private(set) var changes: String?
    var sends = StoredSends()
    var waiting = 0
    /// What it costs phones of their budgets; it is told to the caller, and not stored.
    var cost: BudgetCost?

    /// Whether it is stored; otherwise it only gathers what is sent.
    var isTold = true

    /// How many bytes of one change a timeline keeps, and of all changes of an entry.
    private static let bytes = (change: 1024, entry: 4096)

    /// Records changes as an array of JSON objects, as many as fit; see ``ActivityChange/told(upTo:)``.
    mutating func tell(_ changes: [ActivityChange]) {
        var text: [UInt8] = []
        for change in changes {
            let told = change.told(upTo: Self.bytes.change)
            guard text.count + told.count <= Self.bytes.entry else { break }
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            text += told
        }
        guard !text.isEmpty else { return }
        text.append(UInt8(ascii: "]"))
        self.changes = String(decoding: text, as: UTF8.self)
    }
}

extension Activity {
    /// The content with which devices begin, as a change; empty without content.
    var beginning: [ActivityChange] { self.lifecycle.contentState == nil ? [] : [ActivityChange(beginning: self)] }
}
