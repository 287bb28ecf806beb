// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The changes of a round, as they are written.
struct ActivityWrites: Sendable {
    let app: Int64
    let now: Date

    /// The notification that sends the pushes; `nil` if that of the rollout sends them, or nothing is sent.
    var notification: PushModel.Notification?
    var rollout: NotificationID?
    var batches: [PlannedBatch] = []

    /// The devices to which each batch is sent, by their positions.
    var participants: [BatchID: [Int64]] = [:]
    var added: [ParticipantRow] = []
    var changed: [ParticipantRow] = []

    /// The devices of which only the last push changes.
    var sent: [ParticipantRow] = []
    var waiting: [WaitingPush] = []
    var entries: [TimelineDraft] = []
    var rows: [ActivityRow] = []
    var superseded: [(batch: BatchRow, positions: [Int])] = []
    var events: [EventDraft] = []
}

extension SQLTransaction {
    /// Writes the changes of a round.
    ///
    /// - Returns: the notification that sends the pushes; `nil` if nothing is sent.
    @discardableResult
    func write(_ writes: ActivityWrites) throws -> NotificationID? {
        let notification = try self.send(writes)
        // The rows of activities after the rows that refer to them: PostgreSQL then finds the activities as they were
        // locked, and does not lock the new versions for the foreign keys.
        if !writes.sent.isEmpty { try self.updateSends(writes.sent) }
        if !writes.added.isEmpty { try self.insert(writes.added) }
        if !writes.changed.isEmpty { try self.update(writes.changed) }
        if !writes.waiting.isEmpty { try self.insert(writes.waiting) }
        if !writes.entries.isEmpty { try self.append(writes.entries) }
        try self.update(writes.rows)
        for (batch, positions) in writes.superseded { try self.supersede(positions, of: batch, now: writes.now) }
        for event in writes.events { self.append(event, app: writes.app) }
        if writes.rows.contains(where: { $0.sendingOn != nil }) { self.signal(.activitiesDue) }
        return notification
    }

    /// Stores the batches of a round.
    private func send(_ writes: ActivityWrites) throws -> NotificationID? {
        if writes.batches.isEmpty { return nil }
        var claims: [BatchID: ClaimedBatch] = [:]
        if let notification = writes.notification {
            try self.insert(notification, app: writes.app)
            let ready = writes.batches.filter { $0.sendAt == nil }.map(\.batch)
            claims = self.handOver?.take(ready, now: notification.createdAt) ?? [:]
        }
        try self.insert(writes.batches.map { BatchDraft($0, isActivity: true) }, claimed: claims, app: writes.app)
        let told = try SQLRows(
            "told",
            writes.batches,
            [
                "batch": { .id($0.batch.id.value) },
                "participants": { .bytes(ParticipantList.encode(writes.participants[$0.batch.id] ?? [])) },
            ]
        )
        try self.run("INSERT INTO activity_batches \(told.insert())")
        let lanes = Set(writes.batches.filter { claims[$0.batch.id] == nil }.map(\.batch.lane))
        for lane in lanes { self.signal(.batchReady(lane)) }
        if let notification = writes.notification {
            self.append(.accepted(notification, time: notification.createdAt), app: writes.app)
        } else if let rollout = writes.rollout {
            let count = writes.batches.count
            let targets = writes.batches.reduce(0) { $0 + $1.batch.targets.count }
            try self.add(targets: targets, batches: count, unsettled: count, to: rollout)
        }
        return writes.notification?.id ?? writes.rollout
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
    /// Writes everything, with the batches of the pushes.
    ///
    /// - Returns: the notification that sends the pushes; `nil` if nothing is sent.
    @discardableResult
    mutating func finish(on transaction: SQLTransaction) throws -> NotificationID? {
        try transaction.write(try self.makeWrites())
    }

    /// Makes the writes.
    ///
    /// Nothing changes in the round after that.
    mutating func makeWrites() throws -> ActivityWrites {
        var writes = ActivityWrites(app: self.app, now: self.now, rollout: self.rollout?.id.notification)
        try self.makePushes(in: &writes)
        writes.entries = self.sequencedEntries()
        writes.rows = self.changedRows.sorted().compactMap { self.rows[$0] }
        writes.events = writes.rows.compactMap { self.event(of: $0) } + self.events
        writes.added = self.added
        writes.changed = Array(self.changed.values)
        writes.waiting = self.waiting
        for (id, positions) in self.superseded {
            guard let known = self.batches[id], var batch = known else { continue }
            let given = batch.lifecycle.supersede(Set(positions))
            writes.superseded.append((batch, given))
        }
        return writes
    }

    /// The event of an activity that devices show now, or that is over.
    private func event(of row: ActivityRow) -> EventDraft? {
        .activity(
            row.id,
            of: self.appID,
            type: row.attributesType,
            state: row.lifecycle.state,
            from: row.formerState,
            time: self.now
        )
    }

    /// The entries of timelines, with their sequence numbers.
    ///
    /// Leaves out ``TimelineEntry/Kind/caughtUp`` without pushes.
    private mutating func sequencedEntries() -> [TimelineDraft] {
        self.drafts.compactMap { draft in
            if draft.kind == .caughtUp, draft.sends.count == 0, draft.waiting == 0 { return nil }
            guard draft.isTold else { return nil }
            guard var row = self.rows[draft.activity] else { return nil }
            row.entries += 1
            self.set(row)
            var entry = draft
            entry.sequence = row.entries
            return entry
        }
    }

    /// The receipt of a call, by the entry that tells of it.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when the activity was not loaded.
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

    // MARK: Batches

    /// Cuts the pushes into batches, and records with each device what it is sent.
    private mutating func makePushes(in writes: inout ActivityWrites) throws {
        if self.pushes.isEmpty { return }
        let groups = self.groups
        let parts = try groups.map(self.part)
        let added = self.rollout?.makeBatches(parts, of: self.appID, now: self.now)
        let plan = added == nil ? NotificationPlan(app: self.appID, parts: parts, now: self.now) : nil
        writes.notification = plan?.notification
        let places = Dictionary(self.added.enumerated().map { ($1.number, $0) }) { first, _ in first }
        for (batch, group) in zip(added ?? plan?.batches ?? [], groups) {
            writes.batches.append(PlannedBatch(batch: batch, sendAt: group.key.sendAt))
            writes.participants[batch.id] = group.pushes.map(\.participant)
            for (position, push) in group.pushes.enumerated() {
                self.drafts[push.draft].sends.add(position, of: batch.id)
                let version = self.drafts[push.draft].version
                if let place = places[push.participant] {
                    self.added[place].note(push, in: batch.id, at: position, version: version, now: self.now)
                } else if self.changed[push.participant] != nil {
                    self.changed[push.participant]?
                        .note(push, in: batch.id, at: position, version: version, now: self.now)
                } else if var phone = self.phones[push.participant] {
                    phone.note(push, in: batch.id, at: position, version: version, now: self.now)
                    writes.sent.append(phone)
                }
            }
        }
    }

    private typealias PushGroup = (key: Group, pushes: ArraySlice<Push>)

    /// The pushes of each batch, in their order.
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

extension ParticipantRow {
    /// Records that a version is sent to it.
    fileprivate mutating func note(
        _ push: ActivityRound.Push,
        in batch: BatchID,
        at position: Int,
        version: Int,
        now: Date
    ) {
        if push.isCounted { self.participant.recent.add(now: now) }
        self.batch = batch
        self.position = position
        self.participant.sentVersion = version
        self.participant.formerVersion = push.formerVersion
    }
}
