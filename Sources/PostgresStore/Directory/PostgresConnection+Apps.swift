// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension PostgresConnection {
    /// The number by which tables refer to an app, or `nil`.
    func number(of app: AppID) throws -> Int64? {
        try self.row("SELECT number FROM apps WHERE id = $1", [.text(app.rawValue)])?.integer("number")
    }

    /// The number of an app that has to exist, and that cannot be removed before the transaction ends.
    func lockedNumber(of app: AppID) throws -> Int64 {
        let row = try self.row("SELECT number FROM apps WHERE id = $1 FOR KEY SHARE", [.text(app.rawValue)])
        guard let number = try row?.integer("number") else { throw StoreError.noApp(app) }
        return number
    }
}
