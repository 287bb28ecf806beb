// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel
package import PushStore
import Testing

/// The campaigns of the tests.
package enum CampaignFixtures {
    package static let planner: WorkerID = "planner-1"
    package static let otherPlanner: WorkerID = "planner-2"
    package static let lease: Duration = .seconds(15)

    package static func campaign(
        app: AppID = StoreFixtures.app,
        audience: Audience = .all,
        start: CampaignStart = .now,
        ratePerSecond: Int? = nil,
        expiresAt: Date? = nil,
        startsPaused: Bool = false,
        now: Date = StoreFixtures.now
    ) throws -> Campaign {
        Campaign(
            id: CampaignID(now: now),
            app: app,
            name: "Été 夏",
            audience: audience,
            message: CampaignMessage(
                priority: .powerConsiderate,
                timeToLive: 60,
                collapseID: try CollapseID("score"),
                fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"寿司 {{tags.name|🍣}}"}}"#)),
                variants: ["de": try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"Hallo"}}"#))]
            ),
            start: start,
            ratePerSecond: ratePerSecond,
            expiresAt: expiresAt,
            startsPaused: startsPaused,
            createdAt: now
        )
    }

    package static func tokenValidation(now: Date = StoreFixtures.now) throws -> Campaign {
        try Campaign(
            id: CampaignID(now: now),
            app: StoreFixtures.app,
            name: "token validation",
            audience: .all,
            tokenValidation: TokenValidation(durationSeconds: 1000, devices: 300, fixesEnvironment: true),
            start: .now,
            createdAt: now
        )
    }

    /// A plan of one wave.
    package static func plan(_ campaign: Campaign) -> CampaignFanOut {
        CampaignFanOut(waves: [CampaignFanOut.Wave(due: campaign.planningTime, zones: .any)], lastPlace: .max)
    }

    /// The step that plans so many targets as one batch, and all there are when it is the last.
    package static func step(
        _ campaign: Campaign,
        _ plan: CampaignFanOut,
        targets range: Range<Int>,
        isLast: Bool = false,
        sendAt: Date? = nil,
        now: Date = StoreFixtures.now
    ) throws -> FanOutStep {
        let limit = range.count + (isLast ? 1 : 0)
        let pace = FanOutLimits(ratePerSecond: sendAt == nil ? nil : Double(max(1, limit * 10)), shardSize: limit)
        let next = plan.next(now: sendAt ?? now, pace: pace, backlog: CampaignBacklog())
        let read: CampaignFanOut.Order? = if case .read(let order) = next { order } else { nil }
        let order = try #require(read, "the plan came to \(next)")
        let members = try range.map { AudienceDevice(place: Int64($0) + 1, target: try StoreFixtures.target($0)) }
        var generator = SystemRandomNumberGenerator()
        return try plan.planning(members, of: order, for: campaign, now: now, using: &generator)
    }
}

extension CampaignStore {
    /// Claims all campaigns.
    package func claimCampaigns(
        by planner: WorkerID = CampaignFixtures.planner,
        now: Date = StoreFixtures.now
    ) async throws -> [StoredCampaign] {
        try await self.claimCampaigns(planner: planner, limit: 10, leaseDuration: CampaignFixtures.lease, now: now)
    }

    /// Stores a step.
    package func advance(
        _ step: FanOutStep,
        by planner: WorkerID = CampaignFixtures.planner,
        now: Date = StoreFixtures.now
    ) async throws {
        try await self.advance(step, planner: planner, leaseDuration: CampaignFixtures.lease, now: now)
    }

    /// Creates a campaign and plans targets as one batch, and more of them after that where `isLast` is false.
    package func run(
        _ campaign: Campaign,
        targets: Int,
        isLast: Bool = true,
        sendAt: Date? = nil
    ) async throws -> CampaignFanOut {
        try await self.createCampaign(campaign)
        _ = try await self.claimCampaigns()
        let plan = CampaignFixtures.plan(campaign)
        try await self.advance(FanOutStep(campaign: campaign.id, plan: plan))
        let step = try CampaignFixtures.step(campaign, plan, targets: 0..<targets, isLast: isLast, sendAt: sendAt)
        try await self.advance(step)
        return step.plan
    }

    /// How far a campaign has come.
    package func status(of campaign: Campaign) async throws -> CampaignStatus {
        try #require(try await self.campaign(campaign.id), "the campaign")
    }
}
