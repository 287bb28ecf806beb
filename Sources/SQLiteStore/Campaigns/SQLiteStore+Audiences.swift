// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import GRDB
public import PushModel
public import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SQLiteStore: AudienceStore {
    /// Counts the devices of an audience; see `AudienceStore`.
    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return 0 }
            if let search = SubscriberSearch(audience, app: number) {
                return try search.count(in: database, through: through)
            }
            let query = AudienceQuery(audience, app: number, in: AudienceRange(through: through))
            return try Int.fetchOne(database, sql: query.count, arguments: query.arguments) ?? 0
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
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            let limit = min(max(1, limit), Batch.maximumTargets)
            if let search = SubscriberSearch(audience, app: number) {
                return try search.members(in: database, range: range, limit: limit, depth: depth)
            }
            let query = AudienceQuery(audience, app: number, in: range)
            let rows = try Row.fetchCursor(
                database,
                sql: query.members(depth),
                arguments: query.arguments + [limit]
            )
            return try AudienceMember.all(rows, depth: depth)
        }
    }

    /// Reads the names of an audience's devices in the order of their places; see `AudienceStore`.
    public func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [AudienceInstallation] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            let query = AudienceQuery(audience, app: number, in: range)
            let limit = min(max(1, limit), Batch.maximumTargets)
            let rows = try Row.fetchCursor(
                database,
                sql: query.installations,
                arguments: query.arguments + [limit]
            )
            var found: [AudienceInstallation] = []
            while let row = try rows.next() {
                found.append(
                    AudienceInstallation(place: row["number"], installation: try row.identifier("installation"))
                )
            }
            return found
        }
    }

    /// The time zones that the devices of an audience told; see `AudienceStore`.
    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [:] }
            let query = AudienceQuery(audience, app: number, in: AudienceRange(through: through))
            var zones: [String?: Int] = [:]
            for row in try Row.fetchAll(database, sql: query.timeZones, arguments: query.arguments) {
                zones[row[0] as String?] = row[1]
            }
            return zones
        }
    }

    /// The place of an app's last device; see `AudienceStore`.
    public func lastPlace(of app: AppID) async throws -> Int64 {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return 0 }
            let range = DeviceNumber.range(ofApp: number)
            let row = try database.row(
                "SELECT number FROM devices WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT 1",
                [range.lowerBound, range.upperBound]
            )
            return row?["number"] ?? 0
        }
    }
}

extension AudienceMember {
    /// Reads rows to their end.
    static func all(_ rows: RowCursor, depth: MemberDetails.Depth) throws -> [AudienceMember] {
        var members: [AudienceMember] = []
        while let row = try rows.next() { members.append(try AudienceMember(row: row, depth: depth)) }
        return members
    }

    /// Reads the columns number, environment, token and those of the depth, in this order.
    init(row: Row, depth: MemberDetails.Depth) throws {
        let token = try? row.withUnsafeData(atIndex: 2) { try DeviceToken(bytes: Array($0 ?? Data())) }
        guard let token else { throw StoreError.damaged("token") }
        var details = MemberDetails()
        if depth >= .locale { details.locale = row[3] }
        if depth >= .all {
            details.userID = (row[4] as String?).flatMap { UserID(rawValue: $0) }
            details.tags = try (row[5] as String?).map(DeviceProfile.tags(stored:)) ?? [:]
        }
        let target = Target(token: token, environment: APNsEnvironment(stored: row[1]))
        self.init(place: row[0], target: target, details: details)
    }
}
