// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The headers that every request of a batch shares; `apns-id` and the token differ for each target.
public struct NotificationHeaders: Hashable, Sendable {
    /// `apns-topic`.
    public var topic: Topic
    /// `apns-push-type`.
    public var pushType: PushType
    /// `apns-priority`; nil sends no header, and APNs assumes 10.
    public var priority: Priority?
    /// `apns-expiration`; nil sends no header, and APNs stores for up to 30 days.
    public var expiration: APNsExpiration?
    /// `apns-collapse-id`; nil sends no header.
    public var collapseID: CollapseID?
    /// Whether the targets are broadcast channels and not devices.
    ///
    /// The topic is the app's bundle identifier then, without a suffix; it goes into the path.
    public var isBroadcast = false

    /// Headers for pushes of one type to one topic.
    ///
    /// Where the type allows a single priority (5 for `background`, 10 for `pushtotalk`) and `priority` is nil, that
    /// one is filled in.
    public init(
        topic: Topic,
        pushType: PushType = .alert,
        priority: Priority? = nil,
        expiration: APNsExpiration? = nil,
        collapseID: CollapseID? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority ?? pushType.rule?.requiredPriority
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// Headers for broadcasts to channels of an app.
    ///
    /// - Parameters:
    ///   - bundleID: the app's bundle identifier.
    ///   - priority: how eagerly it is delivered.
    ///   - expiration: until when APNs keeps it; ``APNsExpiration/once`` for a channel that stores no message.
    public init(broadcastFor bundleID: Topic, priority: Priority, expiration: APNsExpiration) {
        self.init(topic: bundleID, pushType: .liveactivity, priority: priority, expiration: expiration)
        self.isBroadcast = true
    }

    /// The largest body that APNs takes with these headers, in bytes.
    public var maximumPayloadBytes: Int {
        self.isBroadcast ? PayloadLimit.broadcast : self.pushType.maximumPayloadBytes
    }

    /// The priority that APNs goes by: the header's, or 10 without one.
    public var effectivePriority: Priority { self.priority ?? .immediate }

    /// The headers in their wire form, in a fixed order, without those that are nil.
    public var fields: [(name: RequestHeader, value: String)] {
        var fields: [(name: RequestHeader, value: String)] = [(.pushType, self.pushType.rawValue)]
        if !self.isBroadcast { fields.insert((.topic, self.topic.rawValue), at: 0) }
        if let priority = self.priority { fields.append((.priority, priority.description)) }
        if let expiration = self.expiration { fields.append((.expiration, expiration.description)) }
        if !self.isBroadcast, let collapseID = self.collapseID { fields.append((.collapseID, collapseID.rawValue)) }
        return fields
    }
}

extension NotificationHeaders: Codable {
    private enum CodingKeys: CodingKey {
        case topic, pushType, priority, expiration, collapseID, isBroadcast
    }

    /// Reads headers; those that do not say whether they are a broadcast's are not.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            topic: try container.decode(Topic.self, forKey: .topic),
            pushType: try container.decode(PushType.self, forKey: .pushType),
            expiration: try container.decodeIfPresent(APNsExpiration.self, forKey: .expiration),
            collapseID: try container.decodeIfPresent(CollapseID.self, forKey: .collapseID)
        )
        self.priority = try container.decodeIfPresent(Priority.self, forKey: .priority)
        self.isBroadcast = try container.decodeIfPresent(Bool.self, forKey: .isBroadcast) ?? false
    }

    /// Encodes the headers; the flag of a broadcast is encoded only for broadcasts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.topic, forKey: .topic)
        try container.encode(self.pushType, forKey: .pushType)
        try container.encodeIfPresent(self.priority, forKey: .priority)
        try container.encodeIfPresent(self.expiration, forKey: .expiration)
        try container.encodeIfPresent(self.collapseID, forKey: .collapseID)
        if self.isBroadcast { try container.encode(true, forKey: .isBroadcast) }
    }
}

