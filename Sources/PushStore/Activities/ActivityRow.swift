// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel

/// An activity as it is stored: the columns that change often, and those that a change needs.
package struct ActivityRow: Sendable {
    /// The progress of a change that is not sent to all devices at once.
    package struct SendingOn: Hashable, Sendable {
        /// The number of the last device that was read.
        package var place: Int64

        /// The number of devices that are left to read, starting over after the last one.
        package var left: Int
    }

    package let number: Int64
    package let app: Int64
    package let appID: AppID
    package let id: ActivityID
    package let attributesType: AttributesType
    package let fixedBytes: Int
    package let channel: ActivityChannel?
    package var lifecycle: ActivityLifecycle
    /// The number of devices that ever joined; the last one has that number within the activity.
    package var joined = 0
    /// The number of entries that its timeline ever had.
    package var entries = 0
    /// Increases with each write of the activity or of anything that belongs to it.
    package var revision: Int64 = 0
    package var sendingOn: SendingOn?
    package var transitionDueAt: Date?
    private var storedSchedule: Schedule?
    package let formerState: ActivityLifecycle.State

    /// The time of its next work; these columns are in indexes, so they cost more to write than the others.
    private typealias Schedule = (Date?, Date?, SendingOn?)

    private var schedule: Schedule { (self.dueAt, self.transitionDueAt, self.sendingOn) }

    /// Whether the time of its next work differs from the stored one.
    package var hasNewSchedule: Bool { self.storedSchedule.map { $0 != self.schedule } ?? true }

    package init(_ activity: Activity, number: Int64, app: Int64) {
        self.number = number
        self.app = app
        self.appID = activity.app
        self.id = activity.id
        self.attributesType = activity.attributesType
        self.fixedBytes = activity.fixedBytes
        self.channel = activity.channel
        self.lifecycle = activity.lifecycle
        self.formerState = activity.lifecycle.state
    }

    package init(stored row: StoredRow) throws {
        self.number = try row.int64("number")
        self.app = try row.int64("app")
        self.appID = try row.identifier("app_id")
        self.id = try row.identifier("id")
        self.attributesType = try row.identifier("attributes_type")
        self.fixedBytes = try row.number("fixed_bytes", in: StoredLimit.counts)
        self.channel = try ActivityChannel.read(row)
        self.lifecycle = try ActivityLifecycle(stored: row)
        self.formerState = self.lifecycle.state
        self.joined = try row.number("joined", in: 0...ParticipantRowID.maximum)
        self.entries = try row.number("entries", in: StoredLimit.counts)
        self.revision = try row.int64("revision")
        let left = try row.number("left_to_send", in: 0...ParticipantRowID.maximum)
        self.sendingOn = left > 0 ? SendingOn(place: try row.int64("sent_through"), left: left) : nil
        self.transitionDueAt = try row.clampedDate("transition_due_at")
        self.storedSchedule = self.schedule
    }

    /// The time of its next work: its first transition is due, or it expires.
    package var dueAt: Date? {
        if self.lifecycle.state.isOver { return nil }
        guard let end = self.lifecycle.end(isPlanned: self.isPlanned) else { return self.transitionDueAt }
        return self.transitionDueAt.map { min($0, end) } ?? end
    }

    package var isPlanned: Bool { self.transitionDueAt != nil }

    /// Whether its timeline has an entry for each device that joins or leaves.
    package var namesParticipants: Bool { self.joined <= ActivityLimit.namedParticipants }

    mutating func nextParticipant() throws -> Int64 {
        self.joined += 1
        guard self.joined <= ParticipantRowID.maximum else {
            let message =
                "Activity '\(self.id)' has \(ParticipantRowID.maximum) devices. Start another activity for "
                + "more."
            throw StoreError(code: .full, message: message)
        }
        return ParticipantRowID.range(ofActivity: self.number).lowerBound + Int64(self.joined)
    }
}

/// The numbers of devices: an activity's number times 2^24 plus a running number from 1.
///
/// The devices of an activity are adjacent, in the order in which they joined.
package enum ParticipantRowID {
    private static let bits: Int64 = 24

    package static let maximum = 1 << 24 - 1

    /// All numbers of an activity's devices; the lowest one is not used.
    package static func range(ofActivity activity: Int64) -> ClosedRange<Int64> {
        (activity << self.bits)...(activity << self.bits | Int64(self.maximum))
    }

    package static func activity(of participant: Int64) -> Int64 { participant >> self.bits }
}

/// A device of an activity as it is stored, with the last push to it.
package struct ParticipantRow: Sendable {
    package let number: Int64
    package var participant: ActivityParticipant
    /// The batch of the last push to it; `nil` if that push is known to have an outcome.
    package var batch: BatchID?
    package var position = 0

    /// Whether another push may start the activity on it, because it left or the push that started it failed.
    package var canBeStarted: Bool {
        switch self.participant.state {
        case .ended: true
        case .starting: self.batch == nil
        case .active: false
        }
    }

    package var activity: Int64 { ParticipantRowID.activity(of: self.number) }
}

extension ParticipantRow {
    /// Reads the columns of the table `activity_participants`.
    ///
    /// A corrupt device is `ended`, so that the others are sent pushes; it is back when its app registers a token.
    /// - Throws: ``StoreError`` `.corrupt` if its number is corrupt.
    package init(stored row: StoredRow) throws {
        self.number = try row.int64("number")
        self.participant =
            try row.readable(in: "activity_participants") { try ActivityParticipant(stored: $0) }
            ?? ActivityParticipant(
                installation: row.text("installation").flatMap { DeviceID(rawValue: $0) }
                    ?? ActivityParticipant.channelInstallation,
                environment: .production,
                token: nil,
                state: .ended(reason: FailureCode.corrupt.rawValue),
                origin: .app,
                lastSentVersion: 0,
                joinedAt: row.clampedDate("joined_at") ?? Date(millisecondsSince1970: 0)
            )
        self.batch = try row.bytes("batch").flatMap { APNsID(stored: $0).flatMap(BatchID.init) }
        self.position =
            try row.readable(in: "activity_participants") {
                try $0.number("position", in: 0...Batch.maximumTargets)
            } ?? 0
    }
}
