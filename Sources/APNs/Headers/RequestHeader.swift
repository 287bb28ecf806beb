// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The name of a request header that APNs reads.
///
/// Open: a name that is not known here survives a round trip and has no ``rule``.
public struct RequestHeader: RawRepresentable, Hashable, Sendable, Codable {
    /// The name in lower case, as HTTP/2 writes it.
    public var rawValue: String

    /// The header of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `authorization`: the provider token.
    public static let authorization = RequestHeader(rawValue: "authorization")
    /// `apns-topic`: the bundle identifier with the push type's suffix.
    public static let topic = RequestHeader(rawValue: "apns-topic")
    /// `apns-push-type`: the kind of push.
    public static let pushType = RequestHeader(rawValue: "apns-push-type")
    /// `apns-id`: the notification's UUID.
    public static let apnsID = RequestHeader(rawValue: "apns-id")
    /// `apns-expiration`: until when it is stored.
    public static let expiration = RequestHeader(rawValue: "apns-expiration")
    /// `apns-priority`: how eagerly it is delivered.
    public static let priority = RequestHeader(rawValue: "apns-priority")
    /// `apns-collapse-id`: what it replaces on the screen.
    public static let collapseID = RequestHeader(rawValue: "apns-collapse-id")
    /// `apns-channel-id`: the channel of a broadcast or of a management request.
    public static let channelID = RequestHeader(rawValue: "apns-channel-id")
    /// `apns-request-id`: the UUID of a broadcast or of a management request.
    public static let requestID = RequestHeader(rawValue: "apns-request-id")

    /// The headers of a push to a device.
    public static let device: [RequestHeader] = [
        .authorization, .topic, .pushType, .apnsID, .expiration, .priority, .collapseID,
    ]

    /// The headers of broadcasts and of channel management.
    public static let broadcast: [RequestHeader] = [
        .authorization, .channelID, .requestID, .pushType, .expiration, .priority,
    ]

    /// What Apple asks of the header, or nil for an unknown one.
    public var rule: RequestHeaderRule? { RequestHeaderRule.table[self] }
}

extension RequestHeader: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
}

/// What Apple asks of one request header, and how APNs answers when it is bad.
public struct RequestHeaderRule: Hashable, Sendable {
    /// When the header has to be there.
    public var presence: String
    /// What its value has to be.
    public var value: String
    /// The reasons that APNs gives for a bad or a missing value.
    public var reasons: [RejectionReason]

    static let table: [RequestHeader: RequestHeaderRule] = [
        .authorization: RequestHeaderRule(
            presence: "required with token trust, ignored on a certificate connection",
            value: "bearer and a provider token (JWT, ES256) issued within the last hour",
            reasons: [
                .missingProviderToken, .invalidProviderToken, .expiredProviderToken, .badEnvironmentKeyIDInToken,
                .unrelatedKeyIDInToken, .tooManyProviderTokenUpdates,
            ]
        ),
        .topic: RequestHeaderRule(
            presence: "required; on a certificate connection of a single topic it may be left out",
            value: "the app's bundle identifier followed by the push type's suffix",
            reasons: [.missingTopic, .badTopic, .topicDisallowed, .deviceTokenNotForTopic]
        ),
        .pushType: RequestHeaderRule(
            presence: "required for watchOS 6 and later, advised everywhere",
            value: "one of the push types, matching the payload",
            reasons: [.invalidPushType, .missingPushType]
        ),
        .apnsID: RequestHeaderRule(
            presence: "optional; APNs makes one up and answers with it",
            value: "a UUID in lower case, 8-4-4-4-12",
            reasons: [.badMessageID]
        ),
        .expiration: RequestHeaderRule(
            presence: "optional for devices (stored up to 30 days without it), required for broadcasts",
            value: "seconds since 1970; 0 for one attempt without storage",
            reasons: [.badExpirationDate]
        ),
        .priority: RequestHeaderRule(
            presence: "optional for devices (10 without it), required for broadcasts",
            value: "10, 5 or 1; only 5 for background pushes",
            reasons: [.badPriority]
        ),
        .collapseID: RequestHeaderRule(
            presence: "optional",
            value: "at most 64 bytes",
            reasons: [.badCollapseID]
        ),
        .channelID: RequestHeaderRule(
            presence: "required for broadcasts and to read or delete a channel",
            value: "the channel's base64 text as APNs gave it",
            reasons: [.missingChannelID, .badChannelID, .channelNotRegistered]
        ),
        .requestID: RequestHeaderRule(
            presence: "optional; APNs makes one up and answers with it",
            value: "a UUID in lower case, 8-4-4-4-12",
            reasons: [.badMessageID]
        ),
    ]
}

/// The names of the response headers that APNs sends.
public enum ResponseHeader {
    /// The request's `apns-id`, or the one that APNs made up; seen in upper case.
    public static let apnsID = "apns-id"
    /// The key into the delivery log of the Push Notifications Console; for devices only in the sandbox.
    public static let uniqueID = "apns-unique-id"
    /// The request's `apns-request-id`, on broadcasts and channel management.
    public static let requestID = "apns-request-id"
    /// The id of a channel that was created.
    public static let channelID = "apns-channel-id"
}
