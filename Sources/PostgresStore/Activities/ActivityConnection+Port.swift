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
        try self.connection.create(campaign, app: app, telling: &self.news)
        changes.append(.campaignChanged(campaign.id))
    }
}
