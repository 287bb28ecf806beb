// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore

extension PostgresConnection {
    func makeActivities() -> any SQLActivities { ActivityConnection(self) }
}

extension ActivityConnection: SQLActivities {
    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws {
        let row = CampaignRow(campaign)
        try self.connection.insert(row, app: app)
        self.news.add(row, from: nil, app: app, now: campaign.createdAt)
        changes.append(.campaignChanged(campaign.id))
    }
}
