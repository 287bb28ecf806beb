// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A Live Activity push: the members of its `aps`, parsed by the device.
struct ActivityPush: Codable, Hashable, Sendable {
    enum Event: String, Codable, Sendable {
        case start, update, end
    }

    var event: Event
    /// Seconds since 1970.
    var timestamp: Double
    var contentState: JSONValue?
    var attributesType: String?
    var attributes: JSONValue?
    /// Whether there is an alert with a title or a body.
    var hasAlert: Bool
    /// Seconds since 1970.
    var staleAt: Double?
    /// Seconds since 1970.
    var dismissAt: Double?
    var relevanceScore: Double?
    var asksForToken: Bool
    var channel: String?

    /// Reads a payload.
    ///
    /// - Throws: ``ActivityPushError`` with the first member that is missing or of a wrong type.
    init(payload: [UInt8]) throws(ActivityPushError) {
        let value: JSONValue
        do {
            value = try JSONValue(json: payload)
        } catch {
            throw ActivityPushError(.malformedPayload, "the payload is not JSON: \(error.message)")
        }
        guard case .object(let aps)? = value["aps"] else {
            throw ActivityPushError(
                .malformedPayload,
                "aps: expected an object, got \(value["aps"]?.kind ?? "nothing")"
            )
        }
        guard case .string(let name)? = aps["event"], let event = Event(rawValue: name) else {
            let found = if case .string(let name)? = aps["event"] { "\"\(name.prefix(40))\"" } else { "no string" }
            throw ActivityPushError(.unknownEvent, "aps.event: expected start, update or end, got \(found)")
        }
        guard let timestamp = try Self.moment("timestamp", of: aps) else {
            throw ActivityPushError(.missingTimestamp, "aps.timestamp: expected seconds since 1970, got nothing")
        }
        self.event = event
        self.timestamp = timestamp
        self.contentState = try Self.object("content-state", of: aps)
        self.attributes = try Self.object("attributes", of: aps)
        self.attributesType = try Self.string("attributes-type", of: aps)
        self.staleAt = try Self.moment("stale-date", of: aps)
        self.dismissAt = try Self.moment("dismissal-date", of: aps)
        self.relevanceScore = try Self.number("relevance-score", of: aps)
        self.channel = try Self.string("input-push-channel", of: aps)
        self.asksForToken = try Self.number("input-push-token", of: aps).map { $0 != 0 } ?? false
        let alert = try Self.object("alert", of: aps)
        self.hasAlert = Self.isText(alert?["title"]) || Self.isText(alert?["body"])
    }

    /// Whether a part of an alert says something: text, or a key of the app's strings.
    private static func isText(_ value: JSONValue?) -> Bool {
        switch value {
        case .string(let text): !text.isEmpty
        case .object(let members): members["loc-key"] != nil
        default: false
        }
    }

    private static func number(_ name: String, of aps: [String: JSONValue]) throws(ActivityPushError) -> Double? {
        guard let value = aps[name], value != .null else { return nil }
        guard let number = value.number else { throw self.wrongType(name, "a number", value) }
        return number
    }

    /// Seconds since 1970, kept within the years that a calendar can write.
    private static func moment(_ name: String, of aps: [String: JSONValue]) throws(ActivityPushError) -> Double? {
        try self.number(name, of: aps).map { min(max($0, 0), SimulatorTimeRange.latest) }
    }

    private static func string(_ name: String, of aps: [String: JSONValue]) throws(ActivityPushError) -> String? {
        guard let value = aps[name], value != .null else { return nil }
        guard case .string(let text) = value else { throw self.wrongType(name, "a string", value) }
        return text
    }

    private static func object(_ name: String, of aps: [String: JSONValue]) throws(ActivityPushError) -> JSONValue? {
        guard let value = aps[name], value != .null else { return nil }
        guard case .object = value else { throw self.wrongType(name, "an object", value) }
        return value
    }

    private static func wrongType(_ name: String, _ expected: String, _ value: JSONValue) -> ActivityPushError {
        ActivityPushError(.malformedPayload, "aps.\(name): expected \(expected), got \(value.kind)")
    }
}

/// Why a Live Activity push that APNs accepted changed nothing on the device.
public enum ActivityIgnoreReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The payload is no JSON object, has no `aps`, or a member has a wrong type.
    case malformedPayload
    /// `aps.event` is missing or none of start, update and end.
    case unknownEvent
    /// `aps.timestamp` is missing.
    case missingTimestamp
    /// `aps.content-state` is missing.
    case missingContentState
    /// `aps.attributes-type` or `aps.attributes` is missing from a start.
    case missingAttributes
    /// A start has no alert, or an empty one.
    case missingAlert
    /// A start was sent to an update token, or an update to a push-to-start token.
    case wrongToken
    /// A start came as a broadcast.
    case startByBroadcast
    /// The app has no activity attributes of this name.
    case unknownAttributesType
    /// The push-to-start token is for other attributes.
    case attributesTypeMismatch
    /// The attributes or the content state cannot be decoded by the default strategies.
    case undecodable
    /// Attributes and content state have more than 4 KB together.
    case tooLarge
    /// A newer push or update came before.
    case olderTimestamp
    /// The timestamp lies too far back.
    case pastTimestamp
    /// The timestamp lies too far ahead.
    case futureTimestamp
    /// The activity has ended.
    case ended
    /// The activity no longer exists.
    case unknownActivity
    /// The app has used up its budget of pushes with priority 10.
    case overBudget
    /// A newer push took the place of this one while it waited for budget.
    case superseded
    /// The user disabled Live Activities for the app.
    case disabled
    /// The app, or the device, has as many activities as it may have.
    case limitExceeded
    /// The push requires a later system version.
    case unsupportedSystem
    /// The channel does not exist for the app.
    case unknownChannel
    /// The push asks for both a token and a channel.
    case conflictingInput
    /// The app was removed, or has not declared Live Activities.
    case unsupportedApp
}

/// Why a push has no effect, with a message.
struct ActivityPushError: Error, Hashable {
    var cause: ActivityIgnoreReason
    var detail: String

    init(_ cause: ActivityIgnoreReason, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }
}
