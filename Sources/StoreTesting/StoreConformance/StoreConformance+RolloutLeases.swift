// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let rolloutLeases = [
        Check("a rollout is gone on with by whoever holds its lease, and nobody writes a shard twice") { store in
            _ = try await store.addRollout()
            let first = try await store.claimRollout()
            func claims(by planner: WorkerID, after seconds: Double) async throws -> [ClaimedRollout] {
                try await store.claimRollouts(
                    planner: planner,
                    limit: 10,
                    leaseDuration: RolloutSamples.lease,
                    now: StoreSamples.after(seconds)
                )
            }
            try expect(try await claims(by: RolloutSamples.otherPlanner, after: 14).isEmpty, "it is leased twice")
            let shard = RolloutSamples.shard(first, phones: [1, 2])
            _ = try await store.rollOut(shard)
            try await expectError(.leaseLost, "the same shard once more") { _ = try await store.rollOut(shard) }
            let taken = try await claims(by: RolloutSamples.otherPlanner, after: 16)
            try expectEqual(taken.map(\.rollout.progress.counts.invited), [2], "what the other one goes on with")
            let late = RolloutSamples.shard(taken[0].rollout, phones: [3])
            try await expectError(.leaseLost, "a shard of the one that lost the lease") {
                _ = try await store.rollOut(late, now: StoreSamples.after(16))
            }
            try await expectError(.leaseLost, "extending a lease that is lost") {
                _ = try await store.backlog(
                    of: first.id,
                    planner: RolloutSamples.planner,
                    leaseDuration: RolloutSamples.lease,
                    now: StoreSamples.after(16)
                )
            }
            // Giving back what is lost does nothing.
            try await store.release(
                first.id,
                planner: RolloutSamples.planner,
                as: .until(StoreSamples.after(16)),
                now: StoreSamples.after(16)
            )
            let gone = try await store.rollOut(late, by: RolloutSamples.otherPlanner, now: StoreSamples.after(16))
            try expectEqual(gone.progress.counts.invited, 3, "how many are invited in all")
            try expectEqual(try await store.phones().count, 3, "how many phones take part")
        },
        Check("of planners that write the same shard at the same time one does") { store in
            _ = try await store.addRollout(phones: 1..<41)
            let rollout = try await store.claimRollout()
            let shard = RolloutSamples.shard(rollout, phones: Array(1..<41))
            let written = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await storeError { _ = try await store.rollOut(shard) } == nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expectEqual(written, 1, "how often it was written")
            try expectEqual(try await store.claim(.bulk).map(\.batch.targets.count), [40], "what is sent")
        },
        Check("two rollouts of an activity start it once on each phone") { store in
            _ = try await store.addRollout()
            let more = try await store.invite(
                [],
                rollingOut: RolloutSamples.rollout(),
                to: ActivitySamples.lesson,
                of: StoreSamples.app,
                now: StoreSamples.now
            )
            try expect(more?.rollout != nil, "the second one is not told")
            let claimed = try await store.claimRollouts(
                planner: RolloutSamples.planner,
                limit: 10,
                leaseDuration: RolloutSamples.lease,
                now: StoreSamples.now
            )
            try expectEqual(claimed.count, 2, "how many can be claimed")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for claim in claimed {
                    group.addTask {
                        let shard = RolloutSamples.shard(claim.rollout, phones: [1, 2, 3, 4], isLast: true)
                        _ = try await store.rollOut(shard)
                    }
                }
                try await group.waitForAll()
            }
            let ended = try await store.rollouts(of: ActivitySamples.lesson, app: StoreSamples.app)
            try expectEqual(ended.map(\.state), [.done, .done], "the rollouts")
            let invited = ended.reduce(0) { $0 + $1.progress.counts.invited }
            try expectEqual(invited, 4, "how often phones were invited")
            try expectEqual(try await store.phones().count, 4, "how many phones take part")
        },
        Check("what of a rollout has no outcome is known batch by batch") { store in
            _ = try await store.addRollout()
            func backlog() async throws -> RolloutBacklog {
                try await store.backlog(
                    of: try await store.rollout().id,
                    planner: RolloutSamples.planner,
                    leaseDuration: nil,
                    now: StoreSamples.now
                )
            }
            var rollout = try await store.claimRollout()
            rollout = try await store.rollOut(RolloutSamples.shard(rollout, phones: [1, 2]))
            let one = try await backlog()
            try expectEqual(one.targets, 2, "what has no outcome behind the first shard")
            var shard = RolloutSamples.shard(rollout, phones: [3, 4, 5])
            shard.openBatches = one.batches
            rollout = try await store.rollOut(shard)
            try expectEqual(try await backlog().targets, 5, "what has no outcome behind the second shard")
            let claimed = try await store.claim(.bulk)
            let first = try require(claimed.first { $0.batch.targets.count == 2 }, "the first batch")
            try await store.settleAll(first)
            let left = try await backlog()
            try expectEqual(left.targets, 3, "what has no outcome when the first batch is settled")
            try expectEqual(left.batches.count, 1, "how many batches are left")
        },
        Check("a rollout that cannot be gone on with waits, and is stopped when it is given up") { store in
            _ = try await store.addRollout()
            let id = try await store.claimRollout().id
            let planner = RolloutSamples.planner
            let later = StoreSamples.after(10)
            try await store.release(id, planner: planner, as: .setBack(until: later), now: StoreSamples.now)
            let early = try await store.claimRollouts(
                planner: planner,
                limit: 10,
                leaseDuration: RolloutSamples.lease,
                now: StoreSamples.after(9)
            )
            try expect(early.isEmpty, "it is tried again too early")
            let again = try await store.claimRollout(now: later)
            try expectEqual(again.setbacks, 1, "how often it was set back")
            let rollout = try await store.rollOut(RolloutSamples.shard(again, phones: [1]), now: later)
            try expectEqual(rollout.setbacks, 0, "how often it was set back once it goes on")
            try await store.release(id, planner: planner, as: .failed(reason: "broken"), now: later)
            let stopped = try await store.rollout()
            try expectEqual(stopped.state, .stopped, "what became of it")
            try expectEqual(stopped.progress.reason, "broken", "why")
            try expectEqual(try await store.story().last?.detail, "1 invited, broken", "what the timeline tells")
            let status = try await store.notification(id.notification)
            try expectEqual(status?.isOpen, false, "whether its notification is open")
        },
        Check("an activity has a few rollouts under way at a time, and the last that have ended") { store in
            _ = try await store.addRollout()
            func add() async throws {
                _ = try await store.invite(
                    [],
                    rollingOut: RolloutSamples.rollout(),
                    to: ActivitySamples.lesson,
                    of: StoreSamples.app,
                    now: StoreSamples.now
                )
            }
            for _ in 1..<ActivityLimit.rollouts { try await add() }
            try await expectError(.invalid, "one more") { try await add() }
            for _ in 0..<3 {
                let claimed = try await store.claimRollouts(
                    planner: RolloutSamples.planner,
                    limit: 100,
                    leaseDuration: RolloutSamples.lease,
                    now: StoreSamples.now
                )
                for claim in claimed {
                    _ = try await store.rollOut(RolloutSamples.shard(claim.rollout, phones: [], isLast: true))
                }
                for _ in 0..<ActivityLimit.rollouts { try await add() }
            }
            let kept = try await store.rollouts(of: ActivitySamples.lesson, app: StoreSamples.app)
            try expectEqual(kept.count { $0.state == .running }, ActivityLimit.rollouts, "how many run")
            try expectEqual(kept.count { $0.state == .done }, ActivityLimit.endedRollouts, "how many have ended")
        },
        Check("an activity that is removed leaves no open notification of a rollout behind") { store in
            let rollout = try await store.addRollout()
            _ = try await store.change(ActivityChange(end: .immediate))
            let removed = try await store.removeActivities(overBefore: StoreSamples.after(1), limit: 100)
            try expectEqual(removed.activities, 1, "how many are removed")
            let status = try await store.notification(rollout.id.notification)
            try expectEqual(status?.isDone, true, "whether the notification is settled")
            try expectEqual(
                try await store.rollouts(of: ActivitySamples.lesson, app: StoreSamples.app),
                [],
                "the rollouts"
            )
        },
    ]
}
