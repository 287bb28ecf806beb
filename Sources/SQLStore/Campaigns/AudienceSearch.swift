// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// An audience by index: candidates from lists of device numbers, and the conditions that the lists do not imply.
struct AudienceSearch {
    /// The largest number of candidates that one statement reads of a list that an index does not return in order.
    static let maximumCandidates = 50_000

    /// The number of devices of a list in order by which its density is measured. A scan is faster than a list that has
    /// more than 1 in 4 devices if other conditions exclude most of them.
    static let sample = 1000

    let lists: [DeviceList]
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

    /// On PostgreSQL, the condition of an index that returns all its devices before they are sorted.
    var indexCondition: SQL?

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
        var sparsest: (search: AudienceSearch, reach: Int64)?
        for (_, index) in choices.sorted(by: <) {
            var others = conditions
            let lists = try self.lists(for: others.remove(at: index), in: places)
            let search = AudienceSearch(lists: lists, condition: .and(others))
            // A publication is always read by its subscriptions.
            if case .subscribers = conditions[index] { return search }
            guard let list = lists.first else { continue }
            guard list.isOrdered else {
                if try self.isShort(list, in: places, window: window) { return search }
                continue
            }
            // Without other conditions, such a list is faster than a scan even if it has all devices.
            if others.isEmpty, places.zones == .any { return search }
            let reach = try self.reach(of: list, in: places)
            if reach > sparsest?.reach ?? .min { sparsest = (search, reach) }
        }
        guard let sparsest, sparsest.reach - places.after >= Int64(4 * AudienceSearch.sample) else { return nil }
        return sparsest.search
    }

    /// The place up to which an ordered list has a sample of devices; the largest number if it has fewer.
    private func reach(of list: DeviceList, in places: DevicePlaces) throws -> Int64 {
        let sql: SQL = "\(list.first(1, in: places)) OFFSET \(AudienceSearch.sample - 1)"
        return try self.first(sql)?.int64("value") ?? .max
    }

    private func lists(for condition: Audience, in places: DevicePlaces) throws -> [DeviceList] {
        switch condition {
        case .subscribers(let rule): return try self.lists(of: rule, in: places)
        case .users(let users): return [self.list(ofUsers: users.map(\.rawValue), app: places.app)]
        case .topic(let topic):
            guard self.dialect == .postgres else { return [.reporting(topic)] }
            let isRare = try self.isRare(topic)
            return isRare ? [.postgres("topics @> ARRAY[\(topic)] AND topics <> '{}'", app: places.app)] : []
        default: return []
        }
    }

    private func list(ofUsers users: [String], app: SQL) -> DeviceList {
        let isOne = users.count == 1
        let match: SQL = isOne ? "= \(users[0])" : "\(in: users)"
        let condition: SQL = "app = \(app) AND user_id \(match)"
        guard self.dialect == .sqlite else { return .postgres("\(condition) AND user_id IS NOT NULL", app: app) }
        return DeviceList(
            query: "SELECT number AS value FROM devices INDEXED BY devices_by_user WHERE \(condition)",
            number: "number",
            isOrdered: isOne
        )
    }

    /// Whether an index returns few candidates.
    ///
    /// An index that does not return them in order returns all of them for each page.
    private func isShort(_ list: DeviceList, in places: DevicePlaces, window: Int) throws -> Bool {
        if self.dialect == .postgres { try self.run(SQL.devicesByIndex) }
        let limit = min(AudienceSearch.maximumCandidates, window)
        let rows = list.indexCondition.map { condition -> SQL in "SELECT 1 FROM devices WHERE \(condition)" }
        let candidates: SQL = "(\(rows ?? list.rows(in: places)) LIMIT \(limit + 1)) AS candidates"
        let row = try self.query("SELECT count(*) AS count FROM \(candidates)").rows.first
        return try row?.number("count") ?? 0 <= limit
    }

    /// Whether fewer than 1 % of the devices on some random pages of the table have a topic.
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
    /// - Returns: at most `limit` candidates, and whether there may be more after them.
    func candidates(
        of lists: [DeviceList],
        in places: DevicePlaces,
        limit: Int
    ) throws -> (numbers: [Int64], isLast: Bool) {
        let results = try lists.map { list -> any SQLResult in
            let sql = list.first(limit, in: places)
            return try list.isOrdered ? self.run(sql) : self.query(sql)
        }
        let parts = try results.map { try $0.rows.map { try $0.int64("value") } }.filter { !$0.isEmpty }
        let full = parts.filter { $0.count == limit }
        if parts.count < 2 { return (parts.first ?? [], full.isEmpty) }
        // After the last number of a list that continues, others may be missing.
        let last = full.compactMap(\.last).min() ?? .max
        let numbers = Set(parts.joined().filter { $0 <= last }).sorted()
        return (Array(numbers.prefix(limit)), full.isEmpty && numbers.count <= limit)
    }
}

extension DeviceList {
    /// The devices that reported a topic, on SQLite.
    static func reporting(_ topic: String) -> DeviceList {
        DeviceList(
            query: "SELECT device AS value FROM device_topics INDEXED BY device_topics_by_topic WHERE topic = \(topic)",
            number: "device",
            isOrdered: true
        )
    }

    /// The devices that an index finds on PostgreSQL.
    ///
    /// Without OFFSET the server could combine the conditions and read the app's devices in their order.
    fileprivate static func postgres(_ condition: SQL, app: SQL) -> DeviceList {
        DeviceList(
            query: """
                SELECT number AS value FROM (SELECT app, number FROM devices WHERE \(condition) OFFSET 0) AS candidates
                WHERE app = \(app)
                """,
            number: "number",
            isOrdered: false,
            indexCondition: condition
        )
    }
}

extension SQL {
    /// Lets a transaction of PostgreSQL read devices by index only.
    fileprivate static let devicesByIndex: SQL = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)
        """
}
