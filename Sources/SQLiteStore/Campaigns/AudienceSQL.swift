// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

/// Writes the conditions of an audience on rows of `devices`; values are bound, never written.
struct AudienceSQL: AudienceDialect {
    /// The values, in the order in which they are bound.
    private(set) var values: StatementArguments = []

    mutating func constant(_ holds: Bool) -> String { holds ? "TRUE" : "FALSE" }

    mutating func all(of conditions: [String]) -> String { "(\(conditions.joined(separator: " AND ")))" }

    mutating func any(of conditions: [String]) -> String { "(\(conditions.joined(separator: " OR ")))" }

    mutating func negation(of condition: String) -> String { "NOT \(condition)" }

    mutating func condition(_ leaf: Audience) -> String {
        switch leaf {
        case .environment(let environment): return "environment = \(self.bind(environment.stored))"
        case .platform(let platform): return self.equals("platform", platform.rawValue)
        case .timeZone(let name): return self.equals("time_zone", name)
        case .appVersion(let range):
            return self.within("app_version_key", range.atLeast?.sortKey, range.below?.sortKey)
        case .seen(let span):
            return self.within("seen_at", span.after?.millisecondsSince1970, span.before?.millisecondsSince1970)
        case .registered(let span):
            return self.within("registered_at", span.after?.millisecondsSince1970, span.before?.millisecondsSince1970)
        case .locale(let range): return self.locale(range)
        case .users(let users): return "coalesce(user_id IN \(self.list(users.map(\.rawValue))), FALSE)"
        case .topic(let topic):
            let topic = self.bind(topic)
            return "EXISTS (SELECT 1 FROM device_topics WHERE device = devices.number AND topic = \(topic))"
        case .tag(let rule): return self.tag(rule)
        case .subscribers(let rule): return self.subscribers(rule)
        case .all, .and, .or, .not: return leaf.condition(in: &self)
        }
    }

    mutating func condition(_ zones: ZoneFilter) -> String {
        switch zones {
        case .any: "TRUE"
        case .only(let zones): "coalesce(time_zone IN \(self.list(zones)), FALSE)"
        case .except(let zones): "NOT coalesce(time_zone IN \(self.list(zones)), FALSE)"
        }
    }

    mutating func bind(_ value: some StatementArgument) -> String {
        self.values.append(value)
        return "?"
    }

    private mutating func equals(_ column: String, _ text: String) -> String {
        "coalesce(\(column) = \(self.bind(text)), FALSE)"
    }

    private mutating func within<Bound: StatementArgument>(
        _ column: String,
        _ lower: Bound?,
        _ upper: Bound?
    ) -> String {
        var bounds: [String] = []
        if let lower { bounds.append("coalesce(\(column) >= \(self.bind(lower)), FALSE)") }
        if let upper { bounds.append("coalesce(\(column) < \(self.bind(upper)), FALSE)") }
        return bounds.isEmpty ? "\(column) IS NOT NULL" : "(\(bounds.joined(separator: " AND ")))"
    }

