// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The rules of ordinary pushes: alerts, background, widgets and controls.
extension PayloadInspection {
    /// What the keys of `aps` have to be, whatever the type.
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
