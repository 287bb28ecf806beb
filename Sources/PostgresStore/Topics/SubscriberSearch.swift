// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Finds the devices of a publication by what is subscribed, without a look at the other devices of the app.
///
/// There are several lists of device numbers: one for each filter policy, one of the users' devices, and one of the devices
/// that told the topic. As many as are asked for are taken from each in the order of the numbers, put together, and looked up.
struct SubscriberSearch: Sendable {
    private let rule: SubscriberRule
    private let app: AppID
    /// What else has to hold for the devices.
    private let others: Audience

    /// Takes an audience that is that of a publication, alone or with conditions; `nil` for all others.
    init?(_ audience: Audience, app: AppID) {
        self.app = app
        switch audience {
        case .subscribers(let rule):
            self.rule = rule
            self.others = .all
        case .and(var parts):
            let place = parts.firstIndex { part in
                if case .subscribers = part { true } else { false }
            }
            guard let place, case .subscribers(let rule) = parts.remove(at: place) else { return nil }
            self.rule = rule
            self.others = .and(parts)
        default: return nil
        }
    }

    /// What a look at the next devices gives.
    struct Part<Value: Sendable>: Sendable {
        let value: Value
        /// The place behind which there may be more.
        let end: Int64
    }

    /// Looks at the next devices, at most `limit`.
    ///
    /// Needs a transaction in which every statement sees the same.
    /// - Returns: what was found; `nil` when there are no more, or the topic was deleted.
    /// - Throws: ``PostgresFailure``, and what `read` throws.
    func next<Value>(
        _ range: AudienceRange,
        limit: Int,
        selecting columns: String,
        on connection: PostgresConnection,
        _ read: ([PostgresRow]) throws -> Value
    ) throws -> Part<Value>? {
        let found = try connection.row(
            """
            SELECT topic_shares.number, topic_shares.app, topics.name FROM topic_shares
            JOIN topics ON topics.number = topic_shares.topic JOIN apps ON apps.number = topic_shares.app
            WHERE topic_shares.topic = $1 AND apps.id = $2
            """,
            [.integer(self.rule.topic.rawValue), .text(self.app.rawValue)]
        )
        guard let found else { return nil }
        let app = PostgresValue.integer(try found.integer("app"))
        let numbers = try self.numbers(
            range,
            limit: limit,
            share: .integer(try found.integer("number")),
            app: app,
            name: try found.string("name"),
            on: connection
        )
        guard let end = numbers.last else { return nil }
        var dialect = AudienceSQL()
        let scope = "app = \(dialect.bind(app)) AND number = ANY(\(dialect.bind(.integers(numbers))))"
        let zones = dialect.condition(range.zones)
        let condition = self.others.condition(in: &dialect)
        let reply = try connection.queueOnce(
            "SELECT \(columns) FROM devices AS part WHERE \(scope) AND status < 2 AND \(zones) AND \(condition)",
            dialect.values
        )
        try connection.receive()
        return Part(value: try read(reply.rows), end: end)
    }

    /// The next numbers of all lists, each once, in rising order.
    private func numbers(
        _ range: AudienceRange,
        limit: Int,
        share: PostgresValue,
        app: PostgresValue,
        name: String,
        on connection: PostgresConnection
    ) throws -> [Int64] {
        let part: [PostgresValue] = [
            .integer(range.after), .integer(range.through ?? .max), .number(limit),
        ]
        // Each policy by itself gives its devices in their order; very many together are sorted for each part.
        let isSmall = self.rule.policies.count < 32
        var replies = try (isSmall ? self.rule.policies.map { [$0] } : [self.rule.policies]).map { policies in
            try connection.queue(
                """
                SELECT device AS number FROM subscriptions
                WHERE share = $4 AND policy \(policies.count == 1 ? "= $5" : "= ANY($5)")
                    AND device > $1 AND device <= $2 ORDER BY device LIMIT $3
                """,
                part + [share, policies.count == 1 ? .integer(policies[0]) : .integers(policies)]
            )
        }
        // Planned each time: how best to find these depends on how many there are.
        replies.append(
            try connection.queueOnce(
                """
                SELECT devices.number FROM subscriptions
                JOIN devices ON devices.app = $5 AND devices.user_id = subscriptions.user_id
                WHERE share = $4 AND policy = ANY($6) AND subscriptions.user_id IS NOT NULL
                    AND devices.user_id IS NOT NULL AND devices.number > $1 AND devices.number <= $2
                ORDER BY devices.number LIMIT $3
                """,
                part + [share, app, .integers(self.rule.policies)]
            )
        )
        if self.rule.countsProfiles {
            replies.append(
                try connection.queueOnce(
                    """
                    SELECT number FROM devices WHERE app = $4 AND topics @> ARRAY[$5] AND topics <> '{}'
                        AND number > $1 AND number <= $2 ORDER BY number LIMIT $3
                    """,
                    part + [app, .text(name)]
                )
            )
        }
        try connection.receive()
        let lists = try replies.map { try $0.rows.map { try $0.int64("number") } }.filter { !$0.isEmpty }
        if lists.count == 1 { return lists[0] }
        // Behind the last number of a list that goes on, others may be missing.
        let last = lists.lazy.filter { $0.count == limit }.map { $0[limit - 1] }.min() ?? .max
        return Array(Set(lists.joined().filter { $0 <= last }).sorted().prefix(limit))
    }
}

extension PostgresStore {
    func count(_ search: SubscriberSearch, through: Int64?) async throws -> Int {
        var range = AudienceRange(through: through)
        var count = 0
        while let part = try await self.scan({ [range] connection in
            try search.next(range, limit: Batch.maximumTargets, selecting: "count(*) AS count", on: connection) {
                rows in
                try rows.first?.number("count") ?? 0
            }
        }) {
            count += part.value
            range.after = part.end
        }
        return count
    }

    /// Reads devices of a publication in the order of their places.
    func members(
        _ search: SubscriberSearch,
        in range: AudienceRange,
        limit: Int,
        _ depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags::text AS tags"
            }
        var range = range
        var members: [AudienceMember] = []
        while members.count < limit,
            let part = try await self.scan({ [range, left = limit - members.count] connection in
                try search.next(
                    range,
                    limit: left,
                    selecting: "number, environment, token\(details)",
                    on: connection
                ) { rows in
                    try rows.mapReadable(in: "devices") { try AudienceMember(stored: $0, depth: depth) }
                        .sorted { $0.place < $1.place }
                }
            })
        {
            members += part.value
            range.after = part.end
        }
        return members
    }
}
