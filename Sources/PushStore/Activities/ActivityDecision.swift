// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import JSONSchema
package import PushModel

/// Everything on which a decision about one activity can depend, as it was read.
package struct ActivitySnapshot: Sendable {
    package let row: ActivityRow
    /// The devices to which a change is sent, or the devices that the command names.
    package var participants: [ParticipantRow] = []
    /// The number of devices to process now, if the activity has more than that; `nil` for all devices.
    package var pageSize: Int?
    /// The instants and the scheduled transitions; `nil` if they were not read.
    package var plan: ActivityPlan?
    /// The schema of content states; `nil` if none is registered or no content state changes.
    package var schema: JSONSchema?
    package var isSchemaCorrupt = false
    /// The recent pushes of the devices, if a change can be refused because of them.
    package var costs: ActivityBudgetUsage?
    /// The last batches of the devices; a batch that was removed is absent.
    package var batches: [BatchID: BatchRow] = [:]
    package var startTokens: [DeviceID: PushToStartToken] = [:]

    package init(_ row: ActivityRow) { self.row = row }
}

package enum ActivityCommand: Sendable {
    /// Makes changes in their order. A refused change does not prevent the others.
    case change([ActivityChange])
    /// Expires the activity, or executes the first due change.
    case runDue
    /// Sends the latest state to the next devices of an activity with many.
    case continueSending
    case schedule([NewTransition])
    /// Cancels transitions: all without keys.
    case unschedule([TransitionKey]?)
    /// Adds the first entry of the timeline.
    case register(Activity)
    /// Starts the activity on devices. The pushes of a rollout have a time, and no entry of their own in the timeline.
    case start(Activity, on: [DeviceID], sendAt: Date? = nil, isRollout: Bool = false)
    case receiveToken(UpdateTokenRegistration)
    case leave(ActivityEndReport)
    /// Handles the failed pushes of a batch, and sends the latest state to the devices that waited for the batch.
    case handleOutcomes(BatchID, [PushFailure], waiting: Set<Int64>)
    case note(ActivityRollout)
}

/// A device that waits for the outcome of a push in flight.
package typealias PendingUpdate = (batch: BatchID, position: Int, participant: Int64)

/// A failed push, with its target if the response of APNs concerns the token or channel.
package typealias PushFailure = (participant: Int64, position: Int, outcome: Outcome, target: Target?)

/// Decides how a command changes an activity, without I/O, IDs or a clock.
///
/// - Throws: ``StoreError`` `.full` if the activity has the maximum number of devices; `ActivityError` if transitions
///   cannot be scheduled.
package func decide(_ command: ActivityCommand, on snapshot: ActivitySnapshot, at now: Date) throws -> ActivityWrites {
    var writes = ActivityWrites(snapshot, at: now)
    try writes.decide(command, on: snapshot)
    return writes
}

