// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

extension ActivityRound {
    /// Writes everything, with the batches of what is sent.
    ///
    /// Entries that tell of nothing but pushes are left out where there were none: ``TimelineEntry/Kind/caughtUp``.
    /// - Returns: the notification that sends it; `nil` when nothing is sent.
    mutating func finish(
        on tables: some ActivityTables,
        signalling changes: inout [StoreChange]
    ) throws -> NotificationID? {
        let writing = try self.compose()
        return try self.write(writing, on: tables, signalling: &changes)
    }

    /// Makes what there is to write; nothing changes about the round after that.
    mutating func compose() throws -> ActivityWriting {
        var writing = try self.composePushes()
        writing.entries = self.sequencedEntries()
        writing.rows = self.changedRows.sorted().compactMap { self.rows[$0] }
        writing.events = writing.rows.compactMap { self.event(of: $0) } + self.events
        return writing
    }

    /// Writes what ``compose()`` has made.
    ///
    /// - Returns: the notification that sends it; `nil` when nothing is sent.
    func write(
        _ writing: ActivityWriting,
        on tables: some ActivityTables,
        signalling changes: inout [StoreChange]
    ) throws -> NotificationID? {
        let notification = try self.accept(writing, on: tables, signalling: &changes)
        // What belongs to activities comes before these: a store that looks whether they are there finds them as they were
        // locked, and need not lock what it has just written of them.
        if !self.added.isEmpty { try tables.insert(self.added) }
        if !self.changed.isEmpty { try tables.update(Array(self.changed.values)) }
        if !self.waiting.isEmpty { try tables.insert(self.waiting) }
        if !writing.entries.isEmpty { try tables.append(writing.entries) }
        if !writing.rows.isEmpty { try tables.update(writing.rows) }
        for (id, indices) in self.superseded {
            guard let known = self.batches[id], var batch = known else { continue }
            let given = batch.lifecycle.supersede(Set(indices))
            try tables.supersede(given, of: batch, now: self.now, signalling: &changes)
        }
        if !writing.events.isEmpty { try tables.tell(writing.events, app: self.app, signalling: &changes) }
        if writing.rows.contains(where: { $0.sendingOn != nil }) { changes.append(.activitiesDue) }
        return notification
    }

    /// What the feed is told of an activity: that phones show it, and that it is over.
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

    /// The entries that tell of something, each with its place in its timeline.
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

    /// What a call has sent, as the entry says that tells of it.
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

    /// Cuts what is sent into batches, and notes with each phone what it is sent.
    private mutating func composePushes() throws -> ActivityWriting {
        var writing = ActivityWriting()
        if self.pushes.isEmpty { return writing }
        let groups = self.groups
        let parts = try groups.map(self.part)
        let added = self.rollout?.makeBatches(parts, of: self.appID, now: self.now)
        let plan = added == nil ? NotificationPlan(app: self.appID, parts: parts, now: self.now) : nil
        writing.notification = plan?.notification
        let places = Dictionary(self.added.enumerated().map { ($1.number, $0) }) { first, _ in first }
        for (batch, group) in zip(added ?? plan?.batches ?? [], groups) {
            writing.batches.append(PlannedBatch(batch: batch, sendAt: group.key.sendAt))
            writing.participants[batch.id] = group.pushes.map(\.participant)
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
                    writing.sent.append(phone)
                }
            }
        }
        return writing
    }

    private func accept(
        _ writing: ActivityWriting,
        on tables: some ActivityTables,
        signalling changes: inout [StoreChange]
    ) throws -> NotificationID? {
        if self.pushes.isEmpty { return nil }
        if let notification = writing.notification {
            try tables.accept(
                notification,
                batches: writing.batches,
                participants: writing.participants,
                app: self.app,
                signalling: &changes
            )
        } else if let rollout {
            try tables.append(
                writing.batches,
                to: rollout.id.notification,
                participants: writing.participants,
                app: self.app,
                signalling: &changes
            )
        }
        if !writing.sent.isEmpty { try tables.updateSends(writing.sent) }
        return writing.notification?.id ?? self.rollout?.id.notification
    }

    private typealias PushGroup = (key: Group, pushes: ArraySlice<Push>)

    /// The pushes of each batch: those of the same headers, in their order, as many as a batch takes.
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
        // Nothing that is sent now means anything to a phone on which the activity was over by then.
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
    /// It is sent a version.
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
