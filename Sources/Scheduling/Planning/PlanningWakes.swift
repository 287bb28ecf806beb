// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// Wakes the campaigns that are being planned.
final class PlanningWakes: Sendable {
    private let campaigns = Mutex<[CampaignID: AsyncStream<Void>.Continuation]>([:])

    /// Whether a campaign is being planned.
    func isPlanning(_ campaign: CampaignID) -> Bool { self.campaigns.withLock { $0[campaign] != nil } }

    /// A campaign begins to be planned.
    ///
    /// - Returns: when to look for more to plan, once at the beginning, and what adds to that; `nil` when the campaign
    ///   is being planned already.
    func begin(_ campaign: CampaignID) -> (stream: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation)? {
        let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wake.yield()
        return self.campaigns.withLock { campaigns in
            guard campaigns[campaign] == nil else { return nil }
            campaigns[campaign] = wake
            return (stream, wake)
        }
    }

    /// A campaign is not planned any more.
    func end(_ campaign: CampaignID) {
        let wake = self.campaigns.withLock { $0.removeValue(forKey: campaign) }
        wake?.finish()
    }

    /// Something of a campaign has changed.
    func wake(_ campaign: CampaignID) {
        let wake = self.campaigns.withLock { $0[campaign] }
        wake?.yield()
    }

    /// Something may have changed of any campaign.
    func wakeAll() {
        for wake in self.campaigns.withLock({ Array($0.values) }) { wake.yield() }
    }
}
