// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

extension AudienceStore where Self: SQLBacked {
    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        let range = AudienceRange(through: through)
        return try await self.sql.select("count(*) AS count", of: audience, app: app, in: range) { row in
            try row.number("count")
        }.reduce(0, +)
    }

    public func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: PersonalizationAttributes.Depth
    ) async throws -> [AudienceDevice] {
        let columns: SQL =
            switch depth {
            case .none: "number, environment, token"
            case .locale: "number, environment, token, locale"
            case .all: "number, environment, token, locale, user_id, CAST(tags AS text) AS tags"
            }
        return try await self.sql.select(columns, of: audience, app: app, in: range, limit: limit) { row in
            try AudienceDevice(stored: row, depth: depth)
        }
    }

    public func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [(place: Int64, installation: DeviceID)] {
        try await self.sql.select("number, installation", of: audience, app: app, in: range, limit: limit) { row in
            (try row.int64("number"), try row.identifier("installation"))
        }
    }

    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        let maximumZones = 10_000
        let parts = try await self.sql.select(
            "time_zone, count(*) AS count",
            of: audience,
            app: app,
            in: AudienceRange(through: through),
            grouping: " GROUP BY time_zone LIMIT \(maximumZones)"
        ) { (zone: try $0.text("time_zone"), count: try $0.number("count")) }
        let counts = Dictionary(parts.map { ($0.zone, $0.count) }, uniquingKeysWith: +)
        let most = counts.sorted { $0.value > $1.value }.prefix(maximumZones)
        return Dictionary(most.map { ($0.key, $0.value) }) { first, _ in first }
    }

    public func lastPlace(of app: AppID) async throws -> Int64 {
        try await self.sql.read { reader in
            guard let number = try reader.number(of: app) else { return 0 }
            return try reader.lastPlace(ofApp: number) ?? 0
        }
    }
}

extension SQLDatabase {
    /// Reads the devices of an audience by one statement after the other.
    ///
    /// Each statement reads a bounded number of devices, fewer if there are many conditions. So no statement reaches the
    /// timeout of a scan, and other calls run in between. `limit` is the number of devices to read, in the order of their places; without it, the
    /// columns have no places.
    fileprivate func select<Element: Sendable>(
        _ columns: SQL,
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int? = nil,
        grouping: SQL = "",
        _ read: @escaping @Sendable (StoredRow) throws -> Element
    ) async throws -> [Element] {
        var elements: [Element] = []
        var range = range
        let window = audience.window(within: self.driver.scanWindow)
        let most = limit.map { min(max(1, $0), Batch.maximumTargets) }
        while true {
            let limit = most.map { $0 - elements.count }
            let (part, end) = try await self.snapshot(isScan: true) { [range] connection -> ([Element], Int64?) in
                let needed = min(limit ?? AudienceSearch.maximumCandidates, window)
                guard let places = try connection.places(of: app, in: range),
                    let source = try connection.source(of: audience, in: places, limit: needed, window: window)
                else { return ([], nil) }
                let zones = places.zones.condition
                let condition = source.condition.condition(for: connection.dialect)
                // A subscribed endpoint counts, even if an endpoint of another application has its token.
                let isCounted: SQL = audience.isOfPublication ? "TRUE" : .isOnlyOfToken
                let order: SQL = limit.map { limit -> SQL in " ORDER BY \(source.place) LIMIT \(limit)" } ?? grouping
                var count = 0
                var elements: [Element] = []
                var end: Int64?
                try connection.query(
                    """
                    SELECT \(columns) FROM \(source.rows) AND status < 2 AND \(zones) AND \(condition)
                        AND \(isCounted)\(order)
                    """
                ).each { row in
                    count += 1
                    if let element = try row.readable(in: "devices", read) { elements.append(element) }
                    // A corrupt device took the place of another one: continue after the last row.
                    if count == limit, elements.count < count { end = try row.int64("number") }
                }
                if count == limit { return (elements, end) }
                switch source.end {
                case .none: return (elements, nil)
                case .place(let place): return (elements, place)
                case .query(let sql):
                    let result = try connection.query(sql)
                    try connection.commit()
                    return (elements, try result.rows.first?.int64("number"))
                }
            }
            elements += part
            guard let end else { return elements }
            range.after = end
        }
    }
}

extension Audience {
    /// The smallest number of devices that one statement reads at most, unless the store has a smaller number.
    private static let minimumWindow = 10_000

    /// The largest number of devices that one statement reads, so that all statements take about as long.
    fileprivate func window(within largest: Int) -> Int {
        max(min(largest, Self.minimumWindow), largest / max(1, self.nodeCount))
    }
}

extension SQL {
    /// Excludes an endpoint with the token of a reachable device of an earlier container: the token counts once.
    fileprivate static let isOnlyOfToken: SQL = """
        (container = '' OR NOT EXISTS (
            SELECT 1 FROM devices AS other WHERE other.app = devices.app AND other.environment = devices.environment
                AND other.token = devices.token AND other.container < devices.container AND other.status < 2
        ))
        """
}

extension AudienceDevice {
    /// Reads the columns `number`, `environment`, `token` and those of the depth.
    fileprivate init(stored row: StoredRow, depth: PersonalizationAttributes.Depth) throws {
        var details = PersonalizationAttributes()
        if depth >= .locale { details.locale = try row.text("locale") }
        if depth >= .all {
            details.userID = try row.text("user_id").flatMap { UserID(rawValue: $0) }
            details.tags = try row.text("tags").map(DeviceProfile.tags(stored:)) ?? [:]
        }
        self.init(place: try row.int64("number"), target: try Target(stored: row), details: details)
    }
}
