// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension NotificationHeaders {
    /// Checks the headers, and the payload's size against the limit of the push type.
    /// - Parameter payloadSize: bytes.
    /// - Returns: every failure, headers first; empty if all is well. An unknown push type has no rules to break.
    public func validate(payloadSize: Int) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        if let failure = self.topicFailure { failures.append(failure) }
        if let failure = self.priorityFailure { failures.append(failure) }
        if let expiration = self.expiration, expiration.rawValue < 0 {
            failures.append(
                ValidationFailure(
                    field: RequestHeader.expiration.rawValue,
                    rule: "seconds since 1970, 0 or more",
                    value: expiration.description
                )
            )
        }
        if payloadSize < 1 {
            failures.append(ValidationFailure(field: "payload", rule: "a JSON object", value: "0 bytes"))
        }
        let limit = self.maximumPayloadBytes
        if payloadSize > limit {
            failures.append(
                ValidationFailure(
                    field: "payload",
                    rule: "at most \(limit) bytes for push type \(self.pushType)",
                    value: "\(payloadSize) bytes"
                )
            )
        }
        return failures
    }

    /// Checks the headers and the payload against Apple's rules for the push type.
    ///
    /// Finds what APNs would reject, and what it would take with 200 and the device then drop: an alert push that shows
    /// nothing, a Live Activity start without an alert, a time in milliseconds. Keys and levels that are not known pass.
    /// - Returns: every failure, headers and size first; empty if all is well.
    public func validate(payload: APNsPayload) -> [ValidationFailure] {
        var failures = self.validate(payloadSize: payload.size)
        do {
            guard case .object(let members) = try JSONValue(json: payload.bytes) else { return failures }
            var inspection = PayloadInspection(pushType: self.pushType, payload: members)
            inspection.run()
            failures += inspection.failures
        } catch {
            failures.append(ValidationFailure(field: "payload", rule: "a JSON object", value: error.message))
        }
        return failures
    }

    private var priorityFailure: ValidationFailure? {
        guard let rule = self.pushType.rule, !rule.priorities.contains(self.effectivePriority) else { return nil }
        let allowed = rule.priorities.sorted(by: >).map(\.description).joined(separator: " or ")
        return ValidationFailure(
            field: RequestHeader.priority.rawValue,
            rule: "\(allowed) for push type \(self.pushType)",
            value: self.priority?.description ?? "no priority, which means 10"
        )
    }

    private var topicFailure: ValidationFailure? {
        guard let rule = self.pushType.rule else { return nil }
        let field = RequestHeader.topic.rawValue
        if self.isBroadcast {
            guard self.topic.bundleID(for: self.pushType) != nil else { return nil }
            let rule = "the bundle identifier alone for a broadcast"
            return ValidationFailure(field: field, rule: rule, value: self.topic.rawValue)
        }
        guard rule.topicSuffix.isEmpty else {
            guard self.topic.bundleID(for: self.pushType) == nil else { return nil }
            return ValidationFailure(
                field: field,
                rule: "a bundle identifier and \(rule.topicSuffix) for push type \(self.pushType)",
                value: self.topic.rawValue
            )
        }
        guard let other = PushType.known.first(where: { self.topic.isUnmistakably($0) }) else { return nil }
        return ValidationFailure(
            field: field,
            rule: "the bundle identifier alone for push type \(self.pushType)",
            value: "\(self.topic), a topic for \(other)"
        )
    }
}

extension Topic {
    /// Whether the topic can only be one of this push type.
    ///
    /// `.voip` and `.complication` are also the last words of ordinary bundle identifiers, so they prove nothing.
    fileprivate func isUnmistakably(_ pushType: PushType) -> Bool {
        guard pushType != .voip, pushType != .complication else { return false }
        guard let suffix = pushType.rule?.topicSuffix, !suffix.isEmpty else { return false }
        return self.bundleID(for: pushType) != nil
    }
}
