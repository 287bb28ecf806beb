// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Collects the changes of one transaction to the activities of an app.
///
/// Decides for each device whether it is sent the latest state now, or waits for the outcome of an earlier push. All pushes
/// are sent by one notification.
struct ActivityRound: Sendable {
    /// A push that is to be sent.
    struct Push {
        let participant: Int64
        let draft: Int
        let target: Target
        /// Its place among the payloads.
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

    /// What is told in the timelines.
    var drafts: [TimelineDraft] = []

    /// The phones of which more changes than what was sent to them.
    var changed: [Int64: ParticipantRow] = [:]

    /// The phones that are new.
    var added: [ParticipantRow] = []

    private(set) var pushes: [Push] = []
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

    private struct PayloadKey: Hashable {
        let activity: Int64
        let version: Int
        let hasAlert: Bool
    }

    init(app: Int64, appID: AppID, now: Date) {
        self.app = app
        self.appID = appID
        self.now = now
    }

    mutating func load(_ row: ActivityRow) { self.rows[row.number] = row }

    /// Takes back what changed about an activity.
    mutating func set(_ row: ActivityRow) {
        self.rows[row.number] = row
        self.changedRows.insert(row.number)
    }

    /// Adds an entry to an activity's timeline.
    ///
    /// - Returns: the entry's place among the drafts.
    @discardableResult
    mutating func note(
        _ kind: TimelineEntry.Kind,
        of activity: Int64,
        installation: InstallationID? = nil,
        detail: String? = nil
    ) -> Int {
        // An entry about an activity that was not loaded gets no number, and is not written.
        let draft = TimelineDraft(
            activity: activity,
            time: self.now,
            kind: kind,
            version: self.rows[activity]?.lifecycle.version ?? 0,
            installation: installation,
            detail: detail
        )
        self.drafts.append(draft)
        return self.drafts.count - 1
    }

    /// A push that starts the activity is sent to a phone that is new or changed.
    mutating func start(
        _ phone: Int64,
        at target: Target,
        payload: Int,
        priority: Priority,
        draft: Int,
        sendAt: Date? = nil
    ) {
        let group = Group(priority: priority, sendAt: sendAt)
        // Where the start fails and the phone joins all the same, it is sent the newest alert, and none from before.
        let formerVersion = max(0, self.drafts[draft].version - 1)
        // Starts go to another token; whether Apple counts them is not known.
        self.pushes.append(
            Push(
                participant: phone,
                draft: draft,
                target: target,
                payload: payload,
                group: group,
                isCounted: false,
                formerVersion: formerVersion
            )
        )
    }

    /// Takes a payload in.
    ///
    /// - Returns: its place.
    mutating func add(_ payload: APNsPayload) -> Int {
        self.payloads.append(payload)
        return self.payloads.count - 1
    }

    // MARK: Phones

    /// Sends phones the newest content of their activities, unless they were sent it or wait for something.
    mutating func bringUpToDate(
        _ rows: [ParticipantRow],
        drafts: [Int64: Int],
        on executor: some SQLExecutor
    ) throws {
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
        let progress = self.progress(of: row)
        let shown = progress.shownVersion(by: row.participant)
        guard let payload = self.payload(for: row, after: shown) else { return }
        var sendAt: Date?
        switch progress {
        case .settled: break
        case .deferred(let batch, let time):
            // What waits to be sent again is overtaken: the newest content waits in its place.
            self.superseded[batch, default: []].append(row.position)
            sendAt = time
        case .underWay(let batch):
            self.waiting.append(WaitingPush(batch: batch, position: row.position, participant: row.number))
            self.drafts[draft].waiting += 1
            return
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

    /// How eagerly a phone is sent what it is sent: as the content asks, unless it has no room for that in its budget.
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

    private enum Progress {
        case settled
        /// Nobody is sending it before that time.
        case deferred(BatchID, until: Date)
        /// Somebody may be sending it.
        case underWay(BatchID)

        /// The version that a phone shows that was sent something: what is deferred has not reached it, so that an alert
        /// in that goes with what takes its place.
        func shownVersion(by phone: ActivityParticipant) -> Int {
            if case .deferred = self { phone.formerVersion } else { phone.sentVersion }
        }
    }

    /// What became of what a phone was sent last.
    private func progress(of row: ParticipantRow) -> Progress {
        guard let id = row.batch, let known = self.batches[id], let batch = known else { return .settled }
        let lifecycle = batch.lifecycle
        if lifecycle.state.isFinal || lifecycle.isSettled(row.position) { return .settled }
        guard let time = lifecycle.waitingTime(of: row.position) else { return .underWay(id) }
        return .deferred(id, until: time.roundedUpToSeconds)
    }

    /// What a phone is to be sent that shows a version.
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

    // MARK: Activities

    /// Sends phones of activities their newest content: all of those that have few, and some of the others, which are left
    /// to be sent on.
    mutating func visit(_ activities: [(number: Int64, draft: Int)], on executor: some SQLExecutor) throws {
        var whole: [Int64] = []
        var parts: [Int64] = []
        // What has changed twice is sent once, as it is now; the last entry tells of it.
        let drafts = Dictionary(activities.map { ($0.number, $0.draft) }) { _, last in last }
        var seen: Set<Int64> = []
        for (number, _) in activities where seen.insert(number).inserted {
            guard var row = self.rows[number], row.joined > 0 else { continue }
            if row.joined <= self.room, row.sendingOn == nil {
                self.room -= row.joined
                whole.append(number)
            } else {
                // Whoever is being sent something already goes on where that is, so that no phone is passed over.
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

    /// Sends more phones of an activity its newest content, as far as there is room.
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
}

// MARK: - Preparing

extension ActivityRound {
    /// The activities to whose phones something is still on its way, or that are over on one of them: what becomes of these may
    /// be another thing by the time that is written.
    func unsettled(among phones: [ParticipantRow]) -> Set<Int64> {
        let unsettled = phones.filter { phone in
            if self.changed[phone.number] != nil { return true }
            guard let id = phone.batch, let known = self.batches[id], let batch = known else { return false }
            return batch.lifecycle.state != .settled
        }
        return Set(unsettled.map(\.activity))
    }

    /// Forgets what was gathered about activities, which are all that are ``unsettled(among:)`` or were left out after these.
    mutating func leaveOut(_ activities: Set<Int64>) {
        guard !activities.isEmpty else { return }
        self.changedRows.subtract(activities)
        for place in self.drafts.indices where activities.contains(self.drafts[place].activity) {
            self.drafts[place].isTold = false
        }
        self.pushes.removeAll { activities.contains(ParticipantNumber.activity(of: $0.participant)) }
        self.waiting.removeAll { activities.contains(ParticipantNumber.activity(of: $0.participant)) }
        self.changed = self.changed.filter { !activities.contains($0.value.activity) }
        // Only what is still on its way is overtaken, and nothing of that is kept.
        self.superseded = [:]
    }
}

extension Date {
    /// The next full second, or the time itself: so those that wait about as long share a batch.
    fileprivate var roundedUpToSeconds: Date {
        Date(millisecondsSince1970: (StoredLimit.clamp(self.millisecondsSince1970) + 999) / 1000 * 1000)
    }
}
