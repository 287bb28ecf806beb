// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension PostgresStore: AudienceStore {
    /// Counts the devices of an audience; see `AudienceStore`.
    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        let query = AudienceQuery.count(of: audience, app: app, through: through)
        return try await self.read { connection in
            let reply = try connection.queueOnce(query.sql, query.values)
            try connection.receive()
            return try reply.rows.first?.number("count") ?? 0
        }
    }

    /// Reads devices of an audience in the order of their places; see `AudienceStore`.
    public func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        let query = AudienceQuery.members(of: audience, app: app, in: range, limit: limit, depth: depth)
        return try await self.readSnapshot { connection in
            try connection.queue(AudienceQuery.inOrder)
            let reply = try connection.queueOnce(query.sql, query.values)
            try connection.commit()
            return try reply.rows.map { try AudienceMember(stored: $0, depth: depth) }
        }
    }

    /// The time zones that the devices of an audience told; see `AudienceStore`.
    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        let query = AudienceQuery.timeZones(of: audience, app: app, through: through)
        return try await self.read { connection in
            let reply = try connection.queueOnce(query.sql, query.values)
            try connection.receive()
            return try reply.rows.reduce(into: [:]) { $0[try $1.text("time_zone")] = try $1.number("count") }
        }
    }

    /// The place of an app's last device; see `AudienceStore`.
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
}

extension AudienceMember {
    /// Reads the columns `number`, `environment`, `token` and those of the depth.
    fileprivate init(stored row: PostgresRow, depth: MemberDetails.Depth) throws {
        var details = MemberDetails()
        if depth >= .locale { details.locale = try row.text("locale") }
        if depth >= .all {
            details.userID = try row.text("user_id").flatMap { UserID(rawValue: $0) }
            details.tags = try row.text("tags").map(DeviceProfile.tags(stored:)) ?? [:]
        }
        self.init(place: Int64(try row.number("number")), target: try Target(stored: row), details: details)
    }
}
