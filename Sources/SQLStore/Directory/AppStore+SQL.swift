// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
import PushStore

extension SQLExecutor {
    /// The number of an app in other tables; `nil` if there is no such app.
    package func number(of app: AppID) throws -> Int64? {
        try self.first("SELECT number FROM apps WHERE id = \(app)")?.int64("number")
    }

    /// The number of an app in other tables; locks the app.
    ///
    /// Nothing can remove the app before the transaction ends.
    /// - Throws: ``StoreError`` `.notFound` if there is no such app.
    package func lockedNumber(of app: AppID) throws -> Int64 {
        let row = try self.first("SELECT number FROM apps WHERE id = \(app)\(lock: " FOR KEY SHARE")")
        guard let row else { throw StoreError.noApp(app) }
        return try row.int64("number")
    }
}

extension SQL {
    /// The number of an app in other tables, as a subquery; NULL if there is no such app.
    static func number(of app: AppID) -> SQL { "(SELECT number FROM apps WHERE id = \(app))" }
}
