// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLStore

/// Writes the conditions of an audience on rows of `devices`; values are bound, never written.
///
/// Texts are compared byte by byte, as PostgreSQL does with all collations that are deterministic.
struct AudienceSQL: AudienceDialect {
    /// The values, in the order of their numbers.
    private(set) var values: [PostgresValue] = []

    mutating func constant(_ holds: Bool) -> String { holds ? "TRUE" : "FALSE" }

    mutating func all(of conditions: [String]) -> String { "(\(conditions.joined(separator: " AND ")))" }

    mutating func any(of conditions: [String]) -> String { "(\(conditions.joined(separator: " OR ")))" }

    mutating func negation(of condition: String) -> String { "NOT \(condition)" }

    mutating func condition(_ leaf: Audience) -> String {
        switch leaf {
        case .environment(let environment): return "environment = \(self.bind(.number(environment.stored)))"
        case .platform(let platform): return self.equals("platform", platform.rawValue)
        case .timeZone(let name): return self.equals("time_zone", name)
        case .appVersion(let range):
            return self.within("app_version_key", range.atLeast?.sortKey, range.below?.sortKey) { .text($0) }
        case .seen(let span): return self.within("seen_at", span)
        case .registered(let span): return self.within("registered_at", span)
        case .locale(let range): return self.locale(range)
        case .users(let users): return self.isAmong("user_id", users.map(\.rawValue))
        case .topic(let topic): return "\(self.bind(.text(topic))) = ANY(topics)"
        case .tag(let rule): return self.tag(rule)
        case .subscribers(let rule): return self.subscribers(rule)
        case .all, .and, .or, .not: return leaf.condition(in: &self)
        }
    }

    mutating func condition(_ zones: ZoneFilter) -> String {
        switch zones {
        case .any: "TRUE"
        case .only(let zones): self.isAmong("time_zone", zones)
        case .except(let zones): "NOT \(self.isAmong("time_zone", zones))"
        }
    }

    /// Binds a value.
    ///
    /// - Returns: what stands for it.
    mutating func bind(_ value: PostgresValue) -> String {
        self.values.append(value)
        return "$\(self.values.count)"
    }

    private mutating func equals(_ column: String, _ text: String) -> String {
        "coalesce(\(column) = \(self.bind(.text(text))), FALSE)"
    }

    private mutating func isAmong(_ column: String, _ texts: [String]) -> String {
        // Unlike `coalesce` this lets the server find users by their index.
        "(\(column) IS NOT NULL AND \(column) = ANY(\(self.bind(.texts(texts)))))"
    }

    private mutating func within(_ column: String, _ span: TimeSpan) -> String {
        self.within(column, span.after?.millisecondsSince1970, span.before?.millisecondsSince1970) { .integer($0) }
    }

    private mutating func within<Bound>(
        _ column: String,
        _ lower: Bound?,
        _ upper: Bound?,
        _ value: (Bound) -> PostgresValue
    ) -> String {
        var bounds: [String] = []
        if let lower { bounds.append("coalesce(\(column) >= \(self.bind(value(lower))), FALSE)") }
        if let upper { bounds.append("coalesce(\(column) < \(self.bind(value(upper))), FALSE)") }
        return bounds.isEmpty ? "\(column) IS NOT NULL" : "(\(bounds.joined(separator: " AND ")))"
    }

    /// Only ASCII letters are folded, as by `LocaleRange`.
    private mutating func locale(_ range: LocaleRange) -> String {
        let folded = #"lower(replace(locale, '_', '-') COLLATE "C")"#
        return "coalesce(starts_with(\(folded) || '-', \(self.bind(.text(range.folded + "-")))), FALSE)"
    }

    private mutating func tag(_ rule: TagRule) -> String {
        let name = self.bind(.text(rule.name))
        let found =
            switch rule.match {
            case .exists: "tags ? \(name)"
            case .equals(let text): "tags ->> \(name) = \(self.bind(.text(text)))"
            case .contains(let text): "strpos(tags ->> \(name), \(self.bind(.text(text)))) > 0"
            }
        return "coalesce(\(found), FALSE)"
    }
}

