// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Work

/// Processes one claimed rollout until it is completed or released.
struct RolloutProcessor: PlannedItem {
    static let kind = "rollout"
    let claimed: StoredRollout
    let context: RolloutScheduler

    private var id: RolloutID { self.claimed.rollout.id }
    var failures: Int { self.claimed.rollout.setbacks }
    var logMetadata: Logger.Metadata { ["rollout.id": "\(self.id)", "activity.id": "\(self.claimed.activity)"] }

    func extendLease() async throws { _ = try await self.backlog(extending: true) }

    func release(as end: RolloutReleaseReason) async throws {
        try await self.context.store.release(self.id, planner: self.planner, as: end, now: self.now)
    }

    func count(_ failure: PlanningFailure) { self.context.metrics.count(failure) }

    func run(in slot: WorkSlot) async {
        DebugTrap.check(.rollout, "\(self.id)")
        await self.processing { try await self.goOn(in: slot, &$0) }
    }

    /// Writes batches while fewer starts are in flight than allowed; an idle rollout gives its slot to others.
    private func goOn(in slot: WorkSlot, _ failures: inout Int) async throws {
        var rollout = self.claimed.rollout
        var expected = rollout.progress.expected
        var extendedAt = self.now
        while true {
            let now = self.now
            if rollout.state == .running, rollout.planner == nil { return self.tellSetAside() }
            if self.isStopping { return try await self.release(as: .until(now)) }
            let isOld = now.timeIntervalSince(extendedAt) > self.leaseDuration / .seconds(3)
            if isOld { extendedAt = now }
            let backlog = try await self.backlog(extending: isOld)
            switch rollout.next(now: now, pace: self.configuration.rollouts, backlog: backlog) {
            case .done: return
            case .stop:
                // Queued pushes would start an activity that has ended. Cancel them first, because no worker does it
                // after the end.
                _ = try await self.context.store.cancel(self.id.notification, now: now)
                rollout = try await self.write(RolloutPage(of: rollout), of: rollout)
                failures = rollout.setbacks
            case .wait(let time):
                let wait = Duration.wait(until: time, from: now)
                try await self.wait(min(wait, self.interval(in: slot)), in: slot)
            case .waitForRoom: try await self.wait(self.interval(in: slot), in: slot)
            case .read(let starts, let sendAt):
                var shard = try await self.read(starts: starts, of: rollout)
                shard.sendAt = sendAt
                shard.expected = expected
                shard.openBatches = backlog.batches
                rollout = try await self.write(shard, of: rollout)
                failures = rollout.setbacks
                extendedAt = self.now
                // The first devices are sent to meanwhile.
                if expected == nil, rollout.state == .running { expected = try await self.count(rollout) }
            }
        }
    }

    private func tellSetAside() {
        self.context.metrics.quarantined()
        self.logger.error(
            "Failed to read the Live Activity of a rollout; retrying in an hour",
            metadata: self.logMetadata
        )
    }

    /// Reads the next devices, at most `starts` of them with a token.
    private func read(starts: Int, of rollout: ActivityRollout) async throws -> RolloutPage {
        let app = self.claimed.app
        let size = self.configuration.rollouts.shardSize
        // A small page must not read many devices without need.
        let limit = min(size, max(200, 10 * starts))
        let store = self.context.store
        var shard = RolloutPage(of: rollout)
        if rollout.progress.lastPlace == nil { shard.lastPlace = try await store.lastPlace(of: app) }
        let range = AudienceRange(after: rollout.progress.place, through: shard.lastPlace)
        let found = try await self.holdingLease {
            try await store.installations(of: rollout.audience, app: app, in: range, limit: limit)
        }
        let tokens = try await store.pushToStartTokens(
            of: self.claimed.attributesType,
            app: app,
            installations: found.map(\.installation)
        )
        for device in found {
            if tokens[device.installation] == nil {
                shard.withoutToken += 1
            } else {
                // The next page reads the rest again.
                guard shard.installations.count < starts else { return shard }
                shard.installations.append(device.installation)
            }
            shard.place = device.place
        }
        shard.isLast = found.count < limit
        return shard
    }

    private func count(_ rollout: ActivityRollout) async throws -> Int {
        let last = rollout.progress.lastPlace
        return try await self.holdingLease {
            try await self.context.store.count(of: rollout.audience, app: self.claimed.app, through: last)
        }
    }

    private func write(_ shard: RolloutPage, of former: ActivityRollout) async throws -> ActivityRollout {
        let (store, planner) = (self.context.store, self.planner)
        let rollout = try await store.rollOut(shard, planner: planner, leaseDuration: self.leaseDuration, now: self.now)
        self.context.metrics.advanced(from: former, to: rollout)
        return rollout
    }

    private func backlog(extending: Bool) async throws -> RolloutBacklog {
        try await self.context.store.backlog(
            of: self.id,
            planner: self.planner,
            leaseDuration: extending ? self.leaseDuration : nil,
            now: self.now
        )
    }

    private func interval(in slot: WorkSlot) -> Duration { self.interval(in: slot, longest: self.leaseDuration / 5) }

    private func wait(_ duration: Duration, in slot: WorkSlot) async throws {
        slot.park()
        try? await cancelWhenGracefulShutdown { try await self.context.clock.sleep(for: duration) }
        try await self.take(slot)
    }
}
