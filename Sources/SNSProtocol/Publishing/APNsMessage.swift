// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs

/// The part of a message for the endpoints of one platform: headers and payload.
package struct APNsMessage: Hashable, Sendable {
    package let headers: NotificationHeaders
    package let payload: APNsPayload
    /// The time in seconds since 1970 after which it is not sent; `nil` if one attempt is made at any time.
    package let deadline: Int64?

    /// Creates headers and payload.
    ///
    /// `bundleID` is the topic unless an attribute sets one. `publishedAt` is in seconds since 1970.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`: the error response of a message to one endpoint, and why an endpoint
    ///   of a topic is skipped.
    package init(
        _ message: SNSMessage,
        platform: SNSPlatform,
        bundleID: String,
        publishedAt: Int64
    ) throws(SNSError) {
        let attributes = try APNsAttributes(message.attributes, for: platform)
        let (payload, isAlert) = try Self.payload(of: message, platform: platform)
        let pushType =
            attributes.pushType ?? platform.pushType ?? (isAlert ? .alert : Self.pushType(of: payload))
        let topic: Topic
        if let given = attributes.topic {
            topic = given
        } else {
            do {
                topic = try Topic(bundleID: bundleID, pushType: pushType)
            } catch {
                throw Self.invalid(platform, error.message)
            }
        }
        let isOnce = attributes.lifetime == 0
        let deadline = publishedAt + attributes.lifetime
        self.headers = NotificationHeaders(
            topic: topic,
            pushType: pushType,
            priority: attributes.priority,
            expiration: isOnce ? .once : APNsExpiration(rawValue: deadline),
            collapseID: attributes.collapseID
        )
        self.deadline = isOnce ? nil : deadline
        self.payload = payload
        guard let failure = self.headers.validate(payloadSize: payload.size).first else { return }
        let isTooLong = payload.size > self.headers.maximumPayloadBytes
        throw Self.invalid(platform, isTooLong ? "Notification is too long" : failure.message)
    }

    /// Validates the reserved attributes of all platforms, before the recipient's platform is known.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`: the error response of a message to any endpoint.
    package static func checkSharedAttributes(of message: SNSMessage) throws(SNSError) {
        _ = try APNsAttributes(shared: message.attributes)
    }

    /// The platform's own entry as it is; any other text becomes an alert.
    private static func payload(
        of message: SNSMessage,
        platform: SNSPlatform
    ) throws(SNSError) -> (payload: APNsPayload, isAlert: Bool) {
        if let own = message.structure?[platform.rawValue] {
            do {
                return (try APNsPayload(json: own), false)
            } catch {
                throw self.invalid(platform, "Notification is not a JSON object: \(error.value)")
            }
        }
        guard let text = message.text(forProtocol: platform.rawValue) else {
            throw .invalidParameter("JSON must contain an entry for 'default' or '\(platform.rawValue)'.")
        }
        do {
            return (try APNsPayload(aps: APS(alert: .text(text))), true)
        } catch {
            throw self.invalid(platform, error.message)
        }
    }

    /// `background` for a payload that wakes the app and shows nothing, and `alert` for every other.
    private static func pushType(of payload: APNsPayload) -> PushType {
        guard let value = try? JSONValue(json: payload.bytes), case .object(let aps)? = value["aps"],
            aps["content-available"] == 1, aps["alert"] == nil, aps["badge"] == nil, aps["sound"] == nil
        else { return .alert }
        return .background
    }

    private static func invalid(_ platform: SNSPlatform, _ reason: String) -> SNSError {
        .invalidParameter("Message", reason: "Invalid notification for protocol \(platform.rawValue): \(reason)")
    }
}

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

    /// Reads the attributes for a platform; the lifetime has a name for each platform, the others one for all of
    /// Apple's.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` with the name of the attribute, the rule and the value.
    init(_ attributes: [String: MessageAttribute], for platform: SNSPlatform) throws(SNSError) {
        try self.init(shared: attributes)
        let lifetime = "\(platform.rawValue).TTL"
        try Self.read(attributes, lifetime) { (text) throws(InvalidValueError) in
            guard let seconds = Int64(text), (0...Int64(UInt32.max)).contains(seconds) else {
                throw InvalidValueError(field: lifetime, rule: "seconds, 0 or more", value: text)
            }
            self.lifetime = seconds
        }
    }

    /// Reads the attributes for all platforms.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` with the name of the attribute, the rule and the value.
    init(shared attributes: [String: MessageAttribute]) throws(SNSError) {
        try Self.read(attributes, "APNS.TOPIC") { (text) throws(InvalidValueError) in self.topic = try Topic(text) }
        try Self.read(attributes, "APNS.PUSH_TYPE") { (text) throws(InvalidValueError) in
            let type = PushType(rawValue: text)
            guard type.rule != nil else {
                let known = PushType.known.map(\.rawValue).joined(separator: ", ")
                throw InvalidValueError(field: "apns-push-type", rule: "one of \(known)", value: text)
            }
            self.pushType = type
        }
        try Self.read(attributes, "APNS.PRIORITY") { (text) throws(InvalidValueError) in
            guard let priority = Priority(headerValue: text), Priority.known.contains(priority) else {
                throw InvalidValueError(field: "apns-priority", rule: "10, 5 or 1", value: text)
            }
            self.priority = priority
        }
        try Self.read(attributes, "APNS.COLLAPSE_ID") { (text) throws(InvalidValueError) in
            self.collapseID = try CollapseID(text)
        }
    }

    private static func read(
        _ attributes: [String: MessageAttribute],
        _ name: String,
        _ body: (String) throws(InvalidValueError) -> Void
    ) throws(SNSError) {
        if attributes.isEmpty { return }
        let name = self.prefix + name
        guard let attribute = attributes[name] else { return }
        guard let text = attribute.text else {
            throw .invalidParameter(name, reason: "expected a String or a Number, got \(attribute.dataType.cut)")
        }
        guard text.isStreamSafe else {
            throw .invalidParameter(name, reason: "expected at most 30 combining marks in a row, got more")
        }
        do {
            try body(text)
        } catch {
            throw .invalidParameter(name, reason: "expected \(error.rule), got \(error.value.cut)")
        }
    }
}
