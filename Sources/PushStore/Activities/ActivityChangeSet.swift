// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
package import JSONSchema
package import PushModel

/// Decisions on activities of one app, with the batches that send their pushes.
///
/// It locks nothing. A store writes it only for activities that still have the revision on which the decision was
/// taken.
public struct ActivityChangeSet: Sendable {
    /// How many seconds after its instant a change set that was made early is valid.
    public static let validSeconds = 1.0

    /// The time of the decisions.
    public let time: Date
    package private(set) var writes: [ActivityWrites]
    /// The notification that sends the pushes; `nil` if the notification of the rollout sends them, or nothing is sent.
    package private(set) var notification: PushModel.Notification?
    package private(set) var rollout: ActivityRollout?
    package private(set) var batches: [ScheduledBatch] = []
    /// The devices of each batch, by their positions.
    package private(set) var devices: [[Int64]] = []
    /// The schemas on which decisions that were made early depend, by their types; `nil` for a type without a schema.
    package var schemas: [AttributesType: JSONSchema?] = [:]

    public var activities: [Int64] { self.writes.map(\.row.number) }
    public var count: Int { self.writes.count }

    /// The number of transitions that end.
    public var transitions: Int { self.writes.reduce(0) { $0 + ($1.plan?.ended.count ?? 0) } }

    /// The number of devices that show a change.
    public var deviceCount: Int { self.writes.reduce(0) { $0 + $1.participants.count } }

    /// The estimated memory in bytes: 2000 for an activity and 1000 for a device, plus contents and payloads.
    public var size: Int {
        self.writes.reduce(0) { size, write in
            // A batch has separate payloads.
            let payloads = 2 * (write.payload?.payload.bytes.count ?? 0)
            let content = write.row.lifecycle.contentState?.bytes.count ?? 0
            return size + 2000 + 1000 * write.participants.count + content + payloads
        }
    }

    /// The transitions that ended, as a report lists them.
    package var entries: [TransitionReport.Entry] {
        self.writes.flatMap { write in
            (write.plan?.ended ?? []).map { .init(app: write.row.appID, activity: write.row.id, transition: $0) }
        }
    }

    /// The ID of the notification that sends the pushes; `nil` if nothing is sent.
    package var notificationID: NotificationID? {
        self.batches.isEmpty ? nil : self.notification?.id ?? self.rollout?.id.notification
    }

    /// Groups the pushes of decisions into batches; decisions can be combined several times.
    package init(combining writes: [ActivityWrites], rollout: ActivityRollout? = nil, at now: Date) throws {
        self.time = now
        self.writes = writes
        self.rollout = rollout
        try self.makeBatches()
        for index in self.writes.indices { self.writes[index].finish() }
    }

    /// The change set without the other activities; `nil` if none is left.
    package func limited(to activities: Set<Int64>) throws -> ActivityChangeSet? {
        let rest = self.writes.filter { activities.contains($0.row.number) }
        if rest.count == self.count { return self }
        return rest.isEmpty ? nil : try ActivityChangeSet(combining: rest, at: self.time)
    }

    private typealias Place = (write: Int, push: Int)

