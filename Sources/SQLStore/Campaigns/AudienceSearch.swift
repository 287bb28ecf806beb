// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// An audience by index: where an index finds its devices, and the conditions that the index does not imply.
struct AudienceSearch {
    /// The largest number of devices that one statement reads from an index that does not return them in order.
    static let maximumCandidates = 50_000

    /// The number of devices of an ordered list that are read to measure its density.
    ///
    /// A scan is faster than a list of more than 1 in 4 devices if other conditions exclude most of them.
    static let sample = 1000

    enum Candidates {
        case lists([DeviceList])

        /// A list of at most ``maximumCandidates`` devices without order, on SQLite.
        case few(DeviceList)

        /// The devices that meet a condition of an index, on PostgreSQL.
        case condition(SQL)
    }

    let candidates: Candidates
    let condition: Audience
}

/// A list of device numbers in ascending order.
struct DeviceList {
    /// A query of the column `value`, to which a condition is added.
    let query: SQL
    /// The expression of the column.
    let number: SQL
    /// Whether an index returns the numbers in their order.
    let isOrdered: Bool

    func rows(in places: DevicePlaces) -> SQL { "\(self.query) AND \(places.contain(self.number))" }

    /// A part of the list, from its beginning in the range.
    func first(_ limit: Int, in places: DevicePlaces) -> SQL {
        "\(self.rows(in: places)) ORDER BY value LIMIT \(limit)"
    }
}

extension Audience {
    /// The conditions that all hold for each device of the audience.
    fileprivate var conditions: [Audience] {
        if case .and(let parts) = self { parts.flatMap(\.conditions) } else { [self] }
    }

    /// The rank among the conditions with an index, the most selective first; `nil` without an index.
    fileprivate var indexRank: Int? {
        switch self {
        case .subscribers: -1
        case .users(let users): users.count
        case .topic: Int.max
        default: nil
        }
    }
}

extension SQLExecutor {
    /// Selects how to find an audience by index; `nil` if a scan of the app's devices is better.
    ///
    /// `window` is the largest number of devices that one statement reads.
    func search(for audience: Audience, in places: DevicePlaces, window: Int) throws -> AudienceSearch? {
        let conditions = audience.conditions
        let choices = conditions.indices.compactMap { index in conditions[index].indexRank.map { ($0, index) } }
        let limit = min(AudienceSearch.maximumCandidates, window)
        var sparsest: (search: AudienceSearch, reach: Int64)?
        for (_, index) in choices.sorted(by: <) {
            var others = conditions
            let choice = others.remove(at: index)
            if case .subscribers(let rule) = choice {
                let lists = try self.lists(of: rule, in: places)
                return AudienceSearch(candidates: .lists(lists), condition: .and(others))
            }
            if self.dialect == .postgres {
                if let condition = try self.indexCondition(choice, app: places.app, limit: limit) {
                    return AudienceSearch(candidates: .condition(condition), condition: .and(others))
                }
                continue
            }
            guard let list = DeviceList(choice, app: places.app) else { continue }
            if list.isOrdered {
                let search = AudienceSearch(candidates: .lists([list]), condition: .and(others))
                // Without other conditions, such a list is faster than a scan even if it has all devices.
                if others.isEmpty, places.zones == .any { return search }
                // The place up to which the list has a sample of devices; the largest number if it has fewer.
                let last = try self.first("\(list.first(1, in: places)) OFFSET \(AudienceSearch.sample - 1)")
                let reach = try last?.int64("value") ?? .max
                if reach > sparsest?.reach ?? .min { sparsest = (search, reach) }
            } else if try self.hasAtMost(limit, list.rows(in: places)) {
                return AudienceSearch(candidates: .few(list), condition: .and(others))
            }
        }
        guard let sparsest else { return nil }
        let (distance, isOverflow) = sparsest.reach.subtractingReportingOverflow(places.after)
        return isOverflow || distance >= Int64(4 * AudienceSearch.sample) ? sparsest.search : nil
    }

