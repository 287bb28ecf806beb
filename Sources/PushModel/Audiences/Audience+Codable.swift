// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Audience: Codable {
    /// The audience as JSON, which ``init(json:at:)`` reads back.
    public var json: JSONValue {
        switch self {
        case .all: ["all": true]
        case .topic(let topic): ["topic": .string(topic)]
        case .tag(let rule): ["tag": rule.json]
        case .locale(let range): ["locale": .string(range.folded)]
        case .timeZone(let name): ["timeZone": .string(name)]
        case .platform(let platform): ["platform": .string(platform.rawValue)]
        case .appVersion(let range):
            ["appVersion": .object(["atLeast": range.atLeast?.description, "below": range.below?.description].texts)]
        case .users(let users): ["users": .array(users.map { .string($0.rawValue) })]
        case .environment(let environment): ["environment": .string(environment.rawValue)]
        case .seen(let span): ["seen": span.json]
        case .registered(let span): ["registered": span.json]
        case .subscribers(let rule): ["subscribers": rule.json]
        case .and(let parts): ["and": .array(parts.map(\.json))]
        case .or(let parts): ["or": .array(parts.map(\.json))]
        case .not(let part): ["not": part.json]
        }
    }

    /// Reads the JSON of an audience.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        do {
            try self.init(json: value, isPublication: true)
        } catch {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description)
            throw DecodingError.dataCorrupted(context)
        }
    }

    /// Writes the JSON of the audience.
    public func encode(to encoder: any Encoder) throws {
        try self.json.encode(to: encoder)
    }
}

extension TagRule {
    fileprivate var json: JSONValue {
        switch self.match {
        case .exists: ["name": .string(self.name)]
        case .equals(let text): ["name": .string(self.name), "equals": .string(text)]
        case .contains(let text): ["name": .string(self.name), "contains": .string(text)]
        }
    }
}

extension SubscriberRule {
    fileprivate var json: JSONValue {
        ["topic": .integer(self.topic.rawValue), "policies": .array(self.policies.map { .integer($0) })]
    }
}

extension TimeSpan {
    fileprivate var json: JSONValue {
        .object(["after": self.after.map(ISOTime.text), "before": self.before.map(ISOTime.text)].texts)
    }
}

extension [String: String?] {
    /// The members that are there, as JSON.
    fileprivate var texts: [String: JSONValue] { self.compactMapValues { $0.map { .string($0) } } }
}

/// Times as audiences and campaigns write and read them: ISO 8601 in UTC, such as `2026-02-03T04:05:06.789Z`.
enum ISOTime {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String { date.formatted(self.style) }

    static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: self.style)) ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }
}
