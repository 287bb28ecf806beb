// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Database {
    /// A campaign was created, or has changed from a state: signals that, and appends the event of its new state.
    ///
    /// Nothing is appended where the state is the same.
    func note(
        _ row: CampaignRow,
        from former: CampaignState?,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let campaign = row.campaign
        changes.append(.campaignChanged(campaign.id))
        guard let event = EventDraft.campaign(campaign, row.lifecycle, from: former, time: now) else { return }
        try self.append(event, app: self.requiredNumber(of: campaign.app), signalling: &changes)
    }

    /// The campaign of that id; `nil` when there is none, or what was stored of it is damaged.
    ///
    /// A damaged campaign must not keep its batches from being settled.
    func readableCampaign(_ id: CampaignID) throws -> CampaignRow? {
        do {
            return try self.campaign(id)
        } catch let error as StoreError where error.code == .corrupt {
            return nil
        }
    }
}