/// The writes of one activity, valid for the revision of its row.
package struct ActivityWrites: Sendable {
    package struct Participant: Sendable {
        package enum Kind: Sendable { case added, changed, sent }

        package var row: ParticipantRow
        /// `sent` if only the last push of the device changes.
        package let kind: Kind
    }

    struct Push: Sendable {
        /// Its index in ``ActivityWrites/participants``.
        let participant: Int
        /// Its index in ``ActivityWrites/entries``.
        let entry: Int
        let target: Target
        let payload: APNsPayload
        let group: PushGroup
    }

    package let now: Date
    package internal(set) var row: ActivityRow
    package internal(set) var isChanged = false
    package internal(set) var entries: [NewTimelineEntry] = []
    package internal(set) var participants: [Participant] = []
    package internal(set) var waiting: [PendingUpdate] = []
    package internal(set) var superseded: [(batch: BatchRow, position: Int)] = []
    package internal(set) var plan: ActivityPlan?
    package internal(set) var events: [NewEvent] = []
    /// The devices whose push-to-start token APNs rejected, with the token.
    package internal(set) var rejectedStarts: [(installation: DeviceID, target: Target)] = []
    var pushes: [Push] = []
    /// The last push that was made.
    var payload: (version: Int, hasAlert: Bool, payload: APNsPayload)?
    /// The results of the changes: the index of the entry, `nil` if devices do not show the change; or the refusal.
    var outcomes: [Result<Int?, ActivityError>] = []
    var isFinished = false
    /// The result of a start, with the devices that cannot be sent one.
    package internal(set) var started = (counts: RolloutProgress.Counts(), notStartable: [DeviceID]())
    /// The transitions that the command scheduled.
    package internal(set) var scheduled: [ActivityTransition] = []

    package init(_ snapshot: ActivitySnapshot, at now: Date) {
        self.now = now
        self.row = snapshot.row
        self.plan = snapshot.plan
    }

    /// Adds the writes of another command.
    package mutating func decide(_ command: ActivityCommand, on snapshot: ActivitySnapshot) throws {
        switch command {
        case .change(let changes): self.change(changes, on: snapshot)
        case .runDue: self.runDue(on: snapshot)
        case .continueSending: self.sendNext(entry: self.note(.pendingUpdatesSent), on: snapshot)
        case .schedule(let plans): try self.schedule(plans, on: snapshot)
        case .unschedule(let keys): self.unschedule(keys)
        case .register(let activity): self.note(.registered, telling: activity.beginning)
        case .start(let activity, let installations, let sendAt, let isRollout):
            try self.start(activity, on: installations, sendAt: sendAt, isRollout: isRollout, snapshot)
        case .receiveToken(let upload): try self.receive(upload, on: snapshot)
        case .leave(let departure): self.leave(departure, on: snapshot)
        case .handleOutcomes(let batch, let failures, let waiting):
            self.handle(failures, of: batch, waiting: waiting, on: snapshot)
        case .note(let rollout) where rollout.state == .running: break
        case .note(let rollout):
            self.note(
                rollout.state == .completed ? .rolloutCompleted : .rolloutStopped,
                detail: rollout.progress.summary
            )
        }
        self.updateSchedule()
    }

    /// Adds an entry to the timeline; returns its index.
    @discardableResult
    mutating func note(
        _ kind: TimelineEntry.Kind,
        installation: DeviceID? = nil,
        detail: String? = nil,
        telling changes: [ActivityChange] = []
    ) -> Int {
        self.entries.append(
            NewTimelineEntry(
                activity: self.row.number,
                time: self.now,
                kind: kind,
                version: self.row.lifecycle.version,
                installation: installation,
                detail: detail,
                changes: ActivityChange.told(changes)
            )
        )
        return self.entries.count - 1
    }

    /// Whether the decision can be taken before its instant, because it does not depend on the outcome of a push.
    package func canBePrepared(on snapshot: ActivitySnapshot) -> Bool {
        self.waiting.isEmpty && self.superseded.isEmpty && self.participants.allSatisfy { $0.kind == .sent }
            && snapshot.participants.allSatisfy { device in
                device.batch.flatMap { snapshot.batches[$0] }.map { $0.lifecycle.state == .settled } ?? true
            }
    }

    /// The receipt of a call, by the entry that counts its pushes; `nil` without one.
    package func receipt(entry place: Int?, notification: NotificationID?) -> ActivityUpdateResult {
        let lifecycle = self.row.lifecycle
        let notStartable = self.started.notStartable
        var receipt = ActivityUpdateResult(
            version: lifecycle.version,
            state: lifecycle.state,
            notStartable: notStartable
        )
        receipt.alreadyParticipating = self.started.counts.alreadyParticipating
        guard let place else { return receipt }
        let entry = self.entries[place]
        receipt.version = entry.version
        receipt.sent = entry.sends.count
        receipt.pending = entry.pending
        receipt.notification = receipt.sent > 0 ? notification : nil
        receipt.cost = entry.cost
        return receipt
    }

    /// The result of one of the changes of the command.
    package func result(_ index: Int, notification: NotificationID?) -> ActivityUpdateOutcome {
        switch self.outcomes[index] {
        case .success(let entry): .changed(self.receipt(entry: entry, notification: notification))
        case .failure(let refusal): .refused(refusal)
        }
    }
}

/// Pushes with the same headers that are sent at the same time.
struct PushGroup: Hashable {
    let priority: Priority
    let sendAt: Date?
    /// The policy of the channel to which they are broadcast; `nil` for pushes to devices.
    var broadcast: MessageStoragePolicy?
}

extension Activity {
    /// The content with which devices begin, as a change; empty without content.
    var beginning: [ActivityChange] {
        self.lifecycle.contentState == nil ? [] : [ActivityChange(beginning: self)]
    }
}