extension AudienceSQL {
    /// The condition that a device gets a publication, for audiences of which it is a part like others.
    mutating func subscribers(_ rule: SubscriberRule) -> String {
        let topic = self.bind(.integer(rule.topic.rawValue))
        let policies = self.bind(.integers(rule.policies))
        // The devices are read under the name `part`.
        let subscribed = """
            EXISTS (
                SELECT FROM topic_shares AS share JOIN subscriptions AS subscribed ON subscribed.share = share.number
                WHERE share.topic = \(topic) AND share.app = part.app AND subscribed.policy = ANY(\(policies))
            """
        var conditions = [
            "\(subscribed) AND subscribed.device = part.number)",
            "\(subscribed) AND subscribed.user_id = part.user_id)",
        ]
        if rule.countsProfiles {
            conditions.append(
                """
                EXISTS (
                    SELECT FROM topic_shares AS share JOIN topics AS told ON told.number = share.topic
                    WHERE share.topic = \(topic) AND share.app = part.app AND told.name = ANY(part.topics))
                """
            )
        }
        return "(\(conditions.joined(separator: " OR ")))"
    }
}

/// A question about the devices of an audience that can be reached.
///
/// An app's devices lie side by side in the order of their numbers, so that each part of them is one short scan. Only the
/// devices of a few users are found by their index instead.
struct AudienceQuery: Sendable {
    let sql: String
    let values: [PostgresValue]

    /// Finds the last device that the query looks at, as `number`, if there are so many; `nil` for a query that looks at
    /// all of its range.
    let end: String?

    /// The first of the values, which belong to ``end``.
    var endValues: [PostgresValue] { Array(self.values.prefix(self.endCount)) }
    private let endCount: Int

    private init(
        _ audience: Audience,
        app: AppID,
        in range: AudienceRange,
        window: Int,
        sql: (_ devices: String, _ condition: String) -> String
    ) {
        var dialect = AudienceSQL()
        var places = [
            "app = (SELECT number FROM apps WHERE id = \(dialect.bind(.text(app.rawValue))))",
            "number > \(dialect.bind(.integer(range.after)))",
        ]
        if let through = range.through { places.append("number <= \(dialect.bind(.integer(through)))") }
        self.endCount = dialect.values.count
        let scope = places.joined(separator: " AND ")
        let condition = "status < 2 AND \(dialect.condition(range.zones)) AND \(audience.condition(in: &dialect))"
        if audience.isOfUsers {
            self.end = nil
            self.sql = sql("devices AS part", "\(scope) AND \(condition)")
        } else {
            self.end = "SELECT number FROM devices WHERE \(scope) ORDER BY number OFFSET \(window - 1) LIMIT 1"
            let devices = "(SELECT * FROM devices WHERE \(scope) ORDER BY number LIMIT \(window)) AS part"
            self.sql = sql(devices, condition)
        }
        self.values = dialect.values
    }

    /// The number of the devices, as `count`.
    static func count(of audience: Audience, app: AppID, in range: AudienceRange, window: Int) -> AudienceQuery {
        Self(audience, app: app, in: range, window: window) { devices, condition in
            "SELECT count(*) AS count FROM \(devices) WHERE \(condition)"
        }
    }

    /// The devices in the order of their numbers; see ``PushModel/AudienceMember``.
    static func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        window: Int,
        limit: Int,
        depth: MemberDetails.Depth
    ) -> AudienceQuery {
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags::text AS tags"
            }
        return Self(audience, app: app, in: range, window: window) { devices, condition in
            """
            SELECT number, environment, token\(details) FROM \(devices) WHERE \(condition) ORDER BY number LIMIT \(limit)
            """
        }
    }

    /// The names of the devices in the order of their numbers; see ``PushStore/AudienceInstallation``.
    static func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        window: Int,
        limit: Int
    ) -> AudienceQuery {
        Self(audience, app: app, in: range, window: window) { devices, condition in
            "SELECT number, installation FROM \(devices) WHERE \(condition) ORDER BY number LIMIT \(limit)"
        }
    }

    /// The most time zones that are told of.
    static let maximumZones = 10_000

    /// The time zones that the devices told, as `time_zone` and `count`.
    static func timeZones(of audience: Audience, app: AppID, in range: AudienceRange, window: Int) -> AudienceQuery {
        Self(audience, app: app, in: range, window: window) { devices, condition in
            """
            SELECT time_zone, count(*) AS count FROM \(devices) WHERE \(condition) GROUP BY time_zone LIMIT \(Self.maximumZones)
            """
        }
    }

    /// Lets a transaction read devices by the index of their order only.
    static let inOrder = SQL.devicesInOrder.text(for: .postgres)
}

extension Audience {
    /// Whether all of its devices are those of users that it names.
    fileprivate var isOfUsers: Bool {
        switch self {
        case .users: true
        case .and(let parts): parts.contains { $0.isOfUsers }
        default: false
        }
    }
}
