// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The reserved message attributes that steer Apple's headers: `AWS.SNS.MOBILE.APNS.TTL` and its like.
struct APNsAttributes: Hashable, Sendable {
    /// How long SNS keeps a message for a device that cannot be reached: 4 weeks, in seconds.
    static let defaultLifetime: Int64 = 28 * 86400

    private static let prefix = "AWS.SNS.MOBILE."

    /// For how many seconds the message is worth delivering; 0 for one attempt.
    private(set) var lifetime = Self.defaultLifetime
    private(set) var topic: Topic?
    private(set) var pushType: PushType?
    private(set) var priority: Priority?
    private(set) var collapseID: CollapseID?

    /// Reads what is meant for a platform; the lifetime has a name for each, the others one for all of Apple's.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` with the name of the attribute, the rule and what was given.
    init(_ attributes: [String: MessageAttribute], for platform: SNSPlatform) throws(SNSError) {
        try self.init(shared: attributes)
        let lifetime = "\(platform.rawValue).TTL"
        try Self.read(attributes, lifetime) { (text) throws(ValidationFailure) in
            guard let seconds = Int64(text), (0...Int64(UInt32.max)).contains(seconds) else {
                throw ValidationFailure(field: lifetime, rule: "seconds, 0 or more", value: text)
            }
            self.lifetime = seconds
        }
    }

    /// Reads what is meant for all platforms.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` with the name of the attribute, the rule and what was given.
    init(shared attributes: [String: MessageAttribute]) throws(SNSError) {
        try Self.read(attributes, "APNS.TOPIC") { (text) throws(ValidationFailure) in self.topic = try Topic(text) }
        try Self.read(attributes, "APNS.PUSH_TYPE") { (text) throws(ValidationFailure) in
            let type = PushType(rawValue: text)
            guard type.rule != nil else {
                let known = PushType.known.map(\.rawValue).joined(separator: ", ")
                throw ValidationFailure(field: "apns-push-type", rule: "one of \(known)", value: text)
            }
            self.pushType = type
        }
        try Self.read(attributes, "APNS.PRIORITY") { (text) throws(ValidationFailure) in
            guard let priority = Priority(headerValue: text), Priority.known.contains(priority) else {
                throw ValidationFailure(field: "apns-priority", rule: "10, 5 or 1", value: text)
            }
            self.priority = priority
        }
        try Self.read(attributes, "APNS.COLLAPSE_ID") { (text) throws(ValidationFailure) in
            self.collapseID = try CollapseID(text)
        }
    }

    private static func read(
        _ attributes: [String: MessageAttribute],
        _ name: String,
        _ body: (String) throws(ValidationFailure) -> Void
    ) throws(SNSError) {
        let name = self.prefix + name
        guard let attribute = attributes[name] else { return }
        guard let text = attribute.text else {
            throw .invalidParameter(name, reason: "expected a String or a Number, got \(attribute.dataType.cut)")
        }
        do {
            try body(text)
        } catch {
            throw .invalidParameter(name, reason: "expected \(error.rule), got \(error.value)")
        }
    }
}
