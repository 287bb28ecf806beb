// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rollouts of the tests: lessons that are started on the devices of a topic.
enum RolloutFixtures {
    static let planner: WorkerID = "planner-1"
    static let otherPlanner: WorkerID = "planner-2"
    static let lease: Duration = .seconds(15)

    static func rollout(now: Date = StoreFixtures.now) -> ActivityRollout {
        ActivityRollout(audience: .topic("lessons"), now: now)
    }

    /// The shard behind a rollout that has the phones of these numbers.
    static func shard(
        _ rollout: ActivityRollout,
        phones: [Int],
        withoutToken: Int = 0,
        isLast: Bool = false
    ) -> RolloutPage {
        var shard = RolloutPage(of: rollout)
        shard.installations = phones.map { ActivityFixtures.phone($0) }
        shard.withoutToken = withoutToken
        shard.place = rollout.progress.place + Int64(phones.count + withoutToken)
        shard.lastPlace = 1000
        shard.isLast = isLast
        return shard
    }
}

/// Shorter forms of the calls, for tests.
extension ActivityStore where Self: AppStore & BatchStore & RolloutStore {
    /// Adds the sample app, start tokens of phones, and a lesson that is to be started on the devices of a topic.
    func addRollout(phones: Range<Int> = 1..<7) async throws -> ActivityRollout {
        if try await self.app(StoreFixtures.app) == nil { try await self.addSampleApp() }
        for number in phones { _ = try await self.keep(ActivityFixtures.startToken(number, token: 100 + number)) }
        let rollout = RolloutFixtures.rollout()
        _ = try await self.createActivity(
            ActivityFixtures.activity(),
            startingOn: [],
            rollingOut: rollout,
            now: StoreFixtures.now
        )
        return rollout
    }

    /// Claims the only rollout that can be claimed.
    func claimRollout(
        by planner: WorkerID = RolloutFixtures.planner,
        now: Date = StoreFixtures.now
    ) async throws -> ActivityRollout {
        let claimed = try await self.claimRollouts(
            planner: planner,
            limit: 10,
            leaseDuration: RolloutFixtures.lease,
            now: now
        )
        try #require(claimed.count == 1, "how many rollouts can be claimed")
        return claimed[0].rollout
    }

    /// Writes a shard.
    func rollOut(
        _ shard: RolloutPage,
        by planner: WorkerID = RolloutFixtures.planner,
        now: Date = StoreFixtures.now
    ) async throws -> ActivityRollout {
        try await self.rollOut(shard, planner: planner, leaseDuration: RolloutFixtures.lease, now: now)
    }

    /// The only rollout of the sample lesson.
    func rollout() async throws -> ActivityRollout {
        let rollouts = try await self.rollouts(of: ActivityFixtures.lesson, app: StoreFixtures.app)
        try #require(rollouts.count == 1, "how many rollouts there are")
        return rollouts[0]
    }
}
