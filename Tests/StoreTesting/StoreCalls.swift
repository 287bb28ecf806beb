// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import PushModel
package import PushStore

extension ActivityQueue {
    /// Carries out what is due of any activity; see ``carryOutTransitions(limit:only:now:)``.
    package func carryOutTransitions(limit: Int, now: Date) async throws -> TransitionReport {
        try await self.carryOutTransitions(limit: limit, only: nil, now: now)
    }
}

extension ActivityStore {
    /// Stores an activity and nothing for repetitions; see
    /// ``createActivity(_:startingOn:rollingOut:planning:now:noting:)``.
    package func createActivity(
        _ activity: Activity,
        startingOn installations: [DeviceID],
        rollingOut rollout: ActivityRollout? = nil,
        planning plans: [NewTransition] = [],
        now: Date
    ) async throws -> ActivityUpdateResult {
        try await self.createActivity(
            activity,
            startingOn: installations,
            rollingOut: rollout,
            planning: plans,
            now: now,
            noting: nil
        )
    }

    /// Starts an activity on more phones and stores nothing for repetitions; see
    /// ``start(on:rollingOut:activity:of:now:noting:)``.
    package func start(
        on installations: [DeviceID],
        rollingOut rollout: ActivityRollout? = nil,
        activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> ActivityUpdateResult? {
        try await self.start(on: installations, rollingOut: rollout, activity: activity, of: app, now: now, noting: nil)
    }

    /// Changes activities and stores nothing for repetitions; see ``change(_:of:now:noting:)``.
    package func change(_ orders: [ActivityUpdate], of app: AppID, now: Date) async throws -> [ActivityUpdateOutcome] {
        try await self.change(orders, of: app, now: now, noting: nil)
    }
}

extension BatchQueue {
    /// Leases batches to a worker, the oldest first, whatever their kind.
    package func claim(
        lane: Lane,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [ClaimedBatch] {
        let room = ClaimLimits(total: limit, perKind: limit)
        return try await self.claim(lane: lane, room: room, worker: worker, leaseDuration: leaseDuration, now: now)
            .batches
    }
}

extension CampaignStore {
    /// Stores a campaign and nothing else; see ``createCampaign(_:noting:)``.
    package func createCampaign(_ campaign: Campaign) async throws {
        try await self.createCampaign(campaign, noting: nil)
    }
}

extension StoreChangeSource {
    /// All changes from now on.
    package func changes() -> AsyncStream<StoreChange> { self.changes { _ in true } }
}

extension TopicStore {
    /// Makes a topic unless there is one of that name, whatever that is like.
    package func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        now: Date
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        try await self.createTopic(name, attributes: attributes, tags: tags, for: app, now: now, checking: nil)
    }
}
