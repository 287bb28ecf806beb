// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension Audience {
    /// The audience as a condition of `devices`, with cheap conditions first.
    ///
    /// It is true or false, never NULL: a value that a device did not report makes its condition false. Texts are
    /// compared byte by byte.
    func condition(for dialect: SQLDialect) -> SQL {
        switch self {
        case .all: "TRUE"
        case .and(let parts): Self.combine(parts, " AND ", ifEmpty: "TRUE", for: dialect)
        case .or(let parts): Self.combine(parts, " OR ", ifEmpty: "FALSE", for: dialect)
        case .not(let part): "NOT \(part.condition(for: dialect))"
        case .environment(let environment): "environment = \(environment)"
        case .container(let name): "container = \(name)"
        case .platform(let platform): .hasValue("platform", platform.rawValue)
        case .timeZone(let name): .hasValue("time_zone", name)
        case .appVersion(let range):
            .isWithin("app_version_key", range.atLeast.map { "\($0.sortKey)" }, range.below.map { "\($0.sortKey)" })
        case .seen(let span): .isWithin("seen_at", span)
        case .registered(let span): .isWithin("registered_at", span)
        case .locale(let range): .locale(range, for: dialect)
        case .users(let users): .hasValue("user_id", among: users.map(\.rawValue))
        case .topic(let topic): .topic("\(topic)", for: dialect)
        case .tag(let rule): dialect == .sqlite ? .sqliteTag(rule) : .postgresTag(rule)
        case .subscribers(let rule): .subscribers(rule, for: dialect)
        }
    }

    private static func combine(
        _ parts: [Audience],
        _ separator: StaticString,
        ifEmpty empty: SQL,
        for dialect: SQLDialect
    ) -> SQL {
        let conditions = parts.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
            .map { $0.element.condition(for: dialect) }
        switch conditions.count {
        case 0: return empty
        case 1: return conditions[0]
        default: return "(\(SQL(conditions, separator: separator)))"
        }
    }

    private var cost: Int {
        switch self {
        case .all: 0
        case .environment, .container, .seen, .registered: 1
        case .platform, .timeZone, .appVersion: 2
        case .locale: 4
        case .users: 8
        case .tag: 16
        case .topic: 32
        case .subscribers: 64
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.cost }
        case .not(let part): part.cost
        }
    }
}

extension TimeZoneFilter {
    var condition: SQL {
        switch self {
        case .any: "TRUE"
        case .only(let zones): .hasValue("time_zone", among: zones)
        case .except(let zones): "NOT \(SQL.hasValue("time_zone", among: zones))"
        }
    }
}

extension SQL {
    fileprivate static func hasValue(_ column: SQL, _ text: String) -> SQL { "coalesce(\(column) = \(text), FALSE)" }

    fileprivate static func hasValue(_ column: SQL, among texts: [String]) -> SQL {
        // PostgreSQL finds no users by their index inside `coalesce`.
        "(\(column) IS NOT NULL AND \(column) \(in: texts))"
    }

    fileprivate static func isWithin(_ column: SQL, _ span: DateRange) -> SQL {
        .isWithin(column, span.after.map { "\($0)" }, span.before.map { "\($0)" })
    }

    fileprivate static func isWithin(_ column: SQL, _ lower: SQL?, _ upper: SQL?) -> SQL {
        var bounds: [SQL] = []
        if let lower { bounds.append("coalesce(\(column) >= \(lower), FALSE)") }
        if let upper { bounds.append("coalesce(\(column) < \(upper), FALSE)") }
        return bounds.isEmpty ? "\(column) IS NOT NULL" : "(\(SQL(bounds, separator: " AND ")))"
    }

