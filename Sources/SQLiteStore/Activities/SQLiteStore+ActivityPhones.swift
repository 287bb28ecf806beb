// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import PushStore
import SQLite

extension SQLiteStore {
    /// How many phones of an activity have come how far; see `ActivityStore`.
    public func phones(of activity: ActivityID, app: AppID) async throws -> ActivityPhones? {
        try await self.read { database in
            guard let app = try database.number(of: app),
                let row = try database.row(
                    "SELECT number, version FROM activities WHERE app = ? AND id = ?",
                    [app, activity.rawValue]
                )
            else { return nil }
            let range = ParticipantNumber.range(ofActivity: Int64(try row.number("number")))
            return try database.row(
                ActivityPhones.query(version: "?", first: "?", last: "?"),
                [try row.number("version"), range.lowerBound, range.upperBound]
            ).map(ActivityPhones.init(stored:))
        }
    }
}
