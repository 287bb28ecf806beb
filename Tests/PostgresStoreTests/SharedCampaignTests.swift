// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PostgresStore
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Processes that share a PostgreSQL database's campaigns", .timeLimit(.minutes(20)))
struct SharedCampaignTests {
    @Test("a planner that paused beyond its lease adds nothing to what another one plans")
    func pausedPlanner() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let campaign = try CampaignFixtures.campaign()
            let plan = try await store.run(campaign, targets: 3, isLast: false)
            let late = try CampaignFixtures.step(campaign, plan, targets: 3..<5, isLast: true)
            try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                let now = StoreFixtures.now.addingTimeInterval(16)
                let claimed = try await other.claimCampaigns(by: CampaignFixtures.otherPlanner, now: now)
                #expect(claimed.map(\.lifecycle.plan) == [plan])
                #expect(try await storeError { try await store.advance(late) }?.code == .leaseLost)
                let step = try CampaignFixtures.step(campaign, plan, targets: 3..<9, isLast: true, now: now)
                try await other.advance(step, by: CampaignFixtures.otherPlanner, now: now)
                let backlog = try await storeError {
                    try await store.backlog(
                        of: campaign.id,
                        planner: CampaignFixtures.planner,
                        leaseDuration: .seconds(15),
                        now: now
                    )
                }
                #expect(backlog?.code == .leaseLost)
                try await store.release(
                    campaign.id,
                    planner: CampaignFixtures.planner,
                    as: .failed(reason: "late"),
                    now: now
                )
            }
            let status = try #require(try await store.campaign(campaign.id))
            #expect(status.lifecycle.state == .running)
            #expect(status.enqueued == 9)
            let contents = try await database.execute("SELECT count(*) FROM apus.batch_contents")
            #expect(contents == ["2"], "what the late planner wrote is still there")
        }
    }

    @Test("a campaign that is paused, resumed and cancelled while it is sent counts every target exactly once")
    func steeredWhileSent() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            for _ in 0..<5 {
                let campaign = try CampaignFixtures.campaign()
                try await store.createCampaign(campaign)
                _ = try await store.claimCampaigns()
                let batches = 20
                let settled = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<3 {
                        group.addTask {
                            try await Self.send(
                                database.url,
                                as: WorkerID(unchecked: "worker-\(number)"),
                                until: campaign.id
                            )
                        }
                    }
                    group.addTask {
                        try await Self.plan(campaign, batches: batches, in: store)
                        return 0
                    }
                    group.addTask {
                        try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { other in
                            for _ in 0..<5 {
                                _ = try await other.pauseCampaign(campaign.id, now: StoreFixtures.now)
                                _ = try await other.resumeCampaign(campaign.id, now: StoreFixtures.now)
                            }
                            _ = try await other.cancelCampaign(campaign.id, now: StoreFixtures.now)
                        }
                        return 0
                    }
                    return try await group.reduce(0, +)
                }
                let status = try #require(try await store.campaign(campaign.id))
                #expect(status.lifecycle.state == .cancelled)
                let notification = try #require(try await store.notification(campaign.id.notification))
                #expect(notification.isDone)
                #expect(status.counts.delivered == settled)
                #expect(status.counts.total == notification.notification.targetCount)
                let open = try await database.execute(
                    "SELECT DISTINCT open_batches FROM apus.notifications"
                )
                #expect(open == ["0"])
            }
        }
    }

    /// Plans batches of 10 targets as long as the campaign goes on.
    private static func plan(_ campaign: Campaign, batches: Int, in store: PostgresStore) async throws {
        var planned = 0
        var plan = CampaignFixtures.plan(campaign)
        var isNew = true
        while planned < batches {
            try Task.checkCancellation()
            let step =
                isNew
                ? FanOutStep(campaign: campaign.id, plan: plan)
                : try CampaignFixtures.step(campaign, plan, targets: planned * 10..<planned * 10 + 10)
            do {
                try await store.advance(step)
                plan = step.plan
                if !isNew { planned += 1 }
                isNew = false
            } catch let error as StoreError where error.code == .leaseLost {
                // Paused: resumed, it is claimed again with the plan as it stands.
                guard let status = try await store.campaign(campaign.id), !status.lifecycle.state.isFinal else {
                    return
                }
                guard let claimed = try await store.claimCampaigns().first else { continue }
                isNew = claimed.lifecycle.plan == nil
                plan = claimed.lifecycle.plan ?? plan
            }
        }
    }

    /// Settles whatever can be claimed until the campaign has ended and nothing of it is left.
    ///
    /// - Returns: how many targets were sent to.
    private static func send(_ url: String, as worker: WorkerID, until campaign: CampaignID) async throws -> Int {
        try await withPostgresStore(configuration: .inTest(url), logger: .silent) { store in
            var sent = 0
            while true {
                try Task.checkCancellation()
                let claimed = try await store.claim(.bulk, limit: 2, by: worker)
                for claim in claimed {
                    let halted = try await store.halted(among: [claim.batch.id])
                    if halted.isEmpty {
                        let rest = claim.cursor..<claim.batch.targets.count
                        let settlement = Settlement(of: claim, range: rest, failures: [])
                        _ = try await store.settle(settlement, now: StoreFixtures.now)
                        sent += rest.count
                    } else {
                        _ = try await store.release(claim.batch.id, worker: worker, now: StoreFixtures.now)
                    }
                }
                let isOver = try await store.notification(campaign.notification)?.isDone == true
                if claimed.isEmpty, isOver { return sent }
            }
        }
    }

    @Test("a corrupt campaign fails with a reason instead of being claimed for ever, and the others are still claimed")
    func damaged() async throws {
        try await withTemporaryStore { store, database in
            try await store.addSampleApp()
            let damaged = try CampaignFixtures.campaign()
            let sound = try CampaignFixtures.campaign()
            try await store.createCampaign(damaged)
            try await store.createCampaign(sound)
            try await database.execute("UPDATE apus.campaigns SET definition = '{}' WHERE id = '\(damaged.id)'")
            #expect(try await store.claimCampaigns().map(\.campaign) == [sound])
            #expect(try await store.notification(damaged.id.notification)?.isDone == true)
            let later = StoreFixtures.now.addingTimeInterval(60)
            #expect(try await store.claimCampaigns(now: later).map(\.campaign) == [sound])
        }
    }
}
