// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The rules of Live Activity pushes.
extension PayloadInspection {
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
