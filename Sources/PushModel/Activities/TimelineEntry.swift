// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// One thing that happened to an activity.
public struct TimelineEntry: Hashable, Sendable {
    /// The type of an entry.
    ///
    /// Unknown types are kept: a store may have entries of a newer version.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name in responses and in the store.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// An activity became known that apps start, or have started.
        public static let registered = Kind(rawValue: "registered")

        /// Devices are sent the start push.
        public static let started = Kind(rawValue: "started")

        /// Every device of an audience was looked at: those that could be were sent the push that starts it.
        public static let rolloutCompleted = Kind(rawValue: "rollout_completed")

        /// The devices of an audience that are left are not sent that push.
        public static let rolloutStopped = Kind(rawValue: "rollout_stopped")

        /// The content on devices changed.
        public static let updated = Kind(rawValue: "updated")

        public static let ended = Kind(rawValue: "ended")

        /// The system ended it after its 8 hours.
        public static let expired = Kind(rawValue: "expired")

        /// The stored activity is corrupt: it is quarantined for a while.
        public static let quarantined = Kind(rawValue: "quarantined")

        /// Named instants of its data were set or moved, and with them transitions.
        public static let instantsChanged = Kind(rawValue: "instants_changed")

        /// Devices are sent the latest state: another push was in flight when it changed, or they registered their
        /// token later.
        public static let pendingUpdatesSent = Kind(rawValue: "pending_updates_sent")

        public static let tokenReceived = Kind(rawValue: "token_received")
        public static let tokenRotated = Kind(rawValue: "token_rotated")

        /// The activity ended on a device: nothing more is sent to it.
        public static let participantEnded = Kind(rawValue: "participant_ended")

        /// APNs has deleted the channel of the activity: subscribed devices are sent nothing.
        public static let channelDeleted = Kind(rawValue: "channel_deleted")

        public static let transitionScheduled = Kind(rawValue: "transition_scheduled")
        public static let transitionCancelled = Kind(rawValue: "transition_cancelled")
        public static let transitionSkipped = Kind(rawValue: "transition_skipped")

        public var description: String { self.rawValue }
    }

    /// The pushes of a change, and their outcomes so far.
    public struct Sending: Hashable, Sendable {
        public let batch: BatchID

        /// Their indices in the batch, which determine each `apns-id`.
        public let targets: Range<Int>

        /// The notification that they belong to; `nil` when it is gone by its age.
        public let notification: NotificationID?

        /// The outcomes so far; `nil` if they were pruned.
        public let counts: OutcomeCounts?

        public init(
            batch: BatchID,
            targets: Range<Int>,
            notification: NotificationID? = nil,
            counts: OutcomeCounts? = nil
        ) {
            self.batch = batch
            self.targets = targets
            self.notification = notification
            self.counts = counts
        }
    }

    /// Its place in the activity's timeline, from 1.
    public let sequence: Int

    /// When it happened; kept to the millisecond.
    public let time: Date

    public let kind: Kind

    /// The version of the activity behind it.
    public let version: Int

    /// The device of the entry; `nil` if the entry is not about one device.
    public let installation: DeviceID?

    /// Details: the names of transitions or instants, or a reason.
    public let detail: String?

    /// The changes in this order, each in the form of the API; empty if there were none, or they are unknown.
    public let changes: [JSONValue]

    public var sendings: [Sending]

    /// The number of devices that wait for the settlement of another push, and are sent the latest state then.
    public let pending: Int

    public init(
        sequence: Int,
        time: Date,
        kind: Kind,
        version: Int,
        installation: DeviceID? = nil,
        detail: String? = nil,
        changes: [JSONValue] = [],
        sendings: [Sending] = [],
        pending: Int = 0
    ) {
        self.sequence = sequence
        self.time = time
        self.kind = kind
        self.version = version
        self.installation = installation
        self.detail = detail
        self.changes = changes
        self.sendings = sendings
        self.pending = pending
    }
}
