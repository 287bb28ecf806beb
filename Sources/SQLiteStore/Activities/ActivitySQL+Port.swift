// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
package import SQLStore
package import SQLite

extension Database {
    package func makeActivities() -> any SQLActivities { self.activities }
}

extension ActivitySQL: SQLActivities {
    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws {
        try self.database.create(campaign, app: app, signalling: &changes)
    }

    func finish(now: Date) throws -> [StoreChange] { [] }
}
