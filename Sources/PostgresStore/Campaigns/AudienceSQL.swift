// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

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

    /// The condition of a range's time zones.
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