    private func hasAtMost(_ limit: Int, _ rows: SQL) throws -> Bool {
        try self.query("\(rows) LIMIT 1 OFFSET \(limit)").rows.isEmpty
    }

    /// A condition of an index of PostgreSQL; `nil` if there is no index, or it returns more devices than the limit.
    ///
    /// These indexes return all devices before they are sorted, and so for each page.
    private func indexCondition(_ audience: Audience, app: SQL, limit: Int) throws -> SQL? {
        let condition: SQL
        switch audience {
        case .users(let users):
            // Without bitmaps: LIMIT bounds the read of an index, but not the build of a bitmap.
            try self.run(SQL.devicesInOrder)
            condition = "app = \(app) AND user_id \(in: users.map(\.rawValue)) AND user_id IS NOT NULL"
        case .topic(let topic):
            guard try self.isRare(topic) else { return nil }
            // By index only, also by those that return bitmaps.
            try self.run(
                """
                SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'on', true),
                    set_config('max_parallel_workers_per_gather', '0', true)
                """
            )
            condition = "topics @> ARRAY[\(topic)] AND topics <> '{}'"
        default: return nil
        }
        return try self.hasAtMost(limit, "SELECT 1 FROM devices WHERE \(condition)") ? condition : nil
    }

    /// Whether fewer than 1 % of the devices on some random pages of the table of PostgreSQL have a topic.
    ///
    /// The index of topics returns all devices with a topic before the first one is read, so a LIMIT does not bound it.
    /// The sample reads about 500 devices, regardless of the size of the table.
    private func isRare(_ topic: String) throws -> Bool {
        let pages = 20
        let row = try self.first(
            """
            SELECT count(*) AS count, count(*) FILTER (WHERE topics @> ARRAY[\(topic)]) AS found
            FROM devices TABLESAMPLE SYSTEM (least(100,
                100.0 * \(pages) / greatest(1, pg_relation_size('devices') / current_setting('block_size')::bigint)))
            """
        )
        return try row?.number("found") ?? 0 < (row?.number("count") ?? 0) / 100 + 1
    }

    /// The next candidates of all lists, each once, in ascending order.
    ///
    /// - Returns: at most `limit` candidates, and whether there are none after them.
    func candidates(
        of lists: [DeviceList],
        in places: DevicePlaces,
        limit: Int
    ) throws -> (numbers: [Int64], isLast: Bool) {
        let results = try lists.map { list -> any SQLResult in
            let sql = list.first(limit, in: places)
            // SQLite copies no rows of a query.
            return try list.isOrdered && self.dialect == .postgres ? self.run(sql) : self.query(sql)
        }
        let parts = try results.map { result -> [Int64] in
            var numbers: [Int64] = []
            try result.each { numbers.append(try $0.int64("value")) }
            return numbers
        }.filter { !$0.isEmpty }
        let full = parts.filter { $0.count == limit }
        if parts.count < 2 { return (parts.first ?? [], full.isEmpty) }
        // After the last number of a list that continues, others may be missing.
        let last = full.compactMap(\.last).min() ?? .max
        let numbers = Set(parts.joined().filter { $0 <= last }).sorted()
        return (Array(numbers.prefix(limit)), full.isEmpty && numbers.count <= limit)
    }

    /// The number of subscribed users from which SQLite reads all devices in their order, not all users for each page.
    private var manyUsers: Int { 20_000 }

