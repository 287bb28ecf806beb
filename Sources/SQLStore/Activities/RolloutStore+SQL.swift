// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension RolloutStore where Self: SQLBacked {
    public func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout] {
        try await self.sql.read { reader in
            guard let number = try reader.activityNumber(activity, of: app) else { return [] }
            return try reader.rolloutRows(ofActivity: number).map(\.rollout)
        }
    }

    public func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout] {
        // Usually there is none. A read finds that out without locks, and without a wait for other writers.
        let isIdle = try await self.sql.read { reader in
            try reader.first("SELECT 1 FROM activity_rollouts WHERE claimable_at <= \(now) LIMIT 1") == nil
        }
        if isIdle { return [] }
        let limit = PageLimit.clamp(limit)
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(in: .bulk) { transaction in
            try transaction.claimRollouts(planner: planner, limit: limit, until: until, now: now)
        }
    }

    public func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog {
        if let leaseDuration {
            let until = now.lease(of: leaseDuration)
            try await self.sql.write(in: .bulk) { try $0.extend(rollout, planner: planner, until: until) }
        }
        return try await self.sql.snapshot { try $0.backlog(of: rollout, planner: planner) }
    }

    public func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(in: .bulk) { transaction in
            try transaction.rollOut(shard, planner: planner, until: until, now: now)
        }
    }

    public func release(
        _ rollout: RolloutID,
        planner: WorkerID,
        as end: RolloutRelease,
        now: Date
    ) async throws {
        try await self.sql.write(in: .bulk) { try $0.release(rollout, planner: planner, as: end, now: now) }
    }
}
