// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLite

extension Database {
    /// The number by which tables refer to an app, or `nil`.
    func number(of app: AppID) throws -> Int64? {
        try self.row("SELECT number FROM apps WHERE id = ?", [app.rawValue])?.int64("number")
    }

    /// The number by which tables refer to an app that has to exist.
    func requiredNumber(of app: AppID) throws -> Int64 {
        guard let number = try self.number(of: app) else {
            throw StoreError.noApp(app)
        }
        return number
    }
}
