// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// A Live Activity that is started on the devices of an audience, one shard of them after the other.
///
/// A value with no clock and no store: a store loads it, applies one event and writes it back in one transaction, with
/// the batches that belong to it. So a planner that dies loses and repeats nothing.
public struct ActivityRollout: Hashable, Sendable {
    /// The state of a rollout.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Devices are left that were not looked at.
        ///
        /// Can transition to: `completed` with the last of them, `stopped` when the activity is over or it fails time
        /// and again.
        case running

        /// All devices were looked at. Final.
        case completed

        /// The others are not sent to, for the reason of the rollout. Final.
        case stopped
    }

    public let id: RolloutID
    public let audience: Audience

    /// How many starts are sent in a second at most, 1...1,000,000; `nil` for no limit.
    public let ratePerSecond: Int?

    /// When it was asked for; kept to the millisecond.
    public let createdAt: Date

    public internal(set) var state: State
    public internal(set) var progress: RolloutProgress

    /// The worker that processes it, until ``claimableAt``; `nil` if there is none.
    public internal(set) var planner: WorkerID?

    /// From when on it may be claimed: at once, at the end of a lease, or behind a setback; `nil` when it has ended.
    public internal(set) var claimableAt: Date?

    /// The number of consecutive processing failures.
    public internal(set) var setbacks: Int

    public init(
        id: RolloutID,
        audience: Audience,
        ratePerSecond: Int? = nil,
        createdAt: Date,
        state: State = .running,
        progress: RolloutProgress = RolloutProgress(),
        planner: WorkerID? = nil,
        claimableAt: Date?,
        setbacks: Int = 0
    ) {
        self.id = id
        self.audience = audience
        self.ratePerSecond = ratePerSecond
        self.createdAt = createdAt
        self.state = state
        self.progress = progress
        self.planner = planner
        self.claimableAt = claimableAt
        self.setbacks = setbacks
    }

    /// A rollout that is asked for, and begins at once.
    public init(audience: Audience, ratePerSecond: Int? = nil, now: Date) {
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let id = RolloutID(now: now)
        self.init(id: id, audience: audience, ratePerSecond: ratePerSecond, createdAt: now, claimableAt: now)
    }
}

/// How far a rollout has come.
public struct RolloutProgress: Hashable, Sendable, Codable {
    /// The results for the devices that were read.
    public struct Counts: Hashable, Sendable, Codable {
        /// How many are sent the push that starts the activity.
        public var startsSent: Int

        /// The number of devices without a push-to-start token.
        public var withoutToken: Int

        /// How many take part already.
        public var alreadyParticipating: Int

        /// How many could only subscribe to a channel that is one of the other environment.
        public var otherEnvironment: Int

        public init(
            startsSent: Int = 0,
            withoutToken: Int = 0,
            alreadyParticipating: Int = 0,
            otherEnvironment: Int = 0
        ) {
            self.startsSent = startsSent
            self.withoutToken = withoutToken
            self.alreadyParticipating = alreadyParticipating
            self.otherEnvironment = otherEnvironment
        }

        /// How many devices were looked at.
        public var total: Int {
            [self.withoutToken, self.alreadyParticipating, self.otherEnvironment].reduce(self.startsSent) {
                $0.addingClamping($1)
            }
        }

        public static func += (counts: inout Counts, others: Counts) {
            counts.startsSent.add(clamping: others.startsSent)
            counts.withoutToken.add(clamping: others.withoutToken)
            counts.alreadyParticipating.add(clamping: others.alreadyParticipating)
            counts.otherEnvironment.add(clamping: others.otherEnvironment)
        }
    }

    /// How often it was stored; each shard adds one.
    public internal(set) var revision: Int

    /// The place of the last device that was looked at.
    public internal(set) var place: Int64

    /// The place of the last device that there was when the first shard was read; later ones are not sent to.
    ///
    /// `nil` before that.
    public internal(set) var lastPlace: Int64?

