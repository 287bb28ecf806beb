// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// An activity as it is stored: what changes often, and what is needed for that.
struct ActivityRow: Sendable {
    /// Where to go on with a change that is not sent to all phones at once.
    struct SendingOn: Hashable, Sendable {
        /// The number of the last phone that was looked at.
        var place: Int64

        /// How many phones are to be looked at, beginning anew behind the last one.
        var left: Int
    }

    let number: Int64
    let app: Int64
    let appID: AppID
    let id: ActivityID
    let attributesType: AttributesType
    let fixedBytes: Int
    let channel: ActivityChannel?
    var lifecycle: ActivityLifecycle
    /// How many phones have ever joined: the last of them has that number within the activity.
    var joined = 0
    /// How many entries its timeline ever had.
    var entries = 0
    var sendingOn: SendingOn?
    var transitionDueAt: Date?
    private var storedSchedule: Schedule?
    let formerState: ActivityLifecycle.State

    /// When something is due for it; these columns are in indexes, so they cost more to write than the rest.
    private typealias Schedule = (Date?, Date?, SendingOn?)

    private var schedule: Schedule { (self.dueAt, self.transitionDueAt, self.sendingOn) }

    /// Whether it is looked after at another time than was stored.
    var hasNewSchedule: Bool {
        guard let stored = self.storedSchedule else { return true }
        return stored != self.schedule
    }

    init(_ activity: Activity, number: Int64, app: Int64) {
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

    init(stored row: some StoredRow) throws {
        self.number = try row.int64("number")
        self.app = try row.int64("app")
        self.appID = try row.identifier("app_id")
        self.id = try row.identifier("id")
        self.attributesType = try row.identifier("attributes_type")
        self.fixedBytes = try row.number("fixed_bytes", in: StoredLimit.counts)
        self.channel = try ActivityChannel.read(row)
        self.lifecycle = try ActivityLifecycle(stored: row)
        self.formerState = self.lifecycle.state
        self.joined = try row.number("joined", in: 0...ParticipantNumber.maximum)
        self.entries = try row.number("entries", in: StoredLimit.counts)
        let left = try row.number("left_to_send", in: 0...ParticipantNumber.maximum)
        self.sendingOn = left > 0 ? SendingOn(place: try row.int64("sent_through"), left: left) : nil
        self.transitionDueAt = try row.clampedDate("transition_due_at")
        self.storedSchedule = self.schedule
    }

    /// When somebody has to look after it: its first transition is due, or it is over by itself.
    var dueAt: Date? {
        if self.lifecycle.state.isOver { return nil }
        return [self.transitionDueAt, self.lifecycle.end(isPlanned: self.isPlanned)].compactMap(\.self).min()
    }

    var isPlanned: Bool { self.transitionDueAt != nil }

    /// Whether its timeline names each phone that comes or goes.
    var namesParticipants: Bool { self.joined <= ActivityLimit.namedParticipants }

    mutating func nextParticipant() throws -> Int64 {
        self.joined += 1
        guard self.joined <= ParticipantNumber.maximum else {
            let message = "Activity '\(self.id)' has \(ParticipantNumber.maximum) phones. Start another one for more."
            throw StoreError(code: .full, message: message)
        }
        return ParticipantNumber.range(ofActivity: self.number).lowerBound + Int64(self.joined)
    }
}

/// The numbers of phones: an activity's number times 2^24 plus a running number from 1.
///
/// An activity's phones lie side by side, in the order in which they joined.
enum ParticipantNumber {
    private static let bits: Int64 = 24

    static let maximum = 1 << 24 - 1

    /// All numbers of an activity's phones; the lowest is none's.
    static func range(ofActivity activity: Int64) -> ClosedRange<Int64> {
        (activity << self.bits)...(activity << self.bits | Int64(self.maximum))
    }

    static func activity(of participant: Int64) -> Int64 { participant >> self.bits }
}

/// A phone of an activity as it is stored, with what was sent to it last.
struct ParticipantRow: Sendable {
    let number: Int64
    var participant: ActivityParticipant
    /// The batch by which it was sent something last; `nil` when that is known to have come to its end.
    var batch: BatchID?
    var position = 0

    /// Whether a push may start the activity on it that has done so before: it is gone, or that push came to nothing.
    var canBeInvited: Bool {
        switch self.participant.state {
        case .gone: true
        case .invited: self.batch == nil
        case .active: false
        }
    }

    var activity: Int64 { ParticipantNumber.activity(of: self.number) }
}

extension ParticipantRow {
    /// Reads the columns of the table `activity_participants`.
    ///
    /// A phone that cannot be read is gone, so that it keeps no other from being sent to; it is back when its app tells a
    /// token.
    /// - Throws: ``StoreError`` `.corrupt` when not even its number can be read.
    init(stored row: some StoredRow) throws {
        self.number = try row.int64("number")
        let participant = try row.readable(in: "activity_participants") { try ActivityParticipant(stored: $0) }
        if let participant {
            self.participant = participant
        } else {
            self.participant = ActivityParticipant(
                installation: try row.text("installation").flatMap { InstallationID(rawValue: $0) }
                    ?? ActivityParticipant.channelInstallation,
                environment: .production,
                token: nil,
                state: .gone(reason: FailureCode.corrupt.rawValue),
                origin: .app,
                sentVersion: 0,
                joinedAt: try row.clampedDate("joined_at") ?? Date(millisecondsSince1970: 0)
            )
        }
        self.batch = try row.bytes("batch").flatMap { APNsID(stored: $0).flatMap(BatchID.init) }
        self.position =
            try row.readable(in: "activity_participants") {
                try $0.number("position", in: 0...Batch.maximumTargets)
            } ?? 0
    }
}

/// A phone that waits for the outcome of what is on its way to it.
struct WaitingPush: Hashable, Sendable {
    let batch: BatchID
    let position: Int
    let participant: Int64
}
