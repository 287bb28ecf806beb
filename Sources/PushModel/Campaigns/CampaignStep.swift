// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One step of planning, stored in one transaction: the plan behind it, and the batches that it adds.
public struct CampaignStep: Hashable, Sendable {
    /// The campaign.
    public let campaign: CampaignID

    /// The plan, one revision above what is stored.
    public let plan: CampaignPlan

    /// The batches; none when only the plan changes.
    public let batches: [PlannedBatch]

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - plan: the plan behind the step.
    ///   - batches: the batches that it adds.
    public init(campaign: CampaignID, plan: CampaignPlan, batches: [PlannedBatch] = []) {
        self.campaign = campaign
        self.plan = plan
        self.batches = batches
    }
}

/// A batch of a campaign, and when it is sent.
public struct PlannedBatch: Hashable, Sendable {
    /// The batch.
    public let batch: Batch

    /// Nobody claims it before; `nil` means that it is sent at once.
    public let sendAt: Date?

    /// Why it is not sent at all; `nil` for those that are.
    public let failure: FailureCode?

    /// Describes a batch of a campaign.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - sendAt: nobody claims it before.
    ///   - failure: why it is not sent at all, or `nil`.
    public init(batch: Batch, sendAt: Date? = nil, failure: FailureCode? = nil) {
        self.batch = batch
        self.sendAt = sendAt
        self.failure = failure
    }

    /// The batch's lifecycle when it is stored.
    public var lifecycle: BatchLifecycle {
        let state: BatchState =
            if let failure { .failed(failure) } else if let sendAt { .waiting(until: sendAt) } else { .pending }
        return BatchLifecycle(state: state, targetCount: self.batch.targets.count, expiresAt: self.batch.expiresAt)
    }
}
