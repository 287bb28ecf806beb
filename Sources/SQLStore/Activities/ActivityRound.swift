// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Collects the changes of one transaction to the activities of an app.
///
/// Decides for each device whether it is sent the latest state now, or waits for the outcome of an earlier push. One
/// notification sends all pushes.
struct ActivityRound: Sendable {
    struct Push {
        let participant: Int64
        let draft: Int
        let target: Target
        let payload: Int
        let group: Group
        /// Whether it takes from the phone's budget.
        let isCounted: Bool
        /// The version that the phone shows if the push does not reach it.
        let formerVersion: Int
    }

    /// Pushes with the same headers and the same time from which they are sent.
    struct Group: Hashable {
        let priority: Priority
        let sendAt: Date?
        /// What the channel stores to which they are broadcast; `nil` for pushes to devices.
        var broadcast: MessageStoragePolicy?
    }

    let app: Int64
    let appID: AppID
    let now: Date
    /// The activities that are changed, or that phones are sent something of.
    private(set) var rows: [Int64: ActivityRow] = [:]
    /// Those of them that are to be written.
    private(set) var changedRows: Set<Int64> = []
    var drafts: [TimelineDraft] = []
    /// The phones of which more changes than what was sent to them.
    var changed: [Int64: ParticipantRow] = [:]
    var added: [ParticipantRow] = []
    var pushes: [Push] = []
    private(set) var payloads: [APNsPayload] = []
    private(set) var phones: [Int64: ParticipantRow] = [:]
    private(set) var waiting: [WaitingPush] = []
    private(set) var superseded: [BatchID: [Int]] = [:]
    /// The rollout to whose notification the pushes belong; `nil` where they make one of their own.
    var rollout: ActivityRollout?
    /// What the feed is told beside the states of activities.
    var events: [EventDraft] = []
    /// What was sent by others, as far as phones wait for it; `nil` for batches that were removed.
    var batches: [BatchID: BatchRow?] = [:]
    /// How many more phones may be looked at.
    private(set) var room = ActivityLimit.participantsAtOnce
    /// The payloads that were made of each activity, by whether they have its alert.
    private var made: [PayloadKey: Int] = [:]
    /// The notification that sends the pushes; `nil` if that of the rollout sends them, or nothing is sent.
    var notification: PushModel.Notification?
    var planned: [PlannedBatch] = []
    /// The devices to which each batch is sent, by their positions.
    var participants: [BatchID: [Int64]] = [:]
    /// The devices of which only the last push changes.
    var sent: [ParticipantRow] = []
    var entries: [TimelineDraft] = []
    var written: [ActivityRow] = []

    private struct PayloadKey: Hashable {
        let activity: Int64
        let version: Int
        let hasAlert: Bool
    }

    init(app: Int64, appID: AppID, now: Date, _ rows: [ActivityRow]) {
        self.app = app
        self.appID = appID
        self.now = now
        for row in rows { self.rows[row.number] = row }
    }

    init(_ row: ActivityRow, now: Date) { self.init(app: row.app, appID: row.appID, now: now, [row]) }

    mutating func set(_ row: ActivityRow) {
        self.rows[row.number] = row
        self.changedRows.insert(row.number)
    }

    /// Adds an entry to an activity's timeline, and returns its place among the drafts.
    @discardableResult
    mutating func note(
        _ kind: TimelineEntry.Kind,
        of activity: Int64,
        installation: InstallationID? = nil,
        detail: String? = nil,
        telling changes: [ActivityChange] = []
    ) -> Int {
        // An entry about an activity that was not loaded gets no number, and is not written.
        var draft = TimelineDraft(
            activity: activity,
            time: self.now,
            kind: kind,
            version: self.rows[activity]?.lifecycle.version ?? 0,
            installation: installation,
            detail: detail
        )
        draft.tell(changes)
        self.drafts.append(draft)
        return self.drafts.count - 1
    }

    mutating func add(_ payload: APNsPayload) -> Int {
        self.payloads.append(payload)
        return self.payloads.count - 1
    }

    /// Sends devices the latest state, unless they were sent it or wait for an outcome.
    mutating func bringUpToDate(_ rows: [ParticipantRow], drafts: [Int64: Int], on executor: some SQLExecutor) throws {
        var behind: [ParticipantRow] = []
        for var row in rows {
            guard let activity = self.rows[row.activity] else { continue }
            if row.participant.expire(now: self.now) { self.changed[row.number] = row }
            guard row.participant.target != nil, row.participant.sentVersion < activity.lifecycle.version else {
                continue
            }
            behind.append(row)
        }
        let unknown = Set(behind.compactMap(\.batch)).filter { self.batches[$0] == nil }
        if !unknown.isEmpty {
            let found = try executor.batchRows(unknown.sorted())
            for id in unknown { self.batches[id] = .some(found[id]) }
        }
        for row in behind {
            if let draft = drafts[row.activity] { self.send(row, draft: draft) }
        }
    }

