// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    public func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout] {
        try await self.delegate { try await self.base.rollouts(of: activity, app: app) }
    }

    public func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout] {
        try await self.delegate {
            try await self.base.claimRollouts(planner: planner, limit: limit, leaseDuration: leaseDuration, now: now)
        }
    }

    public func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog {
        try await self.delegate {
            try await self.base.backlog(of: rollout, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    public func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        try await self.delegate {
            try await self.base.rollOut(shard, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    public func release(
        _ rollout: RolloutID,
        planner: WorkerID,
        as end: RolloutRelease,
        now: Date
    ) async throws {
        try await self.delegate { try await self.base.release(rollout, planner: planner, as: end, now: now) }
    }
}
