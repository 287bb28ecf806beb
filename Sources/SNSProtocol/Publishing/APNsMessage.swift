// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What of a message goes to the endpoints of one platform: headers and payload.
public struct APNsMessage: Hashable, Sendable {
    /// The headers.
    public let headers: NotificationHeaders
    /// The payload.
    public let payload: APNsPayload
    /// After which second since 1970 it is not to be sent any more; `nil` when one attempt is made whenever it is.
    public let deadline: Int64?

    /// Makes it.
    ///
    /// - Parameters:
    ///   - message: what was published.
    ///   - platform: that of the application.
    ///   - bundleID: the app's, which is the topic unless an attribute names one.
    ///   - publishedAt: when it was published, in seconds since 1970.
    /// - Throws: ``SNSError`` `InvalidParameter`: what a message to one endpoint is answered, and why an endpoint is left
    ///   out of a topic.
    public init(
        _ message: SNSMessage,
        platform: SNSPlatform,
        bundleID: String,
        publishedAt: Int64
    ) throws(SNSError) {
        let attributes = try APNsAttributes(message.attributes, for: platform)
        let payload = try Self.payload(of: message, platform: platform)
        let pushType = attributes.pushType ?? platform.pushType ?? Self.pushType(of: payload)
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

    /// Checks the reserved attributes that hold for all platforms, before anybody's platform is known.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`: what a message to any endpoint would be answered.
    public static func checkSharedAttributes(of message: SNSMessage) throws(SNSError) {
        _ = try APNsAttributes(shared: message.attributes)
    }

    /// The platform's own entry as it is; any other text becomes an alert.
    private static func payload(of message: SNSMessage, platform: SNSPlatform) throws(SNSError) -> APNsPayload {
        if let own = message.structure?[platform.rawValue] {
            do {
                return try APNsPayload(json: own)
            } catch {
                throw self.invalid(platform, "Notification is no JSON object: \(error.value)")
            }
        }
        guard let text = message.text(forProtocol: platform.rawValue) else {
            throw .invalidParameter("JSON must contain an entry for 'default' or '\(platform.rawValue)'.")
        }
        do {
            return try APNsPayload(object: ["aps": ["alert": .string(text)]])
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