    /// How many devices the audience had when that was counted; `nil` until then.
    public internal(set) var expected: Int?

    public internal(set) var counts: Counts

    /// When the next shard of a throttled rollout may be sent; `nil` until there was one.
    public internal(set) var paceAt: Date?

    /// The batches that were not completed at the last check.
    public internal(set) var openBatches: [BatchID]

    public internal(set) var nextOrdinal: Int

    /// The last batch; the next ones have greater ids.
    public internal(set) var lastBatch: BatchID?

    /// Why it was stopped: the state of the activity, or the failure; `nil` if it was not stopped.
    public internal(set) var reason: String?

    public internal(set) var endedAt: Date?

    public init() {
        self.revision = 0
        self.place = 0
        self.counts = Counts()
        self.openBatches = []
        self.nextOrdinal = 0
    }

    /// How many devices are left to be looked at, about; `nil` before they are counted.
    public var remaining: Int? {
        if self.endedAt != nil { return 0 }
        return self.expected.map { max(0, $0.subtractingClamping(self.counts.total)) }
    }
}

/// The size of the pages of rollouts, and how far ahead of sending they are written.
public struct RolloutLimits: Hashable, Sendable {
    /// The most devices that are read at once, 1...10,000.
    public var shardSize: Int

    /// How many starts may be on their way, and have no outcome.
    public var lookahead: Int

    /// How long before its turn a shard of a throttled rollout is written at most.
    public var lead: Duration

    /// The time between two shards of a throttled rollout; `nil` as in a ``FanOutLimits``.
    public var turn: Duration?

    public init(
        shardSize: Int = 2000,
        lookahead: Int = 20_000,
        lead: Duration = .seconds(1),
        turn: Duration? = nil
    ) {
        self.shardSize = min(max(1, shardSize), Batch.maximumTargets)
        self.lookahead = lookahead
        self.lead = lead
        self.turn = turn
    }

    /// How many starts a shard has at most.
    func starts(ratePerSecond: Int?) -> Int {
        guard let ratePerSecond else { return self.shardSize }
        return min(self.shardSize, RateLimitTurn.devices(perSecond: Double(ratePerSecond), turn: self.turn))
    }

    /// The number of starts that may be in flight before a page is written.
    func room(ratePerSecond: Int?) -> Int {
        guard let ratePerSecond else { return self.lookahead }
        // After an outage the senders send all of it at once. So leave room for two seconds' worth. Two shards always
        // have room, so that a start that APNs defers does not hold up the next shard.
        let half = max(ratePerSecond, self.starts(ratePerSecond: ratePerSecond))
        return min(self.lookahead, half.addingClamping(half))
    }
}

/// Devices of a rollout that were looked at, and are started on in one transaction.
public struct RolloutPage: Hashable, Sendable {
    public let rollout: RolloutID

    /// The rollout's revision when they were read.
    public let revision: Int

    /// Those that have a token with which a push could start the activity, at most 10,000.
    public var installations: [DeviceID]

    /// How many have none.
    public var withoutToken: Int

    /// The place of the last of them.
    public var place: Int64

    /// Whether there are no more devices.
    public var isLast: Bool

    /// The place of the last device of the rollout.
    public var lastPlace: Int64

    /// How many devices the audience has, if that is known.
    public var expected: Int?

    /// When they are sent to; `nil` means at once.
    public var sendAt: Date?

    /// The batches of the rollout that are not completed.
    public var openBatches: [BatchID]

    /// Creates a page without devices, which does not advance the rollout.
    ///
    /// It lets the rollout detect that its activity has ended.
    public init(of rollout: ActivityRollout) {
        self.rollout = rollout.id
        self.revision = rollout.progress.revision
        self.installations = []
        self.withoutToken = 0
        self.place = rollout.progress.place
        self.isLast = false
        self.lastPlace = rollout.progress.lastPlace ?? rollout.progress.place
        self.openBatches = rollout.progress.openBatches
    }
}
