// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import Scheduling
import StoreTesting
import Testing

@Suite("A campaign that is stuck", .timeLimit(.minutes(20)))
struct StuckCampaignTests {
    /// Waits until so many devices of a campaign are planned and have no outcome.
    private static func wait(
        for count: Int,
        of campaign: Campaign,
        on stage: SchedulingStage,
        _ changes: AsyncStream<StoreChange>
    ) async throws {
        for await change in changes {
            guard case .batchReady = change, try await stage.status(of: campaign).inFlight == count else { continue }
            return
        }
    }

    @Test(
        "keeps no other from being planned, however few are planned at once, and goes on when it can",
        arguments: TestStoreBackend.allCases
    )
    func others(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.campaigns = 1
            stage.configuration.shardSize = 10
            stage.configuration.maxEnqueuedTargets = 20
            try await stage.register(0..<60)
            let campaigns = try (0..<3).map { _ in try stage.campaign() }
            let changes = stage.store.changes()
            try await stage.plan { [stage] in
                // Nothing is sent: each has planned what it may, and waits for that while it has its lease.
                for campaign in campaigns {
                    try await stage.store.createCampaign(campaign)
                    try await Self.wait(for: 20, of: campaign, on: stage, changes)
                }
                for campaign in campaigns { #expect(try await stage.status(of: campaign).lifecycle.planner != nil) }
                // What is settled wakes all of them at once, and they take turns.
                var open = Set(campaigns.map(\.id.notification))
                var tokens = try await stage.deliverReady()
                for await change in changes {
                    if case .batchReady = change { tokens += try await stage.deliverReady() }
                    if case .notificationSettled(let id) = change { open.remove(id) }
                    if open.isEmpty { break }
                }
                #expect(tokens.count == 180)
                #expect(Set(tokens).count == 60)
            }
            for campaign in campaigns { #expect(try await stage.status(of: campaign).lifecycle.state == .completed) }
        }
    }

    @Test(
        "by its rate limit keeps no other from being planned, and is woken in time for its turns",
        arguments: TestStoreBackend.allCases
    )
    func throttled(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.campaigns = 1
            // Nothing but its turns wakes it.
            stage.configuration.planInterval = .seconds(3600)
            stage.configuration.leaseDuration = .seconds(3600)
            stage.configuration.pollInterval = .seconds(3600)
            stage.configuration.shardSize = 1
            try await stage.register(0..<60)
            // Ten a second: a turn each tenth of one.
            let slow = try stage.campaign(ratePerSecond: 10)
            let other = try stage.campaign()
            let changes = stage.store.changes()
            let watched = StepStore(stage.store)
            try await stage.store.createCampaign(slow)
            try await stage.plan(on: watched) { [stage] in
                for await change in changes { if case .batchReady = change { break } }
                try await stage.store.createCampaign(other)
                try await Self.wait(for: 60, of: other, on: stage, changes)
                try await stage.clock.pass(upTo: .seconds(600), alsoAdvancing: stage.now) {
                    while true {
                        let step = try await watched.steps.nextElement().step
                        _ = try await stage.deliverReady()
                        if step.campaign == slow.id, step.plan.isRead { return }
                    }
                }
            }
            let turns = try await stage.store.notification(slow.id.notification)?.batches.count
            #expect(turns == 60)
        }
    }
}
