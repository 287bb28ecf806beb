// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
import JSONSchema

/// A filter expression over an app's devices, written as JSON and translated by every store.
///
/// It does not consider whether a device has a valid token; the sender skips devices without one. A condition on a
/// value that a device does not have is false, and its `not` is true.
public indirect enum Audience: Hashable, Sendable {
    case all
    case topic(String)
    case tag(TagCondition)

    /// Devices whose locale is this one, or one of this language: `de` is also `de-AT`.
    case locale(LocaleRange)

    /// Devices with exactly this time zone identifier.
    case timeZone(String)

    case platform(DevicePlatform)
    case appVersion(AppVersionRange)
    case users([UserID])
    case environment(APNsEnvironment)

    /// Devices that were last heard of within a span.
    case seen(DateRange)

    /// Devices that registered last within a span.
    case registered(DateRange)

    /// Devices that get one publication to a topic; only publications have such an audience.
    case subscribers(TopicAudience)

    /// Devices with this ``Device/container``; only publications have such an audience.
    case container(String)

    case and([Audience])
    case or([Audience])
    case not(Audience)
}

extension Audience {
    /// How deep expressions may nest, the outermost one being the first level.
    public static let maximumDepth = 16

    /// How many expressions there may be in all.
    public static let maximumNodes = 200

    /// How many users may be named in all.
    public static let maximumUsers = 10_000

    /// The number of expressions in all, in proportion to which the database works for each device.
    public var nodeCount: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.nodeCount }
        case .not(let part): 1 + part.nodeCount
        default: 1
        }
    }
}

extension Audience {
    /// Whether the audience is that of a publication, in which each endpoint counts, also several with one token.
    public var isOfPublication: Bool {
        switch self {
        case .subscribers: true
        case .and(let parts), .or(let parts): parts.contains(where: \.isOfPublication)
        case .not(let part): part.isOfPublication
        default: false
        }
    }

    /// Whether a device belongs to an audience in which there is no publication.
    public func matches(_ device: Device) -> Bool { self.matches(device) { _ in false } }

    /// Whether a device belongs to the audience.
    ///
    /// The translation of every store must agree with this function.
    ///
    /// `isSubscribed` decides whether the device receives a publication, which does not follow from the device alone.
    public func matches(_ device: Device, isSubscribed: (TopicAudience) -> Bool) -> Bool {
        let profile = device.profile
        return switch self {
        case .all: true
        case .topic(let topic): profile.topics.contains { $0.hasSameBytes(as: topic) }
        case .tag(let rule): rule.holds(for: profile.tags)
        case .locale(let range): profile.locale.map(range.contains) ?? false
        case .timeZone(let name): profile.timeZone?.hasSameBytes(as: name) ?? false
        case .platform(let platform): profile.platform?.rawValue.hasSameBytes(as: platform.rawValue) ?? false
        case .appVersion(let range): profile.appVersion.flatMap { AppVersion($0) }.map(range.contains) ?? false
        case .users(let users): users.contains { $0.rawValue.hasSameBytes(as: profile.userID?.rawValue ?? "") }
        case .environment(let environment): device.environment == environment
        case .seen(let span): span.contains(device.seenAt)
        case .registered(let span): span.contains(device.registeredAt)
        case .subscribers(let rule): isSubscribed(rule)
        case .container(let name): device.container.hasSameBytes(as: name)
        case .and(let parts): parts.allSatisfy { $0.matches(device, isSubscribed: isSubscribed) }
        case .or(let parts): parts.contains { $0.matches(device, isSubscribed: isSubscribed) }
        case .not(let part): !part.matches(device, isSubscribed: isSubscribed)
        }
    }
}

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
        case .container(let name): ["container": .string(name)]
        case .and(let parts): ["and": .array(parts.map(\.json))]
        case .or(let parts): ["or": .array(parts.map(\.json))]
        case .not(let part): ["not": part.json]
        }
    }

    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        do {
            try self.init(json: value, isPublication: true)
        } catch {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description)
            throw DecodingError.dataCorrupted(context)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try self.json.encode(to: encoder)
    }
}

extension TagCondition {
    fileprivate var json: JSONValue {
        switch self.match {
        case .exists: ["name": .string(self.name)]
        case .equals(let text): ["name": .string(self.name), "equals": .string(text)]
        case .contains(let text): ["name": .string(self.name), "contains": .string(text)]
        }
    }
}

extension TopicAudience {
    fileprivate var json: JSONValue {
        ["topic": .integer(self.topic.rawValue), "policies": .array(self.policies.map { .integer($0) })]
    }
}

extension DateRange {
    fileprivate var json: JSONValue {
        .object(
            ["after": self.after.map(ISO8601Timestamp.text), "before": self.before.map(ISO8601Timestamp.text)].texts
        )
    }
}

extension [String: String?] {
    /// The members that are there, as JSON.
    fileprivate var texts: [String: JSONValue] { self.compactMapValues { $0.map { .string($0) } } }
}

/// Times as audiences, campaigns and events write and read them: ISO 8601 in UTC, such as `2026-02-03T04:05:06.789Z`.
enum ISO8601Timestamp {
    static func text(_ date: Date) -> String { RFC3339.text(milliseconds: date.millisecondsSince1970) }

    /// Reads a time that ``text(_:)`` can write again.
    static func date(_ text: String) -> Date? {
        RFC3339.date(text).flatMap { RFC3339.writable.contains($0.timeIntervalSince1970) ? $0 : nil }
    }
}
