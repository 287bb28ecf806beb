// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// One thing that happened to an activity.
public struct TimelineEntry: Hashable, Sendable {
    /// What happened.
    ///
    /// Unknown kinds survive: a store may hold entries of a newer version.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name as it stands in answers and in the store.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// An activity became known that apps start, or have started.
        public static let registered = Kind(rawValue: "registered")

        /// Phones are sent the push that starts it.
        public static let started = Kind(rawValue: "started")

        /// Every device of an audience was looked at: those that could be were sent the push that starts it.
        public static let rolloutDone = Kind(rawValue: "rollout-done")

        /// The devices of an audience that are left are not sent that push.
        public static let rolloutStopped = Kind(rawValue: "rollout-stopped")

        /// What phones show was changed.
        public static let updated = Kind(rawValue: "updated")

        public static let ended = Kind(rawValue: "ended")

        /// The system ended it after its 8 hours.
        public static let expired = Kind(rawValue: "expired")

        /// What is stored of it cannot be read: it is looked after again later.
        public static let setAside = Kind(rawValue: "set-aside")

        /// Named instants of its data were told or moved, and with them transitions.
        public static let instantsMoved = Kind(rawValue: "instants-moved")

        /// Phones are sent what is newest: they had something else on its way to them when it changed, or told their
        /// token later.
        public static let caughtUp = Kind(rawValue: "caught-up")

        public static let tokenArrived = Kind(rawValue: "token-arrived")
        public static let tokenRotated = Kind(rawValue: "token-rotated")

        /// A phone is sent nothing any more.
        public static let participantGone = Kind(rawValue: "participant-gone")

        /// APNs has the channel no more on which the activity was broadcast: phones that subscribe are sent nothing.
        public static let channelGone = Kind(rawValue: "channel-gone")

        public static let transitionPlanned = Kind(rawValue: "transition-planned")
        public static let transitionWithdrawn = Kind(rawValue: "transition-withdrawn")
        public static let transitionSkipped = Kind(rawValue: "transition-skipped")

        public var description: String { self.rawValue }
    }

    /// Pushes that were made of a change, and what they came to so far.
    public struct Sending: Hashable, Sendable {
        public let batch: BatchID

        /// Their places in the batch, by which each has its `apns-id`.
        public let targets: Range<Int>

        /// The notification that they belong to; `nil` when it is gone by its age.
        public let notification: NotificationID?

        /// What they came to so far; `nil` when that is gone by its age.
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

    /// The phone that it concerns; `nil` where it concerns none in particular.
    public let installation: InstallationID?

    /// What there is to tell beside: the names of transitions or instants, or a reason.
    public let detail: String?

    /// What was changed, in this order, each as the API takes it; empty where nothing was, or what it was is not known.
    public let changes: [JSONValue]

    public var sendings: [Sending]

    /// How many phones wait for something else to be settled first, and are sent the newest state then.
    public let waiting: Int

    public init(
        sequence: Int,
        time: Date,
        kind: Kind,
        version: Int,
        installation: InstallationID? = nil,
        detail: String? = nil,
        changes: [JSONValue] = [],
        sendings: [Sending] = [],
        waiting: Int = 0
    ) {
        self.sequence = sequence
        self.time = time
        self.kind = kind
        self.version = version
        self.installation = installation
        self.detail = detail
        self.changes = changes
        self.sendings = sendings
        self.waiting = waiting
    }
}
