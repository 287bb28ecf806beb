// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let steering = [
        Check("a paused campaign is neither planned nor sent until it is resumed") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign()
            let plan = try await store.run(campaign, targets: 3, isLast: false)
            let paused = try await store.pauseCampaign(campaign.id, now: StoreSamples.after(1))
            try expectEqual(paused?.lifecycle.state, .paused, "the state")
            try expectEqual(try await store.claim(.bulk, now: StoreSamples.after(100)).count, 0, "what can be claimed")
            try expectEqual(
                try await store.claimCampaigns(now: StoreSamples.after(100)).count,
                0,
                "what can be planned"
            )
            try await expectError(.leaseLost, "a step of its planner") {
                try await store.advance(try CampaignSamples.step(campaign, plan, targets: 3..<5))
            }
            let repeated = try await store.pauseCampaign(campaign.id, now: StoreSamples.after(2))
            try expectEqual(repeated?.lifecycle.state, .paused, "the state when it is paused again")
            let resumed = try await store.resumeCampaign(campaign.id, now: StoreSamples.after(100))
            try expectEqual(resumed?.lifecycle.state, .running, "the state when it is resumed")
            let claimed = try await store.claim(.bulk, now: StoreSamples.after(100))
            try expectEqual(claimed.map(\.batch.targets.count), [3], "the batches")
            let planned = try await store.claimCampaigns(now: StoreSamples.after(100))
            try expectEqual(planned.first?.plan?.planned, 3, "the plan")
        },
        Check("what is being sent when a campaign is paused has its outcome, and only the rest is paused") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign()
            _ = try await store.run(campaign, targets: 5)
            let claimed = try require(try await store.claim(.bulk).first, "the batch")
            _ = try await store.pauseCampaign(campaign.id, now: StoreSamples.after(1))
            try expectEqual(try await store.halted(among: [claimed.batch.id]), [claimed.batch.id], "what is halted")
            try await store.settle(Settlement(of: claimed, range: 0..<2, failures: []), now: StoreSamples.after(1))
            try await store.release(claimed.batch.id, worker: claimed.worker, now: StoreSamples.now)
            try expectEqual(try await store.claim(.bulk, now: StoreSamples.after(100)).count, 0, "what can be claimed")
            let status = try await store.status(of: campaign)
            try expectEqual(status.counts, OutcomeCounts(delivered: 2), "the counts")
            try expectEqual(status.underWay, 3, "what is under way")
            _ = try await store.resumeCampaign(campaign.id, now: StoreSamples.after(100))
            let again = try require(try await store.claim(.bulk, now: StoreSamples.after(100)).first, "the batch again")
            try expectEqual(again.cursor, 2, "the cursor")
            try await store.settle(Settlement(of: again, range: 2..<5, failures: []), now: StoreSamples.after(101))
            try expectEqual(try await store.status(of: campaign).lifecycle.state, .finished, "the state")
        },
        Check("a throttled campaign is resumed at its rate") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign(throttle: 10)
            let plan = try await store.run(campaign, targets: 10, isLast: false, sendAt: StoreSamples.after(0.5))
            let step = try CampaignSamples.step(
                campaign,
                plan,
                targets: 10..<15,
                isLast: true,
                sendAt: StoreSamples.after(1.5)
            )
            try await store.advance(step)
            _ = try await store.pauseCampaign(campaign.id, now: StoreSamples.now)
            _ = try await store.resumeCampaign(campaign.id, now: StoreSamples.after(100))
            let first = try await store.claim(.bulk, now: StoreSamples.after(100.9))
            try expectEqual(first.map(\.batch.targets.count), [10], "the first batch")
            let second = try await store.claim(.bulk, now: StoreSamples.after(101))
            try expectEqual(second.map(\.batch.targets.count), [5], "the second batch, when the first has had its time")
        },
        Check("a cancelled campaign is called off for good, with what was planned of it") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign()
            _ = try await store.run(campaign, targets: 4, isLast: false)
            var changes = store.changes().makeAsyncIterator()
            let cancelled = try await store.cancelCampaign(campaign.id, now: StoreSamples.after(1))
            try expectEqual(cancelled?.lifecycle.state, .cancelled, "the state")
            try expectEqual(cancelled?.counts, OutcomeCounts(failed: [.cancelled: 4]), "the counts")
            try expectEqual(cancelled?.isSettled, true, "whether it is settled")
            let settled = StoreChange.notificationSettled(campaign.id.notification)
            try expectEqual(await changes.nextEvent(), settled, "the first signal")
            try expectEqual(await changes.nextEvent(), .campaignChanged(campaign.id), "the second signal")
            try expectEqual(
                try await store.claimCampaigns(now: StoreSamples.after(100)).count,
                0,
                "what can be planned"
            )
            let resumed = try await store.resumeCampaign(campaign.id, now: StoreSamples.after(100))
            try expectEqual(resumed?.lifecycle.state, .cancelled, "the state when it is resumed")
            let none = CampaignID(now: StoreSamples.now)
            try expectEqual(try await store.cancelCampaign(none, now: StoreSamples.now), nil, "cancelling none")
        },
        Check("a campaign that is cancelled while it is paused ends at once, one without batches too") { store in
            try await store.addSampleApp()
            let campaign = try CampaignSamples.campaign()
            _ = try await store.run(campaign, targets: 4)
            _ = try await store.pauseCampaign(campaign.id, now: StoreSamples.after(1))
            let cancelled = try await store.cancelCampaign(campaign.id, now: StoreSamples.after(2))
            try expectEqual(cancelled?.counts, OutcomeCounts(failed: [.cancelled: 4]), "the counts")
            let early = try CampaignSamples.campaign(start: .at(StoreSamples.after(1000)))
            try await store.createCampaign(early)
            _ = try await store.cancelCampaign(early.id, now: StoreSamples.after(2))
            let notification = try require(try await store.notification(early.id.notification), "the notification")
            try expect(notification.isDone, "its notification is not done")
        },
    ]
}
