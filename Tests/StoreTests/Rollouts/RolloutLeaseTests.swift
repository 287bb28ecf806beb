// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: rollout leases", .timeLimit(.minutes(20)))
struct RolloutLeaseTests {
    @Test(
        "a rollout is gone on with by whoever holds its lease, and nobody writes a shard twice",
        arguments: TestStoreBackend.allCases
    )
    func takeOver(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            let first = try await store.claimRollout()
            func claims(by planner: WorkerID, after seconds: Double) async throws -> [StoredRollout] {
                try await store.claimRollouts(
                    planner: planner,
                    limit: 10,
                    leaseDuration: RolloutFixtures.lease,
                    now: StoreFixtures.after(seconds)
                )
            }
            #expect(try await claims(by: RolloutFixtures.otherPlanner, after: 14).isEmpty, "it is leased twice")
            let shard = RolloutFixtures.shard(first, phones: [1, 2])
            _ = try await store.rollOut(shard)
            try await expectError(.leaseLost, "the same shard once more") { _ = try await store.rollOut(shard) }
            let taken = try await claims(by: RolloutFixtures.otherPlanner, after: 16)
            try #require(taken.map(\.rollout.progress.counts.startsSent) == [2], "what the other one goes on with")
            let late = RolloutFixtures.shard(taken[0].rollout, phones: [3])
            try await expectError(.leaseLost, "a shard of the one that lost the lease") {
                _ = try await store.rollOut(late, now: StoreFixtures.after(16))
            }
            try await expectError(.leaseLost, "extending a lease that is lost") {
                _ = try await store.backlog(
                    of: first.id,
                    planner: RolloutFixtures.planner,
                    leaseDuration: RolloutFixtures.lease,
                    now: StoreFixtures.after(16)
                )
            }
            // Giving back what is lost does nothing.
            try await store.release(
                first.id,
                planner: RolloutFixtures.planner,
                as: .until(StoreFixtures.after(16)),
                now: StoreFixtures.after(16)
            )
            let gone = try await store.rollOut(late, by: RolloutFixtures.otherPlanner, now: StoreFixtures.after(16))
            #expect(gone.progress.counts.startsSent == 3, "how many are started in all")
            let phoneCount = try await store.phones().count
            #expect(phoneCount == 3, "how many phones take part")
        }
    }

    @Test("of planners that write the same shard at the same time one does", arguments: TestStoreBackend.allCases)
    func concurrentPlanners(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout(phones: 1..<41)
            let rollout = try await store.claimRollout()
            let shard = RolloutFixtures.shard(rollout, phones: Array(1..<41))
            let written = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await storeError { _ = try await store.rollOut(shard) } == nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(written == 1, "how often it was written")
            let counts = try await store.claim(.bulk).map(\.batch.targets.count)
            #expect(counts == [40], "what is sent")
        }
    }

    @Test("two rollouts of an activity start it once on each phone", arguments: TestStoreBackend.allCases)
    func twoRollouts(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            let more = try await store.start(
                on: [],
                rollingOut: RolloutFixtures.rollout(),
                activity: ActivityFixtures.lesson,
                of: StoreFixtures.app,
                now: StoreFixtures.now
            )
            #expect(more?.rollout != nil, "the second one is not told")
            let claimed = try await store.claimRollouts(
                planner: RolloutFixtures.planner,
                limit: 10,
                leaseDuration: RolloutFixtures.lease,
                now: StoreFixtures.now
            )
            #expect(claimed.count == 2, "how many can be claimed")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for claim in claimed {
                    group.addTask {
                        let shard = RolloutFixtures.shard(claim.rollout, phones: [1, 2, 3, 4], isLast: true)
                        _ = try await store.rollOut(shard)
                    }
                }
                try await group.waitForAll()
            }
            let ended = try await store.rollouts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(ended.map(\.state) == [.completed, .completed], "the rollouts")
            let started = ended.reduce(0) { $0 + $1.progress.counts.startsSent }
            #expect(started == 4, "how often phones were started")
            let phoneCount = try await store.phones().count
            #expect(phoneCount == 4, "how many phones take part")
        }
    }

    @Test("what of a rollout has no outcome is known batch by batch", arguments: TestStoreBackend.allCases)
    func openBatches(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            func backlog() async throws -> RolloutBacklog {
                try await store.backlog(
                    of: try await store.rollout().id,
                    planner: RolloutFixtures.planner,
                    leaseDuration: nil,
                    now: StoreFixtures.now
                )
            }
            var rollout = try await store.claimRollout()
            rollout = try await store.rollOut(RolloutFixtures.shard(rollout, phones: [1, 2]))
            let one = try await backlog()
            #expect(one.targets == 2, "what has no outcome behind the first shard")
            var shard = RolloutFixtures.shard(rollout, phones: [3, 4, 5])
            shard.openBatches = one.batches
            rollout = try await store.rollOut(shard)
            let targets = try await backlog().targets
            #expect(targets == 5, "what has no outcome behind the second shard")
            let claimed = try await store.claim(.bulk)
            let first = try #require(claimed.first { $0.batch.targets.count == 2 }, "the first batch")
            try await store.settleAll(first)
            let left = try await backlog()
            #expect(left.targets == 3, "what has no outcome when the first batch is settled")
            #expect(left.batches.count == 1, "how many batches are left")
        }
    }

    @Test(
        "a rollout that cannot be gone on with waits, and is stopped when it is given up",
        arguments: TestStoreBackend.allCases
    )
    func setbacks(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            let id = try await store.claimRollout().id
            let planner = RolloutFixtures.planner
            let later = StoreFixtures.after(10)
            try await store.release(id, planner: planner, as: .setBack(until: later), now: StoreFixtures.now)
            let early = try await store.claimRollouts(
                planner: planner,
                limit: 10,
                leaseDuration: RolloutFixtures.lease,
                now: StoreFixtures.after(9)
            )
            #expect(early.isEmpty, "it is tried again too early")
            let again = try await store.claimRollout(now: later)
            #expect(again.setbacks == 1, "how often it was set back")
            let rollout = try await store.rollOut(RolloutFixtures.shard(again, phones: [1]), now: later)
            #expect(rollout.setbacks == 0, "how often it was set back once it goes on")
            try await store.release(id, planner: planner, as: .failed(reason: "broken"), now: later)
            let stopped = try await store.rollout()
            #expect(stopped.state == .stopped, "what became of it")
            #expect(stopped.progress.reason == "broken", "why")
            let detail = try await store.story().last?.detail
            #expect(detail == "1 started, broken", "what the timeline tells")
            let status = try await store.notification(id.notification)
            #expect(status?.isOpen == false, "whether its notification is open")
        }
    }

    @Test("a rollout is stopped without a planner only if no planner holds it", arguments: TestStoreBackend.allCases)
    func stoppedWithoutPlanner(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            let id = try await store.claimRollout().id
            let now = StoreFixtures.now
            func stop() async throws -> ActivityRollout.State {
                try await store.release(id, planner: nil, as: .failed(reason: "removed"), now: now)
                return try await store.rollout().state
            }
            let held = try await stop()
            #expect(held == .running, "the state with a lease")
            try await store.release(id, planner: RolloutFixtures.planner, as: .until(now), now: now)
            let released = try await stop()
            #expect(released == .stopped, "the state without a lease")
            let status = try await store.notification(id.notification)
            #expect(status?.isOpen == false, "whether its notification is open")
        }
    }

    @Test(
        "an activity has a few rollouts under way at a time, and the last that have ended",
        arguments: TestStoreBackend.allCases
    )
    func limits(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            _ = try await store.addRollout()
            func add() async throws {
                _ = try await store.start(
                    on: [],
                    rollingOut: RolloutFixtures.rollout(),
                    activity: ActivityFixtures.lesson,
                    of: StoreFixtures.app,
                    now: StoreFixtures.now
                )
            }
            for _ in 1..<ActivityLimit.rollouts { try await add() }
            try await expectError(.invalid, "one more") { try await add() }
            for _ in 0..<3 {
                let claimed = try await store.claimRollouts(
                    planner: RolloutFixtures.planner,
                    limit: 100,
                    leaseDuration: RolloutFixtures.lease,
                    now: StoreFixtures.now
                )
                for claim in claimed {
                    _ = try await store.rollOut(RolloutFixtures.shard(claim.rollout, phones: [], isLast: true))
                }
                for _ in 0..<ActivityLimit.rollouts { try await add() }
            }
            let kept = try await store.rollouts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(kept.count { $0.state == .running } == ActivityLimit.rollouts, "how many run")
            #expect(kept.count { $0.state == .completed } == ActivityLimit.endedRollouts, "how many have ended")
        }
    }

    @Test(
        "an activity that is removed leaves no open notification of a rollout behind",
        arguments: TestStoreBackend.allCases
    )
    func removedActivity(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let rollout = try await store.addRollout()
            _ = try await store.change(ActivityChange(end: .immediate))
            let removed = try await store.removeActivities(overBefore: StoreFixtures.after(1), limit: 100)
            #expect(removed.count == 1, "how many are removed")
            let status = try await store.notification(rollout.id.notification)
            #expect(status?.isDone == true, "whether the notification is settled")
            let rollouts = try await store.rollouts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
            #expect(rollouts == [], "the rollouts")
        }
    }
}