    /// Folds only ASCII letters, as `LocaleRange` does.
    fileprivate static func locale(_ range: LocaleRange, for dialect: SQLDialect) -> SQL {
        let prefix = range.folded + "-"
        switch dialect {
        case .sqlite:
            // Only locales of the language are folded, because that takes longer than LIKE.
            let language = String(range.folded.prefix { $0 != "-" })
            let pattern = TagCondition.isPlain(language) && !language.contains("_") ? language + "%" : "%"
            return """
                CASE WHEN locale LIKE \(pattern)
                    THEN substr(lower(replace(locale, '_', '-')) || '-', 1, \(prefix.unicodeScalars.count)) = \(prefix)
                    ELSE FALSE END
                """
        case .postgres:
            return """
                coalesce(starts_with(lower(replace(locale, '_', '-') COLLATE "C") || '-', \(prefix)), FALSE)
                """
        }
    }

    fileprivate static func topic(_ topic: SQL, for dialect: SQLDialect) -> SQL {
        switch dialect {
        case .sqlite: "EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = \(topic))"
        case .postgres: "\(topic) = ANY (devices.topics)"
        }
    }

    fileprivate static func postgresTag(_ rule: TagCondition) -> SQL {
        let condition: SQL =
            switch rule.match {
            case .exists: "tags ? \(rule.name)"
            case .equals(let text): "tags ->> \(rule.name) = \(text)"
            case .contains(let text): "strpos(tags ->> \(rule.name), \(text)) > 0"
            }
        return "coalesce(\(condition), FALSE)"
    }

    /// The store writes tags as one JSON object of texts, without spaces.
    ///
    /// So a member whose name and value have one form in JSON is found as text: an unescaped `{"` or `,"` starts a name
    /// and nothing else.
    fileprivate static func sqliteTag(_ rule: TagCondition) -> SQL {
        if let member = rule.member {
            let (first, later) = ("{" + member, "," + member)
            return "coalesce(instr(tags, \(first)) > 0 OR instr(tags, \(later)) > 0, FALSE)"
        }
        let hint: SQL = rule.hint.map { text -> SQL in "instr(tags, \(text)) > 0" } ?? "tags IS NOT NULL"
        let value: SQL =
            switch rule.match {
            case .exists: "TRUE"
            case .equals(let text): "value = \(text)"
            case .contains(let text): "instr(value, \(text)) > 0"
            }
        // Text that is not JSON would fail the statement, and with it the campaign.
        return """
            CASE WHEN \(hint) AND json_valid(tags)
                THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE key = \(rule.name) AND \(value)) ELSE FALSE END
            """
    }

    /// The condition that a device receives a publication, for audiences in which it is one of several conditions.
    fileprivate static func subscribers(_ rule: TopicAudience, for dialect: SQLDialect) -> SQL {
        let shares: SQL = "topic_shares.topic = \(rule.topic.rawValue) AND \(SQL.shareApp) = devices.app"
        let subscribed: SQL = """
            EXISTS (
                SELECT 1 FROM topic_shares \(SQL.orderedJoin) subscriptions ON subscriptions.share = topic_shares.number
                WHERE \(shares) AND subscriptions.policy \(in: rule.policies)
            """
        var conditions: [SQL] = [
            "\(subscribed) AND subscriptions.device = devices.number)",
            "\(subscribed) AND subscriptions.user_id = devices.user_id)",
        ]
        if rule.countsProfiles {
            conditions.append(
                """
                EXISTS (
                    SELECT 1 FROM topic_shares \(SQL.orderedJoin) topics ON topics.number = topic_shares.topic
                    WHERE \(shares) AND \(SQL.topic("topics.name", for: dialect)))
                """
            )
        }
        return "(\(SQL(conditions, separator: " OR ")))"
    }
}

extension TagCondition {
    /// The member in the JSON of exactly those tags that fulfil the rule.
    fileprivate var member: String? {
        guard case .equals(let text) = self.match, Self.isPlain(self.name), Self.isPlain(text) else { return nil }
        return "\"\(self.name)\":\"\(text)\""
    }

    /// A text in the JSON of all tags that fulfil the rule.
    fileprivate var hint: String? { Self.isPlain(self.name) ? "\"\(self.name)\":" : nil }

    /// Whether a text has one form in JSON.
    fileprivate static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "_", "-", ".", ":": true
            default: false
            }
        }
    }
}