    private mutating func send(_ row: ParticipantRow, draft: Int) {
        guard let target = row.participant.target else { return }
        var sendAt: Date?
        var isUnderWay = false
        if let id = row.batch, let known = self.batches[id], let lifecycle = known?.lifecycle,
            !lifecycle.state.isFinal, !lifecycle.isSettled(row.position)
        {
            if let time = lifecycle.waitingTime(of: row.position) {
                // The next full second, so that those that wait about as long share a batch.
                let seconds = (StoredLimit.clamp(time.millisecondsSince1970) + 999) / 1000
                sendAt = Date(millisecondsSince1970: seconds * 1000)
            } else {
                isUnderWay = true
            }
        }
        // A deferred push has not reached the device, so the push that replaces it has its alert.
        let shown = sendAt == nil ? row.participant.sentVersion : row.participant.formerVersion
        guard let payload = self.payload(for: row, after: shown) else { return }
        if let id = row.batch, isUnderWay {
            // A worker may be sending it.
            self.waiting.append(WaitingPush(batch: id, position: row.position, participant: row.number))
            self.drafts[draft].waiting += 1
            return
        }
        if let id = row.batch, sendAt != nil {
            // The latest state supersedes the deferred push, and waits in its place.
            self.superseded[id, default: []].append(row.position)
        }
        let channel = row.participant.origin == .channel ? self.rows[row.activity]?.channel : nil
        let priority = self.priority(payload.priority, to: row, draft: draft)
        self.phones[row.number] = row
        self.pushes.append(
            Push(
                participant: row.number,
                draft: draft,
                target: target,
                payload: payload.place,
                group: Group(priority: priority, sendAt: sendAt, broadcast: channel?.policy),
                isCounted: channel == nil && priority == .immediate,
                formerVersion: shown
            )
        )
    }

    /// The priority of a push: that of the content, or a lower one if the budget of the device is used up.
    private mutating func priority(_ priority: Priority, to row: ParticipantRow, draft: Int) -> Priority {
        // A channel has a budget of its own.
        guard priority == .immediate, row.participant.origin != .channel,
            let lifecycle = self.rows[row.activity]?.lifecycle
        else { return priority }
        var cost = self.drafts[draft].cost ?? BudgetCost()
        let isImmediate = cost.add(row.participant, of: lifecycle.budget ?? PushBudget(), now: self.now)
        self.drafts[draft].cost = cost
        return isImmediate ? .immediate : .powerConsiderate
    }

    /// The push for a device that shows a version.
    private mutating func payload(for row: ParticipantRow, after sent: Int) -> (place: Int, priority: Priority)? {
        guard let lifecycle = self.rows[row.activity]?.lifecycle else { return nil }
        let hasAlert = lifecycle.alert.map { $0.version > sent } ?? false
        let key = PayloadKey(activity: row.activity, version: lifecycle.version, hasAlert: hasAlert)
        let priority = lifecycle.priority(after: sent)
        if let place = self.made[key] { return (place, priority) }
        guard let payload = lifecycle.payload(after: sent) else { return nil }
        let place = self.add(payload)
        self.made[key] = place
        return (place, priority)
    }

    /// Sends activities to all devices, or to some; ``ActivityStore/sendOnActivities(now:)`` sends them to the others.
    mutating func visit(_ activities: [(number: Int64, draft: Int)], on executor: some SQLExecutor) throws {
        var whole: [Int64] = []
        var parts: [Int64] = []
        // An activity that changed twice is sent once; the last entry tells of it.
        let drafts = Dictionary(activities.map { ($0.number, $0.draft) }) { _, last in last }
        var seen: Set<Int64> = []
        for (number, _) in activities where seen.insert(number).inserted {
            guard var row = self.rows[number], row.joined > 0 else { continue }
            if row.joined <= self.room, row.sendingOn == nil {
                self.room -= row.joined
                whole.append(number)
            } else {
                // If an earlier change is being sent, go on at its place, so that no device is skipped.
                row.sendingOn = .init(place: row.sendingOn?.place ?? 0, left: row.joined)
                self.set(row)
                parts.append(number)
            }
        }
        if !whole.isEmpty {
            try self.bringUpToDate(try executor.participantRows(ofActivities: whole), drafts: drafts, on: executor)
        }
        for number in parts { try self.sendOn(number, drafts: drafts, on: executor) }
    }

    /// Sends the latest state to more devices of an activity, as many as one transaction can send to.
    mutating func sendOn(_ number: Int64, drafts: [Int64: Int], on executor: some SQLExecutor) throws {
        guard var row = self.rows[number], var sendingOn = row.sendingOn else { return }
        let limit = min(self.room, sendingOn.left)
        if limit > 0 {
            var found = try executor.participantRows(ofActivity: number, after: sendingOn.place, limit: limit)
            if found.count < limit {
                found += try executor.participantRows(ofActivity: number, after: 0, limit: limit - found.count)
            }
            self.room -= limit
            sendingOn.left -= limit
            sendingOn.place = found.last?.number ?? 0
            try self.bringUpToDate(found, drafts: drafts, on: executor)
        }
        if let draft = drafts[number] { self.drafts[draft].waiting += sendingOn.left }
        row.sendingOn = sendingOn.left > 0 ? sendingOn : nil
        self.set(row)
    }

    /// Removes activities: all that have an unsettled device, or others after these.
    mutating func leaveOut(_ activities: Set<Int64>) {
        guard !activities.isEmpty else { return }
        self.changedRows.subtract(activities)
        for place in self.drafts.indices where activities.contains(self.drafts[place].activity) {
            self.drafts[place].isTold = false
        }
        self.pushes.removeAll { activities.contains(ParticipantNumber.activity(of: $0.participant)) }
        self.waiting.removeAll { activities.contains(ParticipantNumber.activity(of: $0.participant)) }
        self.changed = self.changed.filter { !activities.contains($0.value.activity) }
        // Only pushes of unsettled activities are superseded, and these are removed.
        self.superseded = [:]
    }
}
