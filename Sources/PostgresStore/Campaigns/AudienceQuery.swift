// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// A question about the devices of an audience that can be reached.
///
/// An app's devices lie side by side in the order of their numbers, so that each part of them is one short scan. Only the
/// devices of a few users are found by their index instead.
struct AudienceQuery: Sendable {
    let sql: String
    let values: [PostgresValue]

    /// Finds the last device that the query looks at, as `number`, if there are so many; `nil` for a query that looks at
    /// all of its range.
    let end: String?

    /// The first of the values, which belong to ``end``.
    var endValues: [PostgresValue] { Array(self.values.prefix(self.endCount)) }
    private let endCount: Int

    private init(
        _ audience: Audience,
        app: AppID,
        in range: AudienceRange,
        window: Int,
        sql: (_ devices: String, _ condition: String) -> String
    ) {
        var dialect = AudienceSQL()
        var places = [
            "app = (SELECT number FROM apps WHERE id = \(dialect.bind(.text(app.rawValue))))",
            "number > \(dialect.bind(.integer(range.after)))",
        ]
        if let through = range.through { places.append("number <= \(dialect.bind(.integer(through)))") }
        self.endCount = dialect.values.count
        let scope = places.joined(separator: " AND ")
        let condition = "status < 2 AND \(dialect.condition(range.zones)) AND \(audience.condition(in: &dialect))"
        if audience.isOfUsers {
            self.end = nil
            self.sql = sql("devices AS part", "\(scope) AND \(condition)")
        } else {
            self.end = "SELECT number FROM devices WHERE \(scope) ORDER BY number OFFSET \(window - 1) LIMIT 1"
            let devices = "(SELECT * FROM devices WHERE \(scope) ORDER BY number LIMIT \(window)) AS part"
            self.sql = sql(devices, condition)
        }
        self.values = dialect.values
    }

    /// The number of the devices, as `count`.
    static func count(of audience: Audience, app: AppID, in range: AudienceRange, window: Int) -> AudienceQuery {
        Self(audience, app: app, in: range, window: window) { devices, condition in
            "SELECT count(*) AS count FROM \(devices) WHERE \(condition)"
        }
    }

    /// The devices in the order of their numbers; see ``PushModel/AudienceMember``.
    static func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        window: Int,
        limit: Int,
        depth: MemberDetails.Depth
    ) -> AudienceQuery {
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags::text AS tags"
            }
        return Self(audience, app: app, in: range, window: window) { devices, condition in
            """
            SELECT number, environment, token\(details) FROM \(devices) WHERE \(condition) ORDER BY number LIMIT \(limit)
            """
        }
    }

    /// The most time zones that are told of.
    static let maximumZones = 10_000

    /// The time zones that the devices told, as `time_zone` and `count`.
    static func timeZones(of audience: Audience, app: AppID, in range: AudienceRange, window: Int) -> AudienceQuery {
        Self(audience, app: app, in: range, window: window) { devices, condition in
            """
            SELECT time_zone, count(*) AS count FROM \(devices) WHERE \(condition) GROUP BY time_zone LIMIT \(Self.maximumZones)
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

extension Audience {
    /// Whether all of its devices are those of users that it names.
    fileprivate var isOfUsers: Bool {
        switch self {
        case .users: true
        case .and(let parts): parts.contains { $0.isOfUsers }
        default: false
        }
    }
}
