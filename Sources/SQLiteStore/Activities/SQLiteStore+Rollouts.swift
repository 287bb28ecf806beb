// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: RolloutStore {
    /// The rollouts of an activity; see `RolloutStore`.
    public func rollouts(of activity: ActivityID, app: AppID) async throws -> [ActivityRollout] {
        try await self.read { database in
            guard let number = try database.activityNumber(activity, of: app) else { return [] }
            return try database.activities.rolloutRows(ofActivity: number).map(\.rollout)
        }
    }

    /// Leases rollouts; see `RolloutStore`.
    public func claimRollouts(
        planner: WorkerID,
        limit: Int,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedRollout] {
        // Most often there is nothing, which a read finds out without waiting for those who write.
        let isIdle = try await self.read { database in
            try database.row(
                "SELECT 1 FROM activity_rollouts WHERE claimable_at <= ? LIMIT 1",
                [now.millisecondsSince1970]
            ) == nil
        }
        if isIdle { return [] }
        let limit = PageLimit.clamp(limit)
        let until = now.lease(of: leaseDuration)
        return try await self.write(in: .bulk) { database in
            try database.activities.claimRollouts(planner: planner, limit: limit, until: until, now: now)
        }
    }

    /// What of a rollout is on its way; see `RolloutStore`.
    public func backlog(
        of rollout: RolloutID,
        planner: WorkerID,
        leaseDuration: Duration?,
        now: Date
    ) async throws -> RolloutBacklog {
        if let leaseDuration {
            let until = now.lease(of: leaseDuration)
            try await self.write(in: .bulk) { try $0.activities.extend(rollout, planner: planner, until: until) }
        }
        return try await self.read { try $0.activities.backlog(of: rollout, planner: planner) }
    }

    /// Starts an activity on a shard; see `RolloutStore`.
    public func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        let until = now.lease(of: leaseDuration)
        return try await self.write(in: .bulk) { database, changes in
            try database.activities.rollOut(shard, planner: planner, until: until, now: now, signalling: &changes)
        }
    }

    /// Ends a planner's lease; see `RolloutStore`.
    public func release(
        _ rollout: RolloutID,
        planner: WorkerID,
        as end: RolloutRelease,
        now: Date
    ) async throws {
        try await self.write(in: .bulk) { database, changes in
            try database.activities.release(rollout, planner: planner, as: end, now: now, signalling: &changes)
        }
    }
}
