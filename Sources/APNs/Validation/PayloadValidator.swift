// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Validates a payload with the rules of its push type, and collects the failures.
struct PayloadValidator {
    let pushType: PushType
    let payload: [String: JSONValue]
    private(set) var failures: [InvalidValueError] = []

    init(pushType: PushType, payload: [String: JSONValue]) {
        self.pushType = pushType
        self.payload = payload
    }

    /// Applies the rules of the push type.
    ///
    /// Types with free-form payloads, and unknown types, have none.
    mutating func run() {
        switch self.pushType {
        case .alert: self.withAPS { $0.inspectAlertPush($1) }
        case .background: self.withAPS { $0.inspectBackgroundPush($1) }
        case .widgets, .controls: self.withAPS { $0.inspectContentChangedPush($1) }
        case .liveactivity: self.withAPS { $0.inspectLiveActivityPush($1) }
        case .mdm: self.check(self.payload, "mdm", .string, path: "", required: true)
        case .fileprovider: self.check(self.payload, "container-identifier", .string, path: "", required: true)
        default: break
        }
    }

    mutating func fail(_ field: String, rule: String, value: String) {
        self.failures.append(InvalidValueError(field: field, rule: rule, value: value))
    }

    /// Validates one member of an object; a missing one is valid unless it is required.
    ///
    /// `path` is the prefix of the member's name in a failure, with its dot.
    mutating func check(
        _ members: [String: JSONValue],
        _ name: String,
        _ rule: PayloadRule,
        path: String,
        required: Bool = false
    ) {
        guard let value = members[name] else {
            if required {
                self.fail(path + name, rule: "\(rule.phrase) for push type \(self.pushType)", value: "nothing")
            }
            return
        }
        if !rule.holds(for: value) { self.fail(path + name, rule: rule.phrase, value: value.brief) }
    }

    private mutating func withAPS(_ inspect: (inout PayloadValidator, [String: JSONValue]) -> Void) {
        switch self.payload["aps"] {
        case .object(let aps): inspect(&self, aps)
        case nil: self.fail("aps", rule: "an object for push type \(self.pushType)", value: "nothing")
        case .some(let value): self.fail("aps", rule: "an object", value: value.brief)
        }
    }
}

/// The rules of ordinary pushes: alerts, background, widgets and controls.
extension PayloadValidator {
    /// The rules of the keys of `aps`, for all types.
    private static let apsRules: [(String, PayloadRule)] = [
        ("alert", .stringOrObject), ("badge", .count), ("sound", .stringOrObject), ("thread-id", .string),
        ("category", .string), ("content-available", .flag), ("mutable-content", .flag),
        ("target-content-id", .string), ("interruption-level", .string), ("relevance-score", .number(0...1)),
        ("filter-criteria", .string), ("content-changed", .bool), ("url-args", .array),
    ]

    private static let alertRules: [(String, PayloadRule)] = [
        ("title", .string), ("subtitle", .string), ("body", .string), ("launch-image", .string),
        ("title-loc-key", .string), ("title-loc-args", .strings), ("subtitle-loc-key", .string),
        ("subtitle-loc-args", .strings), ("loc-key", .string), ("loc-args", .strings), ("summary-arg", .string),
        ("summary-arg-count", .count), ("action-loc-key", .string), ("action", .string),
    ]

    private static let soundRules: [(String, PayloadRule)] = [
        ("critical", .flag), ("name", .string), ("volume", .number(0...1)),
    ]

    mutating func inspectAlertPush(_ aps: [String: JSONValue]) {
        self.inspectKeys(aps)
        if aps["alert"] == nil, aps["badge"] == nil, aps["sound"] == nil {
            self.fail("aps", rule: "alert, badge or sound for push type alert", value: "none of them")
        }
    }

    mutating func inspectBackgroundPush(_ aps: [String: JSONValue]) {
        switch aps["content-available"] {
        case .integer(1), .bool(true): break
        case let value:
            self.fail("aps.content-available", rule: "1 for push type background", value: value?.brief ?? "nothing")
        }
        for name in aps.keys.sorted() where name != "content-available" {
            self.fail("aps.\(name)", rule: "only content-available for push type background", value: "another key")
        }
    }

    mutating func inspectContentChangedPush(_ aps: [String: JSONValue]) {
        self.inspectKeys(aps)
        switch aps["content-changed"] {
        case .bool(false), nil:
            let value = aps["content-changed"]?.brief ?? "nothing"
            self.fail("aps.content-changed", rule: "true for push type \(self.pushType)", value: value)
        default: break
        }
    }

    private mutating func inspectKeys(_ aps: [String: JSONValue]) {
        for (name, rule) in Self.apsRules { self.check(aps, name, rule, path: "aps.") }
        if case .object(let alert) = aps["alert"] {
            for (name, rule) in Self.alertRules { self.check(alert, name, rule, path: "aps.alert.") }
        }
        if case .object(let sound) = aps["sound"] {
            for (name, rule) in Self.soundRules { self.check(sound, name, rule, path: "aps.sound.") }
        }
    }
}

