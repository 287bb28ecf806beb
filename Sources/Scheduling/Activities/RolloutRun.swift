// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One claimed rollout, gone on with to its end.
struct RolloutRun: Sendable {
    let claimed: ClaimedRollout
    let context: RolloutContext

    private var configuration: SchedulingConfiguration { self.context.configuration }
    private var id: RolloutID { self.claimed.rollout.id }

    /// Goes on with the rollout, and gives it back where it cannot.
    func run() async {
        var rollout = self.claimed.rollout
        do {
            try await self.goOn(with: &rollout)
        } catch let error as StoreError where error.code == .leaseLost {
            // Somebody else goes on, or the activity was removed.
            self.log(.info, "The lease of a rollout was lost", error)
        } catch is CancellationError {
            await self.release(.until(self.context.now()))
        } catch let error as StoreError where error.isTransient {
            self.log(.warning, "A rollout cannot be gone on with yet", error)
            let delay = self.configuration.setbackDelay / .seconds(1)
            await self.release(.until(self.context.now().addingTimeInterval(delay)))
        } catch {
            await self.setBack(error, of: rollout)
        }
    }

    private func goOn(with rollout: inout ActivityRollout) async throws {
        var expected = rollout.progress.expected
        var extendedAt = self.context.now()
        while true {
            let now = self.context.now()
            if Task.isShuttingDownGracefully || Task.isCancelled { return await self.release(.until(now)) }
            let isOld = now.timeIntervalSince(extendedAt) > self.configuration.leaseDuration / .seconds(3)
            if isOld { extendedAt = now }
            let backlog = try await self.backlog(extending: isOld)
            switch rollout.next(now: now, pace: self.configuration.rollouts, backlog: backlog) {
            case .done: return
            case .stop:
                // What waits to be sent would start what is over. First, since nobody would do it behind the end.
                _ = try await self.context.store.cancel(self.id.notification, now: now)
                rollout = try await self.write(RolloutShard(of: rollout), of: rollout)
            case .wait(let time):
                let wait = Duration.seconds(time.timeIntervalSince(now))
                await self.wait(min(wait, self.configuration.planInterval))
            case .waitForRoom: await self.wait(self.configuration.planInterval)
            case .read(let starts, let sendAt):
                var shard = try await self.read(starts: starts, of: rollout)
                shard.sendAt = sendAt
                shard.expected = expected
                shard.openBatches = backlog.batches
                rollout = try await self.write(shard, of: rollout)
                extendedAt = self.context.now()
                // The first phones are sent to meanwhile.
                if expected == nil, rollout.state == .running { expected = try await self.count(rollout) }
            }
        }
    }

    /// Reads the next devices, of which so many at most have a token.
    private func read(starts: Int, of rollout: ActivityRollout) async throws -> RolloutShard {
        let app = self.claimed.app
        let size = self.configuration.rollouts.shardSize
        // Of a small shard not many are read in vain.
        let limit = min(size, max(200, 10 * starts))
        var shard = RolloutShard(of: rollout)
        if let known = rollout.progress.lastPlace {
            shard.lastPlace = known
        } else {
            shard.lastPlace = try await self.context.store.lastPlace(of: app)
        }
        let range = AudienceRange(after: rollout.progress.place, through: shard.lastPlace)
        let found = try await self.keepingLease { store in
            try await store.installations(of: rollout.audience, app: app, in: range, limit: limit)
        }
        let tokens = try await self.context.store.pushToStartTokens(
            of: self.claimed.attributesType,
            app: app,
            installations: found.map(\.installation)
        )
        for device in found {
            if tokens[device.installation] == nil {
                shard.withoutToken += 1
            } else {
                // What is left is read again with the next shard.
                guard shard.installations.count < starts else { return shard }
                shard.installations.append(device.installation)
            }
            shard.place = device.place
        }
        shard.isLast = found.count < limit
        return shard
    }

    private func count(_ rollout: ActivityRollout) async throws -> Int {
        try await self.keepingLease { store in
            try await store.count(of: rollout.audience, app: self.claimed.app, through: rollout.progress.lastPlace)
        }
    }

    private func write(_ shard: RolloutShard, of former: ActivityRollout) async throws -> ActivityRollout {
        let rollout = try await self.context.store.rollOut(
            shard,
            planner: self.configuration.planner,
            leaseDuration: self.configuration.leaseDuration,
            now: self.context.now()
        )
        self.context.metrics.wentOn(from: former, to: rollout)
        return rollout
    }

    private func backlog(extending: Bool) async throws -> RolloutBacklog {
        try await self.context.store.backlog(
            of: self.id,
            planner: self.configuration.planner,
            leaseDuration: extending ? self.configuration.leaseDuration : nil,
            now: self.context.now()
        )
    }

    /// Reads devices, which may take longer than the lease: of a few among very many all are looked at.
    private func keepingLease<Value: Sendable>(
        _ read: @escaping @Sendable (any RolloutPlanningStore) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await read(self.context.store) }
            group.addTask {
                while true {
                    try await self.context.clock.sleep(for: self.configuration.leaseDuration / 3)
                    do {
                        _ = try await self.backlog(extending: true)
                    } catch let error as StoreError where error.isTransient {
                        self.log(.warning, "The lease of a rollout cannot be extended yet", error)
                    }
                }
            }
            guard let value = try await group.next() ?? nil else { throw CancellationError() }
            return value
        }
    }

    private func wait(_ duration: Duration) async {
        try? await cancelWhenGracefulShutdown { try await self.context.clock.sleep(for: duration) }
    }

    // MARK: Giving back

    private func release(_ end: RolloutRelease) async {
        do {
            try await self.context.store.release(
                self.id,
                planner: self.configuration.planner,
                as: end,
                now: self.context.now()
            )
        } catch {
            self.log(.warning, "A rollout is left until its lease lapses", error)
        }
    }

    /// The rollout cannot be gone on with: it waits longer each time, and is stopped in the end.
    private func setBack(_ error: any Error, of rollout: ActivityRollout) async {
        let count = rollout.setbacks + 1
        let isFinal = count >= self.configuration.maximumSetbacks
        self.context.metrics.setBack(isFinal: isFinal)
        self.log(.error, "A rollout could not be gone on with (\(count) times)", error)
        if isFinal {
            await self.release(.failed(reason: "\(error)"))
        } else {
            let delay = self.configuration.delay(after: count) / .seconds(1)
            await self.release(.setBack(until: self.context.now().addingTimeInterval(delay)))
        }
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        self.context.logger.log(
            level: level,
            message,
            metadata: [
                "rollout.id": "\(self.id)", "activity.id": "\(self.claimed.activity)", "error": "\(error)",
            ]
        )
    }
}