    /// The devices of a publication: a list for each filter policy, one of the users' devices, and one of the devices
    /// that reported the topic; no lists if the topic was deleted.
    func lists(of rule: TopicAudience, in places: DevicePlaces) throws -> [DeviceList] {
        let found = try self.first(
            """
            SELECT topic_shares.number, topics.name FROM topics
            \(SQL.orderedJoin) topic_shares ON topic_shares.topic = topics.number
            WHERE topics.number = \(rule.topic.rawValue) AND \(SQL.shareApp) = \(places.app)
            """
        )
        guard let found else { return [] }
        let share = try found.int64("number")
        let name = try found.string("name")
        // Many policies have one list, which is sorted for each page.
        let choices = rule.policies.count < 32 ? rule.policies.map { [$0] } : [rule.policies]
        var lists = choices.map { policies in
            let isOne = policies.count == 1
            let match: SQL = isOne ? "= \(policies[0])" : "\(in: policies)"
            return DeviceList(
                query: """
                    SELECT device AS value FROM subscriptions\(sqlite: " INDEXED BY subscriptions_by_policy")
                    WHERE share = \(share) AND policy \(match)
                    """,
                number: "device",
                isOrdered: isOne
            )
        }
        if rule.countsProfiles { lists.append(.reporting(name, app: places.app, in: self.dialect)) }
        if let users = try self.list(ofUsersIn: share, policies: rule.policies, app: places.app) { lists.append(users) }
        return lists
    }

    /// The list of the devices of subscribed users; `nil` if SQLite finds none.
    private func list(ofUsersIn share: Int64, policies: [Int64], app: SQL) throws -> DeviceList? {
        if self.dialect == .sqlite {
            let row = try self.first(
                """
                SELECT count(*) AS count FROM (
                    SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user
                    WHERE share = \(share) AND user_id IS NOT NULL LIMIT \(self.manyUsers)
                )
                """
            )
            let count = try row?.number("count") ?? 0
            guard count > 0 else { return nil }
            guard count < self.manyUsers else {
                return DeviceList(
                    query: """
                        SELECT number AS value FROM devices NOT INDEXED WHERE user_id IS NOT NULL AND EXISTS (
                            SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user
                            WHERE share = \(share) AND subscriptions.user_id = devices.user_id
                                AND policy \(in: policies)
                        )
                        """,
                    number: "number",
                    isOrdered: false
                )
            }
        }
        return DeviceList(
            query: """
                SELECT devices.number AS value FROM subscriptions\(sqlite: " INDEXED BY subscriptions_by_user")
                \(SQL.orderedJoin) devices\(sqlite: " INDEXED BY devices_by_user")
                    ON devices.app = \(app) AND devices.user_id = subscriptions.user_id
                WHERE share = \(share) AND policy \(in: policies)
                    AND subscriptions.user_id IS NOT NULL AND devices.user_id IS NOT NULL
                """,
            number: "devices.number",
            isOrdered: false
        )
    }
}

extension DeviceList {
    /// The devices that meet a condition, on SQLite; `nil` if there is no index.
    fileprivate init?(_ audience: Audience, app: SQL) {
        switch audience {
        case .users(let users):
            let isOne = users.count == 1
            let match: SQL = isOne ? "= \(users[0])" : "\(in: users.map(\.rawValue))"
            self.init(
                query: """
                    SELECT number AS value FROM devices INDEXED BY devices_by_user
                    WHERE app = \(app) AND user_id \(match)
                    """,
                number: "number",
                isOrdered: isOne
            )
        case .topic(let topic): self = .reporting(topic, app: app, in: .sqlite)
        default: return nil
        }
    }

    /// The devices that reported a topic; on SQLite those of all apps, because places bound the numbers.
    fileprivate static func reporting(_ topic: String, app: SQL, in dialect: SQLDialect) -> DeviceList {
        let query: SQL =
            switch dialect {
            case .sqlite:
                "SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = \(topic)"
            case .postgres:
                """
                SELECT number AS value FROM devices
                WHERE app = \(app) AND topics @> ARRAY[\(topic)] AND topics <> '{}'
                """
            }
        return DeviceList(query: query, number: dialect == .sqlite ? "device" : "number", isOrdered: dialect == .sqlite)
    }
}
