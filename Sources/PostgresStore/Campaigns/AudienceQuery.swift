// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// A question about the devices of an audience that can be reached.
///
/// An app's devices lie side by side in the order of their numbers, so that each part of them is one short scan.
struct AudienceQuery: Sendable {
    let sql: String
    let values: [PostgresValue]

    private init(_ audience: Audience, app: AppID, in range: AudienceRange, sql: (String) -> String) {
        var dialect = AudienceSQL()
        var conditions = [
            "app = (SELECT number FROM apps WHERE id = \(dialect.bind(.text(app.rawValue))))",
            "number > \(dialect.bind(.integer(range.after)))",
        ]
        if let through = range.through { conditions.append("number <= \(dialect.bind(.integer(through)))") }
        conditions.append("status < 2")
        conditions.append(dialect.condition(range.zones))
        conditions.append(audience.condition(in: &dialect))
        self.sql = sql(conditions.joined(separator: " AND "))
        self.values = dialect.values
    }

    /// The number of the devices, as `count`.
    static func count(of audience: Audience, app: AppID, through: Int64?) -> AudienceQuery {
        Self(audience, app: app, in: AudienceRange(through: through)) { condition in
            "SELECT count(*) AS count FROM devices WHERE \(condition)"
        }
    }

    /// The devices in the order of their numbers; see ``PushModel/AudienceMember``.
    static func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) -> AudienceQuery {
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags::text AS tags"
            }
        let limit = min(max(1, limit), Batch.maximumTargets)
        return Self(audience, app: app, in: range) { condition in
            """
            SELECT number, environment, token\(details) FROM devices WHERE \(condition) ORDER BY number LIMIT \(limit)
            """
        }
    }

    /// The time zones that the devices told, as `time_zone` and `count`.
    static func timeZones(of audience: Audience, app: AppID, through: Int64) -> AudienceQuery {
        Self(audience, app: app, in: AudienceRange(through: through)) { condition in
            """
            SELECT time_zone, count(*) AS count FROM devices WHERE \(condition) GROUP BY time_zone LIMIT 10000
            """
        }
    }

    /// Lets a transaction read devices by the index of their order only.
    ///
    /// Where the server knows little of the table, it would take a part of the devices for few of them, and read and sort
    /// all that are left for each part.
    static let inOrder = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true)
        """
}
