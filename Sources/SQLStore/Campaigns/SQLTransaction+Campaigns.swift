// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension SQLTransaction {
    /// Adds a campaign with the notification that it sends.
    func create(_ campaign: Campaign, app: Int64) throws {
        let row = CampaignRow(campaign)
        try self.insert(row, app: app)
        self.report(row, from: nil, app: app, now: campaign.createdAt)
    }

    /// Signals that a campaign was created or has changed, and appends the event of its state if that is new.
    func report(_ row: CampaignRow, from former: CampaignState?, app: Int64, now: Date) {
        self.signal(.campaignChanged(row.campaign.id))
        let event = EventDraft.campaign(row.campaign, row.lifecycle, from: former, time: now)
        if let event { self.append(event, app: app) }
    }
}
