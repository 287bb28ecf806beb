// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds out what is told of a campaign beside its numbers: how fast it goes, and what it waits for.
struct ProgressReader: Sendable {
    /// What is due by then is as good as being sent: a throttled campaign waits for a moment again and again.
    private static let moment: TimeInterval = 5

    let store: any PushStore
    let now: @Sendable () -> Date
    private let meter = ProgressMeter()

    init(store: any PushStore, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.now = now
    }

    /// How fast a campaign goes: of late, or on average where it was not looked at shortly before.
    func perSecond(_ status: CampaignStatus) -> Double? {
        let now = self.now()
        return self.meter.perSecond(status, now: now) ?? status.perSecond(now: now)
    }

    /// What is in the way of a campaign that runs.
    func waitingFor(_ status: CampaignStatus) async throws -> [DeliveryPause] {
        guard status.lifecycle.state == .running, status.underWay > 0 else { return [] }
        return try await self.store.pauses(holdingUp: status.campaign.id.notification, now: self.now())
    }

    /// Until when all that is left of a campaign, or of what a screening does now, waits, as APNs asked.
    func deferral(_ status: CampaignStatus) async throws -> Date? {
        guard status.lifecycle.state == .running, status.lifecycle.plan?.isWaitingForOutcomes == true,
            status.underWay > 0
        else { return nil }
        let soon = self.now().addingTimeInterval(Self.moment)
        return try await self.store.nextTurn(of: status.campaign.id.notification, after: soon)
    }

    /// How far a campaign has come, as it is written.
    func progress(_ status: CampaignStatus) async throws -> ProgressBody {
        ProgressBody(
            status,
            perSecond: self.perSecond(status),
            now: self.now(),
            waitingFor: try await self.waitingFor(status),
            deferredUntil: try await self.deferral(status)
        )
    }
}