extension NotificationHeaders {
    /// Checks the headers, and the payload's size against the limit of the push type.
    /// - Parameter payloadSize: bytes.
    /// - Returns: every failure, headers first; empty if all is well. An unknown push type has no rules to break.
    public func validate(payloadSize: Int) -> [InvalidValueError] {
        var failures: [InvalidValueError] = []
        if let failure = self.topicFailure { failures.append(failure) }
        if let failure = self.priorityFailure { failures.append(failure) }
        if let expiration = self.expiration, expiration.rawValue < 0 {
            failures.append(
                InvalidValueError(
                    field: RequestHeader.expiration.rawValue,
                    rule: "seconds since 1970, 0 or more",
                    value: expiration.description
                )
            )
        }
        if payloadSize < 1 {
            failures.append(InvalidValueError(field: "payload", rule: "a JSON object", value: "0 bytes"))
        }
        let limit = self.maximumPayloadBytes
        if payloadSize > limit {
            failures.append(
                InvalidValueError(
                    field: "payload",
                    rule: "at most \(limit) bytes for push type \(self.pushType)",
                    value: "\(payloadSize) bytes"
                )
            )
        }
        return failures
    }

    /// Validates the headers and the payload with Apple's requirements for the push type.
    ///
    /// Finds errors that APNs would reject, and those that it would accept although the device drops the push: an alert
    /// push without content, a Live Activity start without an alert, a time in milliseconds. Unknown keys and levels
    /// are valid.
    /// - Returns: every failure, headers and size first; empty if there is none.
    public func validate(payload: APNsPayload) -> [InvalidValueError] {
        var failures = self.validate(payloadSize: payload.size)
        do {
            guard case .object(let members) = try JSONValue(json: payload.bytes) else { return failures }
            var inspection = PayloadValidator(pushType: self.pushType, payload: members)
            inspection.run()
            failures += inspection.failures
        } catch {
            failures.append(InvalidValueError(field: "payload", rule: "a JSON object", value: error.message))
        }
        return failures
    }

    private var priorityFailure: InvalidValueError? {
        guard let rule = self.pushType.rule, !rule.priorities.contains(self.effectivePriority) else { return nil }
        let allowed = rule.priorities.sorted(by: >).map(\.description).joined(separator: " or ")
        return InvalidValueError(
            field: RequestHeader.priority.rawValue,
            rule: "\(allowed) for push type \(self.pushType)",
            value: self.priority?.description ?? "no priority, which means 10"
        )
    }

    private var topicFailure: InvalidValueError? {
        guard let rule = self.pushType.rule else { return nil }
        let field = RequestHeader.topic.rawValue
        if self.isBroadcast {
            guard self.topic.bundleID(for: self.pushType) != nil else { return nil }
            let rule = "the bundle identifier alone for a broadcast"
            return InvalidValueError(field: field, rule: rule, value: self.topic.rawValue)
        }
        guard rule.topicSuffix.isEmpty else {
            guard self.topic.bundleID(for: self.pushType) == nil else { return nil }
            return InvalidValueError(
                field: field,
                rule: "a bundle identifier and \(rule.topicSuffix) for push type \(self.pushType)",
                value: self.topic.rawValue
            )
        }
        guard let other = self.topic.unmistakablePushType else { return nil }
        return InvalidValueError(
            field: field,
            rule: "the bundle identifier alone for push type \(self.pushType)",
            value: "\(self.topic), a topic for \(other)"
        )
    }
}

extension Topic {
    /// The push types with a suffix that no ordinary bundle identifier has.
    ///
    /// `.voip` and `.complication` are also the last words of ordinary bundle identifiers, so they prove nothing.
    private static let unmistakable = PushType.known.compactMap { type in
        [.voip, .complication].contains(type) ? nil : type.rule.map { (type, suffix: $0.topicSuffix) }
    }.filter { !$0.suffix.isEmpty }

    /// The only push type that the topic can have; `nil` if it can have several.
    fileprivate var unmistakablePushType: PushType? {
        // Each notification asks, so this looks no rules up.
        Self.unmistakable.first { _, suffix in
            self.rawValue.hasSuffix(suffix) && self.rawValue.utf8.count > suffix.utf8.count
        }?.0
    }
}
