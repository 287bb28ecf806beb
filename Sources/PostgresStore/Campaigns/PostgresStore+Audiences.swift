// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension PostgresStore: AudienceStore {
    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        if let search = SubscriberSearch(audience, app: app) { return try await self.count(search, through: through) }
        let parts = try await self.parts(
            of: AudienceRange(through: through),
            { range, window, _ in AudienceQuery.count(of: audience, app: app, in: range, window: window) },
            { try $0.number("count") }
        )
        return parts.reduce(0, +)
    }

    public func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        if let search = SubscriberSearch(audience, app: app) {
            return try await self.members(search, in: range, limit: min(max(1, limit), Batch.maximumTargets), depth)
        }
        return try await self.parts(
            of: range,
            limit: min(max(1, limit), Batch.maximumTargets),
            { AudienceQuery.members(of: audience, app: app, in: $0, window: $1, limit: $2, depth: depth) },
            { try AudienceMember(stored: $0, depth: depth) }
        )
    }

    public func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [AudienceInstallation] {
        try await self.parts(
            of: range,
            limit: min(max(1, limit), Batch.maximumTargets),
            { AudienceQuery.installations(of: audience, app: app, in: $0, window: $1, limit: $2) },
            { row in
                let place = try row.int64("number")
                return AudienceInstallation(place: place, installation: try row.identifier("installation"))
            }
        )
    }

    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        let parts = try await self.parts(
            of: AudienceRange(through: through),
            { range, window, _ in AudienceQuery.timeZones(of: audience, app: app, in: range, window: window) },
            { (zone: try $0.text("time_zone"), count: try $0.number("count")) }
        )
        let counts = Dictionary(parts.map { ($0.zone, $0.count) }, uniquingKeysWith: +)
        let most = counts.sorted { $0.value > $1.value }.prefix(AudienceQuery.maximumZones)
        return Dictionary(most.map { ($0.key, $0.value) }) { first, _ in first }
    }

    public func lastPlace(of app: AppID) async throws -> Int64 {
        try await self.read { connection in
            try connection.row(
                """
                SELECT number FROM devices WHERE app = (SELECT number FROM apps WHERE id = $1)
                ORDER BY number DESC LIMIT 1
                """,
                [.text(app.rawValue)]
            )?.integer("number") ?? 0
        }
    }

    /// Reads a range by one statement after the other, each of so many devices that it is done within a moment.
    ///
    /// So no statement meets the time at which the server stops it, and other calls get their turn between them.
    private func parts<Element: Sendable>(
        of range: AudienceRange,
        limit: Int? = nil,
        _ makeQuery: (_ range: AudienceRange, _ window: Int, _ limit: Int) -> AudienceQuery,
        _ read: @escaping @Sendable (PostgresRow) throws -> Element
    ) async throws -> [Element] {
        var elements: [Element] = []
        var range = range
        while true {
            let left = limit.map { $0 - elements.count } ?? .max
            let query = makeQuery(range, self.scanWindow, left)
            let (found, end): ([Element], Int64?) = try await self.scan { connection in
                try connection.read(query, limit: left, read)
            }
            elements += found
            guard let end else { return elements }
            range.after = end
        }
    }
}

extension PostgresConnection {
    /// Runs a query in a transaction of its own, which this ends.
    ///
    /// - Returns: what it found, and the place behind which there may be more; `nil` when that is as much as was asked for,
    ///   or all there is.
    fileprivate func read<Element>(
        _ query: AudienceQuery,
        limit: Int,
        _ read: (PostgresRow) throws -> Element
    ) throws -> ([Element], Int64?) {
        if query.end != nil { try self.queue(AudienceQuery.inOrder) }
        let reply = try self.queueOnce(query.sql, query.values)
        try self.receive()
        let rows = reply.rows
        let found = try rows.mapReadable(in: "devices", read)
        // A damaged device took the place of another one: read on behind the last row.
        if rows.count == limit, found.count < limit { return (found, try rows.last?.int64("number")) }
        guard let end = query.end, found.count < limit else { return (found, nil) }
        let last = try self.queueOnce(end, query.endValues)
        try self.commit()
        return (found, try last.rows.first?.integer("number"))
    }
}

extension AudienceMember {
    /// Reads the columns `number`, `environment`, `token` and those of the depth.
    init(stored row: PostgresRow, depth: MemberDetails.Depth) throws {
        var details = MemberDetails()
        if depth >= .locale { details.locale = try row.text("locale") }
        if depth >= .all {
            details.userID = try row.text("user_id").flatMap { UserID(rawValue: $0) }
            details.tags = try row.text("tags").map(DeviceProfile.tags(stored:)) ?? [:]
        }
        self.init(place: try row.int64("number"), target: try Target(stored: row), details: details)
    }
}
