// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel

/// An activity as it is stored: what changes often, and what is needed for that.
package struct ActivityRow: Sendable {
    /// Where to go on with a change that is not sent to all phones at once.
    package struct SendingOn: Hashable, Sendable {
        /// The number of the last phone that was looked at.
        package var place: Int64

        /// How many phones are to be looked at, beginning anew behind the last one.
        package var left: Int

        package init(place: Int64, left: Int) {
            self.place = place
            self.left = left
        }
    }

    package let number: Int64
    package let app: Int64
    package let appID: AppID
    package let id: ActivityID
    package let attributesType: AttributesType
    package let fixedBytes: Int
    /// The channel on which it is broadcast.
    package let channel: ActivityChannel?
    package var lifecycle: ActivityLifecycle
    /// How many phones have ever joined: the last of them has that number within the activity.
    package var joined: Int
    /// How many entries its timeline ever had.
    package var entries: Int
    package var sendingOn: SendingOn?
    /// When its first planned transition is due.
    package var transitionDueAt: Date?
    private var storedSchedule: Schedule?
    /// The state as it was read.
    package let formerState: ActivityLifecycle.State

    /// When somebody has something to do for it; that is looked for, so it costs more to write than the rest.
    private struct Schedule: Hashable {
        var dueAt: Date?
        var transitionDueAt: Date?
        var sendingOn: SendingOn?
    }

    private var schedule: Schedule {
        Schedule(dueAt: self.dueAt, transitionDueAt: self.transitionDueAt, sendingOn: self.sendingOn)
    }

    /// Whether it is looked after at another time than was stored.
    package var hasNewSchedule: Bool { self.schedule != self.storedSchedule }

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
        self.joined = 0
        self.entries = 0
    }

    /// Reads the columns of the table `activities`, and the app's id as `app_id`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
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
    package var dueAt: Date? {
        if self.lifecycle.state.isOver { return nil }
        return [self.transitionDueAt, self.lifecycle.end(isPlanned: self.isPlanned)].compactMap(\.self).min()
    }

    /// Whether a change of it is planned for a time.
    package var isPlanned: Bool { self.transitionDueAt != nil }

    /// Whether its timeline names each phone that comes or goes.
    package var namesParticipants: Bool { self.joined <= ActivityLimit.namedParticipants }

    /// The number of the next phone that joins.
    package mutating func nextParticipant() throws -> Int64 {
        self.joined += 1
        guard self.joined <= ParticipantNumber.maximum else {
            throw StoreError(
                code: .full,
                message: "Activity '\(self.id)' has \(ParticipantNumber.maximum) phones. Start another one for more."
            )
        }
        return ParticipantNumber.range(ofActivity: self.number).lowerBound + Int64(self.joined)
    }
}

/// The numbers of phones: an activity's number times 2^24 plus a running number from 1.
///
/// An activity's phones lie side by side, in the order in which they joined.
package enum ParticipantNumber {
    private static let bits: Int64 = 24

    /// The most phones of an activity.
    package static let maximum = 1 << 24 - 1

    /// All numbers of an activity's phones; the lowest is none's.
    package static func range(ofActivity activity: Int64) -> ClosedRange<Int64> {
        (activity << self.bits)...(activity << self.bits | Int64(self.maximum))
    }

    package static func activity(of participant: Int64) -> Int64 { participant >> self.bits }
}

/// An activity that was set aside, since what is stored of it cannot be read: it keeps no other from being looked after.
///
/// It is looked at again after a while, since a newer version may read it, or somebody mend it. It is over when its phones
/// do not show it any more.
package struct SetAside: Sendable {
    /// How many seconds it is left alone, as is other damaged work that waits to be done.
    package static let seconds = 3600.0

    package let activity: Int64
    package let time: Date
    /// When it is looked at again.
    package let until: Date
    /// Why it was set aside, for its timeline.
    package let reason: String
    /// Whether its row cannot be read.
    package let isUnreadable: Bool

    /// An activity that cannot be read is looked at again in an hour.
    package init(_ activity: Int64, _ error: StoreError, now: Date) {
        self.init(
            activity,
            reason: error.message,
            until: now.addingTimeInterval(Self.seconds),
            isUnreadable: true,
            now: now
        )
    }

    package init(_ activity: Int64, reason: String, until: Date, isUnreadable: Bool = false, now: Date) {
        self.isUnreadable = isUnreadable
        self.activity = activity
        self.time = now
        self.until = until
        self.reason = reason
    }
}
