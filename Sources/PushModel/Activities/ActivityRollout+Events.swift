// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// The batches of a rollout in flight.
public struct RolloutBacklog: Hashable, Sendable {
    /// How many starts have no outcome.
    public var targets: Int

    /// The batches that are not completed.
    public var batches: [BatchID]

    public var isOver: Bool

    public init(targets: Int = 0, batches: [BatchID] = [], isOver: Bool = false) {
        self.targets = targets
        self.batches = batches
        self.isOver = isOver
    }
}

// MARK: - Deciding

extension ActivityRollout {
    /// The next step.
    public enum Step: Hashable, Sendable {
        /// Read the next devices, and start the activity on at most this number of them.
        case read(starts: Int, sendAt: Date?)

        case wait(until: Date)

        /// Do nothing until some pushes in flight have their outcomes.
        case waitForRoom

        /// Write a shard of no devices: the activity is over.
        case stop

        /// Nothing: it has ended.
        case done
    }

    public func next(now: Date, pace: RolloutLimits, backlog: RolloutBacklog) -> Step {
        guard self.state == .running else { return .done }
        if backlog.isOver { return .stop }
        var sendAt: Date?
        if self.ratePerSecond != nil {
            // Missed time is not made up for.
            let turn = max(self.progress.paceAt ?? now, now)
            let planAt = turn.addingTimeInterval(-(pace.lead / .seconds(1)))
            guard planAt <= now else { return .wait(until: planAt) }
            sendAt = turn
        }
        let starts = pace.starts(ratePerSecond: self.ratePerSecond)
        let targets = backlog.targets.addingClamping(starts)
        guard backlog.targets == 0 || targets <= pace.room(ratePerSecond: self.ratePerSecond) else {
            return .waitForRoom
        }
        return .read(starts: starts, sendAt: sendAt)
    }
}

// MARK: - Events

extension ActivityRollout {
    /// A planner asks for the rollout.
    ///
    /// A lease expires at `until` itself.
    ///
    /// - Returns: whether it holds the lease now; nothing changes when it does not.
    public mutating func claim(by planner: WorkerID, until: Date, now: Date) -> Bool {
        guard self.state == .running, let claimableAt, claimableAt <= now else { return false }
        self.planner = planner
        self.claimableAt = until
        return true
    }

    /// The planner needs more time.
    ///
    /// - Returns: whether it holds the lease; nothing changes when it does not.
    public mutating func extendLease(of planner: WorkerID, until: Date) -> Bool {
        guard self.state == .running, self.planner == planner else { return false }
        self.claimableAt = until
        return true
    }

    /// Records that the worker has started the activity on a page.
    ///
    /// - Returns: whether the worker has the lease and no other one continued; otherwise nothing changes.
    public mutating func advance(
        by shard: RolloutPage,
        _ counts: RolloutProgress.Counts,
        planner: WorkerID,
        until: Date,
        now: Date
    ) -> Bool {
        guard self.isHeld(by: planner, at: shard.revision) else { return false }
        self.progress.revision.add(clamping: 1)
        self.progress.place = max(self.progress.place, shard.place)
        self.progress.lastPlace = shard.lastPlace
        self.progress.expected = shard.expected ?? self.progress.expected
        self.progress.counts += counts
        self.progress.counts += RolloutProgress.Counts(withoutToken: shard.withoutToken)
        self.progress.openBatches = shard.openBatches
        if let ratePerSecond, let sendAt = shard.sendAt {
            self.progress.paceAt = sendAt.addingTimeInterval(Double(counts.startsSent) / Double(max(1, ratePerSecond)))
        }
        self.setbacks = 0
        self.claimableAt = until
        if shard.isLast { self.end(as: .completed, now: now) }
        return true
    }

    /// Whether a planner holds the lease, and knows how far the rollout has come.
    public func isHeld(by planner: WorkerID, at revision: Int) -> Bool {
        self.state == .running && self.planner == planner && self.progress.revision == revision
    }

    /// Stops the rollout, because the activity ended or the rollout failed.
    ///
    /// - Returns: whether it was running before.
    @discardableResult
    public mutating func stop(reason: String, now: Date) -> Bool {
        guard self.state == .running else { return false }
        self.progress.reason = reason
        self.end(as: .stopped, now: now)
        return true
    }

    /// The planner gives the rollout back; anyone may claim it from that time on.
    ///
    /// A setback is counted; the next shard resets the count.
    ///
    /// - Returns: whether it held the lease; nothing changes when it did not.
    public mutating func release(by planner: WorkerID, until: Date, isSetback: Bool) -> Bool {
        guard self.state == .running, self.planner == planner else { return false }
        self.planner = nil
        self.claimableAt = until
        if isSetback { self.setbacks.add(clamping: 1) }
        return true
    }

    private mutating func end(as state: State, now: Date) {
        self.state = state
        self.planner = nil
        self.claimableAt = nil
        self.progress.openBatches = []
        self.progress.expected = state == .completed ? self.progress.counts.total : self.progress.expected
        self.progress.endedAt = Date(millisecondsSince1970: now.millisecondsSince1970)
    }

    /// Creates the batches of the rollout's notification.
    ///
    /// - Returns: the batches, in the order of the parts.
    public mutating func makeBatches(_ parts: [BatchedNotification.Part], of app: AppID, now: Date) -> [Batch] {
        var generator = SystemRandomNumberGenerator()
        let ids = BatchID.draw(parts.count, after: self.progress.lastBatch, now: now, using: &generator)
        self.progress.lastBatch = ids.last ?? self.progress.lastBatch
        if self.state == .running { self.progress.openBatches += ids }
        return zip(ids, parts).map { id, part in
            defer { self.progress.nextOrdinal.add(clamping: 1) }
            return Batch(
                id: id,
                notification: self.id.notification,
                ordinal: self.progress.nextOrdinal,
                app: app,
                lane: part.lane,
                headers: part.headers,
                payload: part.payload,
                targets: part.targets,
                createdAt: now,
                expiresAt: part.expiresAt
            )
        }
    }
}

extension RolloutProgress {
    /// The counts and the reason of the end, for the timeline.
    package var summary: String {
        var parts = ["\(self.counts.startsSent) started"]
        if self.counts.alreadyParticipating > 0 {
            parts.append("\(self.counts.alreadyParticipating) already participating")
        }
        if self.counts.withoutToken > 0 { parts.append("\(self.counts.withoutToken) without a token") }
        if self.counts.otherEnvironment > 0 { parts.append("\(self.counts.otherEnvironment) of the other environment") }
        if let reason { parts.append(reason) }
        return parts.joined(separator: ", ")
    }
}
