// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

extension CampaignFanOut {
    /// Failures that are to be read, and the bad tokens among them planned for the other environment.
    public struct RecheckOrder: Hashable, Sendable {
        /// The failure behind which to begin; `nil` begins at the first.
        public let after: APNsID?

        public let limit: Int

        /// When they may be sent to; `nil` means at once.
        public let sendAt: Date?
    }

    /// The most failures that are looked at in one step.
    private static let maximumFailures = 1000

    /// Decides the next step of a token validation after its waves.
    func nextOfTokenValidation(now: Date, pace: FanOutLimits, backlog: CampaignBacklog) -> Step {
        guard let recheck else { return .done }
        switch recheck.phase {
        case .checking, .settling: return backlog.targets == 0 ? .review : .waitForRoom
        case .checkingOtherEnvironment:
            let limit = min(pace.limit, Self.maximumFailures)
            return self.whenThereIsRoom(now: now, pace: pace, backlog: backlog) { sendAt in
                .recheck(RecheckOrder(after: recheck.place, limit: limit, sendAt: sendAt))
            }
        case .fixing: return .fix(after: recheck.fixedBatch ?? recheck.lastBatch)
        case .completed: return .done
        }
    }

    /// Continues the token validation when every enqueued device has its outcome.
    ///
    /// - Returns: the plan after the step; `nil` if outcomes are missing.
    public func reviewing(_ counts: OutcomeCounts, for validation: TokenValidation) -> CampaignFanOut? {
        guard var recheck, counts.total >= self.plannedTargets else { return nil }
        switch recheck.phase {
        case .checking:
            recheck.first = counts
            recheck.lastBatch = self.lastBatch
            recheck.phase = counts.rejected[.badDeviceToken] == nil ? .completed : .checkingOtherEnvironment
        case .settling:
            let accepted = counts.delivered.subtractingClamping(recheck.first?.delivered ?? 0)
            recheck.phase = validation.fixesEnvironment && accepted > 0 ? .fixing : .completed
        case .checkingOtherEnvironment, .fixing, .completed: return nil
        }
        return self.with(recheck)
    }

    /// Plans the bad tokens among failures for the other environment: a step further, with the batch of these.
    ///
    /// - Throws: `InvalidValueError` when the message cannot be sent for its app.
    public func rechecking(
        _ failures: [TargetOutcome],
        isLast: Bool,
        of order: RecheckOrder,
        for campaign: Campaign,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws -> FanOutStep {
        guard var recheck, let lastBatch = recheck.lastBatch else {
            return FanOutStep(campaign: campaign.id, plan: self)
        }
        // The outcomes in the other environment come after all of these.
        let own = failures.prefix { BatchID.locate($0.apnsID).batch <= lastBatch }
        var targets = TargetList()
        for failure in own where failure.outcome == .rejected(Rejection(.badDeviceToken)) {
            targets.append(failure.target.inOtherEnvironment)
        }
        recheck.place = own.last?.apnsID ?? recheck.place
        recheck.planned.add(clamping: targets.count)
        if isLast || own.count < failures.count { recheck.phase = .settling }
        var plan = self.with(recheck)
        guard !targets.isEmpty else { return FanOutStep(campaign: campaign.id, plan: plan) }
        if let rate = campaign.rate, let sendAt = order.sendAt {
            plan.paceAt = sendAt.addingTimeInterval(Double(targets.count) / rate)
        }
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let headers = try campaign.message.headers(for: campaign.app, sentAt: order.sendAt ?? now)
        let batches = plan.drawIDs(1, now: now, using: &generator).map { id in
            Batch(
                id: id,
                notification: campaign.id.notification,
                ordinal: plan.nextOrdinal,
                app: campaign.app,
                lane: .bulk,
                headers: headers,
                payload: .shared(campaign.message.fallback.source),
                targets: targets,
                createdAt: now,
                expiresAt: campaign.expiresAt
            )
        }
        plan.nextOrdinal.add(clamping: 1)
        let planned = batches.map { ScheduledBatch(batch: $0, sendAt: order.sendAt) }
        return FanOutStep(campaign: campaign.id, plan: plan, batches: planned)
    }

    /// The devices of some batches were fixed.
    ///
    /// `batch` is the last of these; `nil` when none was left. `count` is the number of the devices.
    public func fixing(through batch: BatchID?, count: Int) -> CampaignFanOut {
        guard var recheck else { return self }
        recheck.fixedBatch = batch ?? recheck.fixedBatch
        recheck.fixed.add(clamping: count)
        if batch == nil { recheck.phase = .completed }
        return self.with(recheck)
    }

    private func with(_ recheck: EnvironmentRecheck) -> CampaignFanOut {
        var plan = self
        plan.revision.add(clamping: 1)
        plan.recheck = recheck
        return plan
    }
}
