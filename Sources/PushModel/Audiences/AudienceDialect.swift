// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How one database writes the conditions of an audience.
///
/// `Audience.condition(in:)` walks the tree and calls these in the order in which the conditions stand in the result, so
/// that values may be bound by their places. Every condition has to be true or false, never unknown: what a device did
/// not tell makes it false.
public protocol AudienceDialect {
    /// A condition as the database takes it, complete in itself.
    associatedtype Condition

    /// A condition that always holds, or never.
    mutating func constant(_ holds: Bool) -> Condition

    /// A condition on a single device; none of `all`, `and`, `or` and `not`.
    mutating func condition(_ leaf: Audience) -> Condition

    /// All of these hold; there are at least two.
    mutating func all(of conditions: [Condition]) -> Condition

    /// One of these holds; there are at least two.
    mutating func any(of conditions: [Condition]) -> Condition

    /// This does not hold.
    mutating func negation(of condition: Condition) -> Condition
}

extension Audience {
    /// The audience as a condition of a database, what is cheap to check before what is not.
    public func condition<Dialect: AudienceDialect>(in dialect: inout Dialect) -> Dialect.Condition {
        switch self {
        case .all: return dialect.constant(true)
        case .and(let parts):
            guard let only = Self.only(of: parts) else {
                if parts.isEmpty { return dialect.constant(true) }
                return dialect.all(of: Self.sorted(parts).map { $0.condition(in: &dialect) })
            }
            return only.condition(in: &dialect)
        case .or(let parts):
            guard let only = Self.only(of: parts) else {
                if parts.isEmpty { return dialect.constant(false) }
                return dialect.any(of: Self.sorted(parts).map { $0.condition(in: &dialect) })
            }
            return only.condition(in: &dialect)
        case .not(let part): return dialect.negation(of: part.condition(in: &dialect))
        case .topic, .tag, .locale, .timeZone, .platform, .appVersion, .users, .environment, .seen, .registered,
            .subscribers:
            return dialect.condition(self)
        }
    }

    private static func only(of parts: [Audience]) -> Audience? { parts.count == 1 ? parts[0] : nil }

    private static func sorted(_ parts: [Audience]) -> [Audience] {
        parts.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
    }
}
