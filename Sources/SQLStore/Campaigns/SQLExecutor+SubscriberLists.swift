// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension SQLExecutor {
    /// The number of subscribed users from which SQLite reads all devices in their order, not all users for each page.
    private var manyUsers: Int { 20_000 }

    /// The number of filter policies from which they have one list, which is sorted for each page.
    private var manyPolicies: Int { 32 }

    /// The devices of a publication: a list for each filter policy, one of the users' devices, and one of the devices
    /// that reported the topic; no lists if the topic was deleted.
    func lists(of rule: SubscriberRule, in places: DevicePlaces) throws -> [DeviceList] {
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
        let choices = rule.policies.count < self.manyPolicies ? rule.policies.map { [$0] } : [rule.policies]
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
        if rule.countsProfiles { lists.append(self.list(reporting: name, app: places.app)) }
        if let users = try self.list(ofUsersIn: share, policies: rule.policies, app: places.app) { lists.append(users) }
        return lists
    }

    private func list(reporting topic: String, app: SQL) -> DeviceList {
        guard self.dialect == .postgres else { return .reporting(topic) }
        return DeviceList(
            query: """
                SELECT number AS value FROM devices
                WHERE app = \(app) AND topics @> ARRAY[\(topic)] AND topics <> '{}'
                """,
            number: "number",
            isOrdered: false
        )
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
