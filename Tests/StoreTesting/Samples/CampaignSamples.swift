// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel
package import PushStore
import Testing

/// The campaigns of the tests.
package enum CampaignSamples {
    package static let planner: WorkerID = "planner-1"
    package static let otherPlanner: WorkerID = "planner-2"
    package static let lease: Duration = .seconds(15)

    package static func campaign(
        app: AppID = StoreSamples.app,
        audience: Audience = .all,
        start: CampaignStart = .now,
        throttle: Int? = nil,
        expiresAt: Date? = nil,
        startsPaused: Bool = false,
        now: Date = StoreSamples.now
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
            throttle: throttle,
            expiresAt: expiresAt,
            startsPaused: startsPaused,
            createdAt: now
        )
    }

    package static func screening(now: Date = StoreSamples.now) throws -> Campaign {
        try Campaign(
            id: CampaignID(now: now),
            app: StoreSamples.app,
            name: "screening",
            audience: .all,
            screening: Screening(spreadSeconds: 1000, devices: 300, correctsDevices: true),
            start: .now,
            createdAt: now
        )
    }

    /// A plan of one wave.
    package static func plan(_ campaign: Campaign) -> CampaignPlan {
        CampaignPlan(waves: [CampaignPlan.Wave(due: campaign.planningTime, zones: .any)], lastPlace: .max)
    }

    /// The step that plans so many targets as one batch, and all there are when it is the last.
    package static func step(
        _ campaign: Campaign,
        _ plan: CampaignPlan,
        targets range: Range<Int>,
        isLast: Bool = false,
        sendAt: Date? = nil,
        now: Date = StoreSamples.now
    ) throws -> CampaignStep {
        let limit = range.count + (isLast ? 1 : 0)
        let pace = CampaignPace(throttle: sendAt == nil ? nil : Double(max(1, limit * 10)), shardSize: limit)
        let next = plan.next(now: sendAt ?? now, pace: pace, backlog: CampaignBacklog())
        let read: CampaignPlan.Order? = if case .read(let order) = next { order } else { nil }
        let order = try #require(read, "the plan came to \(next)")
        let members = try range.map { AudienceMember(place: Int64($0) + 1, target: try StoreSamples.target($0)) }
        var generator = SystemRandomNumberGenerator()
        return try plan.planning(members, of: order, for: campaign, now: now, using: &generator)
    }
}

extension CampaignStore {
    /// Claims all campaigns.
    package func claimCampaigns(
        by planner: WorkerID = CampaignSamples.planner,
        now: Date = StoreSamples.now
    ) async throws -> [StoredCampaign] {
        try await self.claimCampaigns(planner: planner, limit: 10, leaseDuration: CampaignSamples.lease, now: now)
    }

    /// Stores a step.
    package func advance(
        _ step: CampaignStep,
        by planner: WorkerID = CampaignSamples.planner,
        now: Date = StoreSamples.now
    ) async throws {
        try await self.advance(step, planner: planner, leaseDuration: CampaignSamples.lease, now: now)
    }

    /// Creates a campaign and plans targets as one batch, and more of them after that where `isLast` is false.
    package func run(
        _ campaign: Campaign,
        targets: Int,
        isLast: Bool = true,
        sendAt: Date? = nil
    ) async throws -> CampaignPlan {
        try await self.createCampaign(campaign)
        _ = try await self.claimCampaigns()
        let plan = CampaignSamples.plan(campaign)
        try await self.advance(CampaignStep(campaign: campaign.id, plan: plan))
        let step = try CampaignSamples.step(campaign, plan, targets: 0..<targets, isLast: isLast, sendAt: sendAt)
        try await self.advance(step)
        return step.plan
    }

    /// How far a campaign has come.
    package func status(of campaign: Campaign) async throws -> CampaignStatus {
        try #require(try await self.campaign(campaign.id), "the campaign")
    }
}
