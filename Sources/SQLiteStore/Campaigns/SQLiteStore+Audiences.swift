// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: AudienceStore {
    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return 0 }
            if let search = SubscriberSearch(audience, app: number) {
                return try search.count(in: database, through: through)
            }
            let query = AudienceQuery(audience, app: number, in: AudienceRange(through: through))
            return Int(try database.makeStatement(query.count).value(query.arguments)?.integer ?? 0)
        }
    }

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
            return try range.read(limit: limit) { range, limit in
                let query = AudienceQuery(audience, app: number, in: range)
                return try database.makeStatement(query.members(depth)).devices(query.arguments, limit: limit) {
                    try AudienceMember(row: $0, depth: depth)
                }
            }
        }
    }

    public func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [AudienceInstallation] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            let limit = min(max(1, limit), Batch.maximumTargets)
            return try range.read(limit: limit) { range, limit in
                let query = AudienceQuery(audience, app: number, in: range)
                return try database.makeStatement(query.installations).devices(query.arguments, limit: limit) { row in
                    AudienceInstallation(
                        place: try row.int64("number"),
                        installation: try row.identifier("installation")
                    )
                }
            }
        }
    }

    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [:] }
            let query = AudienceQuery(audience, app: number, in: AudienceRange(through: through))
            var zones: [String?: Int] = [:]
            try database.makeStatement(query.timeZones).each(query.arguments) { row in
                zones[try row.text("time_zone")] = try row.number("count")
            }
            return zones
        }
    }

    public func lastPlace(of app: AppID) async throws -> Int64 {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return 0 }
            let range = DeviceNumber.range(ofApp: number)
            let row = try database.row(
                "SELECT number FROM devices WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT 1",
                [range.lowerBound, range.upperBound]
            )
            return try row?.int64("number") ?? 0
        }
    }
}

/// What was read of a range of devices.
struct AudiencePart<Element> {
    var elements: [Element]

    /// The place behind which to read on; `nil` if these are as many as were asked for, or the range has no more.
    var end: Int64?
}

extension AudienceRange {
    /// Reads parts of the range, one behind the other, until they have `limit` elements or the range has no more.
    func read<Element>(
        limit: Int,
        _ part: (_ range: AudienceRange, _ limit: Int) throws -> AudiencePart<Element>
    ) throws -> [Element] {
        var range = self
        var elements: [Element] = []
        while true {
            let found = try part(range, limit - elements.count)
            elements += found.elements
            guard let end = found.end else { return elements }
            range.after = end
        }
    }
}

extension Statement {
    /// Reads up to `limit` devices, which the statement takes behind its other arguments.
    ///
    /// A damaged device is left out. It takes the place of another one, so a full list of rows is not the end then.
    func devices<Element>(
        _ arguments: StatementArguments,
        limit: Int,
        _ read: (StatementRow) throws -> Element
    ) throws -> AudiencePart<Element> {
        var part = AudiencePart<Element>(elements: [])
        var count = 0
        try self.each(arguments + [limit]) { row in
            count += 1
            if let element = try row.readable(in: "devices", read) { part.elements.append(element) }
            if count == limit, part.elements.count < limit { part.end = try row.int64("number") }
        }
        return part
    }
}

extension AudienceMember {
    /// Reads the columns number, environment, token and those of the depth.
    init(row: StatementRow, depth: MemberDetails.Depth) throws {
        guard let token = try? DeviceToken(bytes: row.blob("token")) else { throw StoreError.damaged("token") }
        var details = MemberDetails()
        if depth >= .locale { details.locale = try row.text("locale") }
        if depth >= .all {
            details.userID = try row.text("user_id").flatMap { UserID(rawValue: $0) }
            details.tags = try row.text("tags").map(DeviceProfile.tags(stored:)) ?? [:]
        }
        let target = Target(token: token, environment: APNsEnvironment(stored: try row.number("environment")))
        self.init(place: try row.int64("number"), target: target, details: details)
    }
}
