// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a screening does once all of its devices were planned.
extension CampaignRun {
    /// How many batches are looked at in one step of correcting devices.
    private static let correctedBatches = 10

    /// Goes on when all that was planned has its outcome.
    ///
    /// - Returns: the plan behind the step; `nil` as long as outcomes are missing.
    func review(_ plan: CampaignPlan) async throws -> CampaignPlan? {
        guard let screening = self.campaign.screening,
            let status = try await self.context.store.campaign(self.campaign.id),
            let reviewed = plan.reviewing(status.counts, for: screening)
        else { return nil }
        try await self.store(CampaignStep(campaign: self.campaign.id, plan: reviewed))
        return reviewed
    }

    /// Reads failures and plans the bad tokens among them for the other environment.
    func recheck(_ order: CampaignPlan.RecheckOrder, of plan: CampaignPlan) async throws -> CampaignPlan {
        let failures = try await self.context.store.failures(
            of: self.campaign.id.notification,
            after: order.after,
            limit: order.limit
        )
        var generator = SystemRandomNumberGenerator()
        let step = try plan.rechecking(
            failures.elements,
            isLast: failures.next == nil,
            of: order,
            for: self.campaign,
            now: self.context.now(),
            using: &generator
        )
        try await self.store(step)
        return step.plan
    }

    /// Corrects the devices whose token was accepted in the other environment, some batches further.
    ///
    /// If the plan cannot be stored behind that, the same batches are looked at again, which changes and counts nothing
    /// twice.
    func correct(after former: BatchID?, of plan: CampaignPlan) async throws -> CampaignPlan {
        let store = self.context.store
        let status = try await store.notification(self.campaign.id.notification)
        let batches = (status?.batches ?? []).map(\.id).filter { batch in former.map { batch > $0 } ?? true }
            .prefix(Self.correctedBatches)
        let outcomes = try await store.outcomes(of: Array(batches))
        var corrected = 0
        for id in batches {
            guard let batch = try await store.batch(id), let outcomes = outcomes[id] else { continue }
            let accepted = batch.targets.enumerated().filter { outcomes.outcome(at: $0.offset) == .delivered }
            corrected += try await store.correctEnvironments(
                accepted.map(\.element),
                of: self.campaign.app,
                registeredUntil: self.campaign.planningTime
            )
        }
        let next = plan.correcting(through: batches.last, count: corrected)
        try await self.store(CampaignStep(campaign: self.campaign.id, plan: next))
        return next
    }
}
