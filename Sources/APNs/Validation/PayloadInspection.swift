// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Holds a payload against the rules of its push type and collects what breaks them.
struct PayloadInspection {
    let pushType: PushType
    let payload: [String: JSONValue]
    private(set) var failures: [ValidationFailure] = []

    /// An inspection of the object that a payload is.
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

    /// Records one failure.
    mutating func fail(_ field: String, rule: String, value: String) {
        self.failures.append(ValidationFailure(field: field, rule: rule, value: value))
    }

    /// Checks one member of an object against a rule; one that is absent passes unless it is required.
    ///
    /// `path` is what stands before the member's name in a failure, with its dot.
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

    private mutating func withAPS(_ inspect: (inout PayloadInspection, [String: JSONValue]) -> Void) {
        switch self.payload["aps"] {
        case .object(let aps): inspect(&self, aps)
        case nil: self.fail("aps", rule: "an object for push type \(self.pushType)", value: "nothing")
        case .some(let value): self.fail("aps", rule: "an object", value: value.brief)
        }
    }
}