/// The rules of Live Activity pushes.
extension PayloadValidator {
    mutating func inspectLiveActivityPush(_ aps: [String: JSONValue]) {
        self.check(aps, "timestamp", .seconds, path: "aps.", required: true)
        self.check(aps, "relevance-score", .anyNumber, path: "aps.")
        self.check(aps, "stale-date", .seconds, path: "aps.")
        self.check(aps, "dismissal-date", .seconds, path: "aps.")
        self.check(aps, "input-push-token", .flag, path: "aps.")
        self.check(aps, "input-push-channel", .string, path: "aps.")
        let event = aps["event"]
        switch event {
        case .string("start"):
            self.check(aps, "attributes-type", .string, path: "aps.", required: true)
            self.check(aps, "attributes", .object, path: "aps.", required: true)
            self.check(aps, "content-state", .object, path: "aps.", required: true)
            self.check(aps, "alert", .object, path: "aps.", required: true)
        case .string("update"):
            self.check(aps, "content-state", .object, path: "aps.", required: true)
            self.check(aps, "alert", .object, path: "aps.")
        case .string("end"):
            self.check(aps, "content-state", .object, path: "aps.")
            self.check(aps, "alert", .object, path: "aps.")
        default:
            self.fail("aps.event", rule: "start, update or end", value: event?.brief ?? "nothing")
        }
        if case .object(let alert) = aps["alert"] { self.inspectAlert(alert) }
    }

    private mutating func inspectAlert(_ alert: [String: JSONValue]) {
        self.check(alert, "sound", .string, path: "aps.alert.")
        for name in ["title", "body"] {
            self.check(alert, name, .stringOrObject, path: "aps.alert.")
            guard case .object(let text) = alert[name] else { continue }
            self.check(text, "loc-key", .string, path: "aps.alert.\(name).", required: true)
            self.check(text, "loc-args", .strings, path: "aps.alert.\(name).")
        }
    }
}

/// The valid values of a payload member.
enum PayloadRule {
    case string
    case stringOrObject
    case object
    case array
    /// A list of strings.
    case strings
    case bool
    /// 1, Apple's way of writing flags; 0 and booleans pass.
    case flag
    /// A whole number from 0 up.
    case count
    /// A number inside a range.
    case number(ClosedRange<Double>)
    /// Seconds since 1970: not milliseconds, and not before.
    case seconds

    /// The rule of ``count``, for the badge.
    static let badge = "a whole number, 0 or more"

    static let anyNumber = PayloadRule.number(-Double.infinity...Double.infinity)

    /// The rule as a phrase that follows "expected".
    var phrase: String {
        switch self {
        case .string: "a string"
        case .stringOrObject: "a string or an object"
        case .object: "an object"
        case .array: "a list"
        case .strings: "a list of strings"
        case .bool: "true or false"
        case .flag: "1"
        case .count: Self.badge
        case .number(let range) where range.upperBound == .infinity: "a number"
        case .number(let range):
            "\(JSONValue.double(range.lowerBound).brief)...\(JSONValue.double(range.upperBound).brief)"
        case .seconds: "seconds since 1970"
        }
    }

    func holds(for value: JSONValue) -> Bool {
        switch (self, value) {
        case (.string, .string), (.stringOrObject, .string), (.stringOrObject, .object), (.object, .object),
            (.array, .array), (.bool, .bool), (.flag, .bool):
            true
        case (.strings, .array(let elements)): elements.allSatisfy { PayloadRule.string.holds(for: $0) }
        case (.flag, .integer(let number)): number == 0 || number == 1
        case (.count, .integer(let number)): number >= 0
        case (.number(let range), .integer(let number)): range.contains(Double(number))
        case (.number(let range), .double(let number)): range.contains(number)
        // A time in milliseconds exceeds this bound, which is in the year 5138.
        case (.seconds, .integer(let number)): (0..<100_000_000_000).contains(number)
        case (.seconds, .double(let number)): (0..<100_000_000_000).contains(number)
        default: false
        }
    }
}

extension JSONValue {
    /// The value for a failure: numbers and words as they are, everything else by its kind and size.
    var brief: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .string(let text): "a string of \(text.count) characters"
        case .array(let elements): "a list of \(elements.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }
}

/// The largest bodies that APNs takes, in bytes; above them it answers 413 `PayloadTooLarge`.
public enum PayloadLimit {
    /// Every push to a device but VoIP.
    public static let device = 4096
    /// VoIP pushes.
    public static let voip = 5120
    /// Broadcasts to a channel.
    public static let broadcast = 5120
}

/// An invalid value: the field, the rule, and the value that was found.
///
/// ``value`` never contains a secret or a complete device token; long values are described by size or kind.
public struct InvalidValueError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The location of the value: a header name, a dotted path into the payload (`aps.sound.volume`), or a parameter.
    public var field: String
    /// The valid values, as a phrase that follows "expected": `"0...1"`, `"at most 64 bytes of UTF-8"`.
    public var rule: String
    /// The value that was found, short and redacted: the value itself if it is harmless, otherwise its size or kind.
    public var value: String

    /// A failure of `rule` at `field`; `value` is cut to 400 Unicode scalars.
    public init(field: String, rule: String, value: String) {
        self.field = field
        self.rule = rule
        self.value = value.shortened(to: 400)
    }

    /// The whole failure as one sentence for people.
    public var message: String { "\(self.field): expected \(self.rule), got \(self.value)" }

    /// The same as ``message``.
    public var description: String { self.message }
}