    /// Any number of texts as one bound value.
    mutating func list(_ texts: [String]) -> String {
        let json = (try? JSONEncoder().encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        return "(SELECT value FROM json_each(\(self.bind(json))))"
    }

    // MARK: Locales

    /// Locales are folded only where their language, without regard to case, is the one that is sought.
    private mutating func locale(_ range: LocaleRange) -> String {
        let language = range.folded.prefix { $0 != "-" }
        let hint = TagRule.isPlain(String(language)) && !language.contains("_") ? language + "%" : "%"
        let sought = "locale LIKE \(self.bind(String(hint)))"
        let prefix = range.folded + "-"
        let length = self.bind(prefix.unicodeScalars.count)
        let found = "substr(lower(replace(locale, '_', '-')) || '-', 1, \(length)) = \(self.bind(prefix))"
        return "CASE WHEN \(sought) THEN \(found) ELSE FALSE END"
    }

    // MARK: Tags

    /// Tags are one JSON object of texts, which the store writes without spaces.
    ///
    /// A member whose name and value JSON can write in only one way is therefore found as text: an unescaped `{"` or `,"`
    /// opens a name nowhere else.
    private mutating func tag(_ rule: TagRule) -> String {
        if let member = rule.member {
            let first = "instr(tags, \(self.bind("{" + member))) > 0"
            return "coalesce(\(first) OR instr(tags, \(self.bind("," + member))) > 0, FALSE)"
        }
        let sought = rule.hint.map { "instr(tags, \(self.bind($0))) > 0" } ?? "tags IS NOT NULL"
        let name = self.bind(rule.name)
        let value =
            switch rule.match {
            case .exists: "TRUE"
            case .equals(let text): "value = \(self.bind(text))"
            case .contains(let text): "instr(value, \(self.bind(text))) > 0"
            }
        let found = "EXISTS (SELECT 1 FROM json_each(tags) WHERE key = \(name) AND \(value))"
        // Text that is no JSON would end the statement, and with it the campaign.
        return "CASE WHEN \(sought) AND json_valid(tags) THEN \(found) ELSE FALSE END"
    }
}

extension TagRule {
    /// The member that stands in the JSON of exactly those tags for which the rule holds.
    fileprivate var member: String? {
        guard case .equals(let text) = self.match, Self.isPlain(self.name), Self.isPlain(text) else { return nil }
        return "\"\(self.name)\":\"\(text)\""
    }

    /// A text that stands in the JSON of every device's tags for which the rule holds.
    fileprivate var hint: String? { Self.isPlain(self.name) ? "\"\(self.name)\":" : nil }

    /// Whether JSON writes a text in one way only.
    fileprivate static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }
}

extension AudienceSQL {
    /// The condition that a device gets a publication, for audiences of which it is a part like others.
    mutating func subscribers(_ rule: SubscriberRule) -> String {
        let policies = rule.policies.map(String.init).joined(separator: ", ")
        let shares = "topic_shares.topic = \(rule.topic.rawValue) AND coalesce(topic_shares.app, 0) = devices.app"
        let subscribed = """
            EXISTS (
                SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
                WHERE \(shares) AND subscriptions.policy IN (\(policies))
            """
        var conditions = [
            "\(subscribed) AND subscriptions.device = devices.number)",
            "\(subscribed) AND subscriptions.user_id = devices.user_id)",
        ]
        if rule.countsProfiles {
            conditions.append(
                """
                EXISTS (
                    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
                    CROSS JOIN device_topics ON device_topics.topic = topics.name
                    WHERE \(shares) AND device_topics.device = devices.number)
                """
            )
        }
        return "(\(conditions.joined(separator: " OR ")))"
    }
}

/// Questions about the devices of an audience that can be reached.
///
/// The numbers of an app's devices lie side by side, so that one scan passes over no others. Only the devices of users
/// that are named are found by their index instead.
struct AudienceQuery {
    /// The values of the conditions, in the order in which they are bound.
    let arguments: StatementArguments

    private let devices: String

    init(_ audience: Audience, app number: Int64, in range: AudienceRange) {
        let numbers = DeviceNumber.range(ofApp: number)
        let places: StatementArguments = [
            max(numbers.lowerBound, range.after), min(numbers.upperBound, range.through ?? .max),
        ]
        var dialect = AudienceSQL()
        let users = audience.users.map { "app = \(dialect.bind(number)) AND user_id IN \(dialect.list($0)) AND" }
        let userValues = dialect.values.count
        let conditions = [dialect.condition(range.zones), audience.condition(in: &dialect)]
        let source = users.map { "INDEXED BY devices_by_user WHERE \($0)" } ?? "NOT INDEXED WHERE"
        self.devices = """
            devices \(source) number > ? AND number <= ? AND status < 2 AND \(conditions.joined(separator: " AND "))
            """
        let values = dialect.values
        self.arguments = Array(values[..<userValues]) + places + values[userValues...]
    }

    var count: String { "SELECT count(*) FROM \(self.devices)" }

    /// The devices in the order of their numbers, with the columns of the depth; takes how many at most behind the others.
    func members(_ depth: MemberDetails.Depth) -> String {
        let details =
            switch depth {
            case .none: ""
            case .locale: ", locale"
            case .all: ", locale, user_id, tags"
            }
        return "SELECT number, environment, token\(details) FROM \(self.devices) ORDER BY number LIMIT ?"
    }

    /// The names of the devices in the order of their numbers; takes how many at most behind the others.
    var installations: String { "SELECT number, installation FROM \(self.devices) ORDER BY number LIMIT ?" }

    /// The time zones that the devices told, and how many of them each.
    var timeZones: String {
        "SELECT time_zone, count(*) AS count FROM \(self.devices) GROUP BY time_zone LIMIT 10000"
    }
}

extension Audience {
    /// Users of which all of its devices are; `nil` when it is not so simple.
    fileprivate var users: [String]? {
        switch self {
        case .users(let users): users.map(\.rawValue)
        case .and(let parts): parts.lazy.compactMap(\.users).first
        default: nil
        }
    }
}
