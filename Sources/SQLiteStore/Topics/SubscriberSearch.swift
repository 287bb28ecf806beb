// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

/// Finds the devices of a publication by what is subscribed, without a look at the other devices of the app.
///
/// There are several lists of device numbers: one for each filter policy, one of the users' devices, and one of the devices
/// that told the topic. As many as are asked for are taken from each in the order of the numbers, put together, and looked
/// up. Mostly one of them has all: where an index gives it in that order, it is looked up while it is read.
struct SubscriberSearch {
    /// From how many subscribed users on all devices are looked at in their order, instead of all users for each part.
    private static let manyUsers = 20_000

    /// From how many filter policies on these have one list, which is sorted for each part.
    private static let manyPolicies = 32

    private let rule: SubscriberRule
    private let app: Int64
    /// What else has to hold for the devices.
    private let condition: String
    private let values: StatementArguments
    private let numbers: ClosedRange<Int64>

    /// Takes an audience that is that of a publication, alone or with conditions; `nil` for all others.
    init?(_ audience: Audience, app: Int64) {
        var others: [Audience] = []
        switch audience {
        case .subscribers(let rule): self.rule = rule
        case .and(let parts):
            let place = parts.firstIndex { part in
                if case .subscribers = part { true } else { false }
            }
            guard let place, case .subscribers(let rule) = parts[place] else { return nil }
            self.rule = rule
            others = parts
            others.remove(at: place)
        default: return nil
        }
        self.app = app
        var dialect = AudienceSQL()
        self.condition = Audience.and(others).condition(in: &dialect)
        self.values = dialect.values
        self.numbers = DeviceNumber.range(ofApp: app)
    }

    /// The devices in their order; see `AudienceStore.members`.
    func members(
        in database: Database,
        range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) throws -> [AudienceMember] {
        try range.read(limit: limit) { try self.part(in: database, range: $0, limit: $1, depth: depth) }
    }

    private func part(
        in database: Database,
        range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) throws -> AudiencePart<AudienceMember> {
        var part = AudiencePart<AudienceMember>(elements: [])
        guard var lists = try self.lists(in: database, range: range) else { return part }
        var dialect = AudienceSQL()
        let zones = dialect.condition(range.zones)
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags"
            }
        let columns = "devices.number, environment, token\(details)"
        if let list = try lists.only(in: database) {
            let statement = try database.makeStatement(
                "\(self.selection(columns, of: list.sql)) AND \(zones) ORDER BY chosen.value LIMIT ?"
            )
            let values = lists.values(of: list) + self.values + dialect.values
            return try statement.devices(values, limit: limit) { try AudienceMember(row: $0, depth: depth) }
        }
        let statement = try database.makeStatement("\(self.selection(columns, of: Self.numbers)) AND \(zones)")
        while part.elements.count < limit, let numbers = try lists.next(limit - part.elements.count, in: database) {
            let values = [Self.json(numbers)] + self.values + dialect.values
            let found = try statement.rows(values) { row in
                try row.readable(in: "devices") { try AudienceMember(row: $0, depth: depth) }
            }
            part.elements += found.compactMap(\.self).sorted { $0.place < $1.place }
        }
        return part
    }

    func count(in database: Database, through: Int64?) throws -> Int {
        guard var lists = try self.lists(in: database, range: AudienceRange(through: through)) else { return 0 }
        if let list = try lists.only(in: database) {
            let statement = try database.makeStatement(self.selection("count(*)", of: list.sql))
            return Int(try statement.value(lists.values(of: list) + self.values)?.integer ?? 0)
        }
        let statement = try database.makeStatement(self.selection("count(*)", of: Self.numbers))
        var count = 0
        while let numbers = try lists.next(Batch.maximumTargets, in: database) {
            count += Int(try statement.value([Self.json(numbers)] + self.values)?.integer ?? 0)
        }
        return count
    }

    /// Columns of the devices that a list names and that are to be reached.
    private func selection(_ columns: String, of list: String) -> String {
        """
        SELECT \(columns) FROM (\(list)) AS chosen CROSS JOIN devices ON devices.number = chosen.value
        WHERE status < 2 AND \(self.condition)
        """
    }

    /// A list that takes numbers as JSON.
    private static let numbers = "SELECT value FROM json_each(?)"

    /// Takes numbers as JSON.
    private static let isAmong = "IN (SELECT value FROM json_each(?))"

    /// Numbers as one value that is bound.
    private static func json(_ numbers: [Int64]) -> String {
        "[\(numbers.lazy.map(String.init).joined(separator: ","))]"
    }

    /// The lists that may have devices; `nil` when the topic was deleted.
    private func lists(in database: Database, range: AudienceRange) throws -> NumberLists? {
        guard let share = try database.share(of: self.rule.topic, app: self.app),
            let topic = try database.row("SELECT name FROM topics WHERE number = ?", [self.rule.topic.rawValue])
        else { return nil }
        let after = max(self.numbers.lowerBound, range.after)
        let through = min(self.numbers.upperBound, range.through ?? .max)
        let choices =
            self.rule.policies.count < Self.manyPolicies ? self.rule.policies.map { [$0] } : [self.rule.policies]
        var queries = choices.map { policies in
            let isSingle = policies.count == 1
            let values: StatementArguments =
                isSingle ? [share, policies[0]] : [share, Self.json(policies)]
            return NumberLists.Query(
                """
                SELECT device AS value FROM subscriptions INDEXED BY subscriptions_by_policy
                WHERE share = ? AND policy \(isSingle ? "= ?" : Self.isAmong) AND device > ? AND device <= ?
                """,
                values,
                isByIndex: isSingle
            )
        }
        if self.rule.countsProfiles {
            queries.append(
                NumberLists.Query(
                    "SELECT device AS value FROM device_topics WHERE topic = ? AND device > ? AND device <= ?",
                    [try topic.string("name")],
                    isByIndex: true
                )
            )
        }
        if let users = try self.users(share: share, in: database) { queries.append(users) }
        return NumberLists(queries: queries, after: after, through: through)
    }

    /// The list of the devices of users who are subscribed; `nil` when none is.
    private func users(share: Int64, in database: Database) throws -> NumberLists.Query? {
        let row = try database.row(
            """
            SELECT count(*) AS count FROM (
                SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user
                WHERE share = ? AND user_id IS NOT NULL LIMIT ?
            )
            """,
            [share, Self.manyUsers]
        )
        let count = try row?.number("count") ?? 0
        guard count > 0 else { return nil }
        // Bound, since statements are kept by their text.
        let policies = Self.json(self.rule.policies)
        if count < Self.manyUsers {
            return NumberLists.Query(
                """
                SELECT devices.number AS value FROM subscriptions INDEXED BY subscriptions_by_user
                CROSS JOIN devices INDEXED BY devices_by_user
                    ON devices.app = ? AND devices.user_id = subscriptions.user_id
                WHERE share = ? AND subscriptions.user_id IS NOT NULL AND policy \(Self.isAmong)
                    AND devices.number > ? AND devices.number <= ?
                """,
                [self.app, share, policies],
                isByIndex: false
            )
        }
        return NumberLists.Query(
            """
            SELECT number AS value FROM devices NOT INDEXED WHERE user_id IS NOT NULL AND EXISTS (
                SELECT 1 FROM subscriptions INDEXED BY subscriptions_by_user
                WHERE share = ? AND subscriptions.user_id = devices.user_id AND policy \(Self.isAmong)
            ) AND number > ? AND number <= ?
            """,
            [share, policies],
            isByIndex: false
        )
    }
}
