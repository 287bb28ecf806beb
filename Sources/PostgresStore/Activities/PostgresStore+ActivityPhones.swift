// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import PushStore

extension PostgresStore {
    /// How many phones of an activity have come how far; see `ActivityStore`.
    public func phones(of activity: ActivityID, app: AppID) async throws -> ActivityPhones? {
        try await self.readSnapshot { connection in
            guard let number = try connection.activityNumber(activity, of: app),
                let row = try connection.row("SELECT version FROM activities WHERE number = $1", [.integer(number)])
            else { return nil }
            let range = ParticipantNumber.range(ofActivity: number)
            return try connection.row(
                ActivityPhones.query(version: "$1", first: "$2", last: "$3"),
                [.number(try row.number("version")), .integer(range.lowerBound), .integer(range.upperBound)]
            ).map(ActivityPhones.init(stored:))
        }
    }
}
