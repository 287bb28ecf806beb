// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// An audience by index: where an index finds its devices, and the conditions that the index does not imply.
struct AudienceSearch {
    /// The largest number of devices that one statement reads from an index that does not return them in order.
    static let maximumCandidates = 50_000

    /// The number of devices of a list in order by which its density is measured.
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
                let reach = try self.reach(of: list, in: places)
                if reach > sparsest?.reach ?? .min { sparsest = (search, reach) }
            } else if try self.hasAtMost(limit, list.rows(in: places)) {
                return AudienceSearch(candidates: .few(list), condition: .and(others))
            }
        }
        guard let sparsest else { return nil }
        let (distance, isOverflow) = sparsest.reach.subtractingReportingOverflow(places.after)
        return isOverflow || distance >= Int64(4 * AudienceSearch.sample) ? sparsest.search : nil
    }

    /// The place up to which an ordered list has a sample of devices; the largest number if it has fewer.
    private func reach(of list: DeviceList, in places: DevicePlaces) throws -> Int64 {
        let sql: SQL = "\(list.first(1, in: places)) OFFSET \(AudienceSearch.sample - 1)"
        return try self.first(sql)?.int64("value") ?? .max
    }

    /// Whether a query has few rows.
    private func hasAtMost(_ limit: Int, _ rows: SQL) throws -> Bool {
        let row = try self.query("SELECT count(*) AS count FROM (\(rows) LIMIT \(limit + 1)) AS candidates").rows.first
        return try row?.number("count") ?? 0 <= limit
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
            try self.run(SQL.devicesByBitmap)
            condition = "topics @> ARRAY[\(topic)] AND topics <> '{}'"
        default: return nil
        }
        return try self.hasAtMost(limit, "SELECT 1 FROM devices WHERE \(condition)") ? condition : nil
    }

    /// Whether fewer than 1 % of the devices on some random pages of the table of PostgreSQL have a topic.
    ///
    /// The index of topics returns all devices with a topic before the first one is read, so a LIMIT does not bound it.
    /// The sample reads about 500 devices, whatever the size of the table.
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
        case .topic(let topic): self = .reporting(topic)
        default: return nil
        }
    }

    /// The devices that reported a topic, on SQLite.
    static func reporting(_ topic: String) -> DeviceList {
        DeviceList(
            query: "SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = \(topic)",
            number: "device",
            isOrdered: true
        )
    }
}

extension SQL {
    /// Lets a transaction of PostgreSQL read devices by index only, also by those that return bitmaps.
    fileprivate static let devicesByBitmap: SQL = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'on', true),
            set_config('max_parallel_workers_per_gather', '0', true)
        """
}