    /// Creates the batches of the pushes, and records the version sent to each device.
    private mutating func makeBatches() throws {
        guard let app = self.writes.first?.row.appID else { return }
        var groups: [(key: PushGroup, pushes: [Place])] = []
        var indexes: [PushGroup: Int] = [:]
        for write in self.writes.indices {
            // The batches of an earlier combination.
            for entry in self.writes[write].entries.indices {
                self.writes[write].entries[entry].sends = StoredPushReferences()
            }
            for push in self.writes[write].pushes.indices {
                let group = self.writes[write].pushes[push].group
                if let index = indexes[group], groups[index].pushes.count < Batch.maximumTargets {
                    groups[index].pushes.append((write, push))
                } else {
                    indexes[group] = groups.count
                    groups.append((group, [(write, push)]))
                }
            }
        }
        if groups.isEmpty { return }
        let count = groups.reduce(0) { $0 + $1.pushes.count }
        let lane: Lane = self.rollout == nil && count <= ActivityLimit.urgentPushes ? .urgent : .bulk
        let parts = try groups.map { try self.part($0.key, $0.pushes, app, lane) }
        let added = self.rollout?.makeBatches(parts, of: app, now: self.time)
        let plan = added == nil ? BatchedNotification(app: app, parts: parts, now: self.time) : nil
        self.notification = plan?.notification
        for (batch, group) in zip(added ?? plan?.batches ?? [], groups) {
            self.batches.append(ScheduledBatch(batch: batch, sendAt: group.key.sendAt))
            self.devices.append(
                group.pushes.enumerated().map { position, place in
                    self.writes[place.write].assign(place.push, to: batch.id, position)
                }
            )
        }
    }

    private func part(
        _ group: PushGroup,
        _ places: [Place],
        _ app: AppID,
        _ lane: Lane
    ) throws -> BatchedNotification.Part {
        let end = self.time.addingTimeInterval(Double(ActivityLimit.runningSeconds))
        let headers = try NotificationHeaders(
            activityOf: app,
            priority: group.priority,
            broadcast: group.broadcast,
            until: end
        )
        let payloads = places.lazy.map { self.writes[$0.write].pushes[$0.push].payload }
        let isShared = payloads.dropFirst().allSatisfy { $0 == payloads[0] }
        return BatchedNotification.Part(
            lane: lane,
            headers: headers,
            payload: isShared ? .shared(payloads[0]) : .distinct(PayloadList(payloads)),
            targets: TargetList(places.lazy.map { self.writes[$0.write].pushes[$0.push].target }),
            expiresAt: end
        )
    }
}

extension ActivityWrites {
    /// Records the batch that sends a push; returns the number of the device.
    fileprivate mutating func assign(_ push: Int, to batch: BatchID, _ position: Int) -> Int64 {
        let (place, entry) = (self.pushes[push].participant, self.pushes[push].entry)
        self.entries[entry].sends.add(position, of: batch)
        self.participants[place].row.batch = batch
        self.participants[place].row.position = position
        return self.participants[place].row.number
    }

    /// Numbers the entries of the timeline, and adds the event of a new state.
    fileprivate mutating func finish() {
        guard !self.isFinished else { return }
        self.isFinished = true
        for index in self.entries.indices where self.entries[index].isTold {
            let entry = self.entries[index]
            // Not for pending updates without pushes.
            if entry.kind == .pendingUpdatesSent, entry.sends.count == 0, entry.pending == 0 {
                self.entries[index].isTold = false
                continue
            }
            self.row.entries += 1
            self.entries[index].sequence = self.row.entries
            self.isChanged = true
        }
        // A change of a device needs a new revision.
        if !self.participants.isEmpty { self.isChanged = true }
        let event = NewEvent.activity(
            self.row.id,
            of: self.row.appID,
            type: self.row.attributesType,
            state: self.row.lifecycle.state,
            from: self.row.formerState,
            time: self.now
        )
        // Devices show it now, or it is over.
        if let event, self.isChanged { self.events.insert(event, at: 0) }
    }
}

/// An entry of a timeline that is to be stored.
package struct NewTimelineEntry: Sendable {
    package let activity: Int64
    /// Its place in the timeline; assigned when it is stored.
    package internal(set) var sequence = 0
    package let time: Date
    package let kind: TimelineEntry.Kind
    package let version: Int
    package let installation: DeviceID?
    package let detail: String?
    /// The changes, as an array of JSON objects; see ``ActivityChange/told(_:)``.
    package let changes: String?
    package internal(set) var sends = StoredPushReferences()
    package internal(set) var pending = 0
    /// The cost for the budgets of devices; it is returned to the caller, and not stored.
    var cost: BudgetImpact?
    /// Whether it is stored; otherwise it only counts pushes.
    package internal(set) var isTold = true
}
