// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Apple's requirements for one request header, and the rejection of APNs for an invalid value.
public struct RequestHeaderRequirements: Hashable, Sendable {
    /// When the header has to be there.
    public var presence: String
    /// The valid values.
    public var value: String
    /// The reasons that APNs gives for a bad or a missing value.
    public var reasons: [RejectionReason]

    static let table: [RequestHeader: RequestHeaderRequirements] = [
        .authorization: RequestHeaderRequirements(
            presence: "required with token trust, ignored on a certificate connection",
            value: "bearer and a provider token (JWT, ES256) issued within the last hour",
            reasons: [
                .missingProviderToken, .invalidProviderToken, .expiredProviderToken, .badEnvironmentKeyIDInToken,
                .unrelatedKeyIDInToken, .tooManyProviderTokenUpdates,
            ]
        ),
        .topic: RequestHeaderRequirements(
            presence: "required; on a certificate connection of a single topic it may be left out",
            value: "the app's bundle identifier followed by the push type's suffix",
            reasons: [.missingTopic, .badTopic, .topicDisallowed, .deviceTokenNotForTopic]
        ),
        .pushType: RequestHeaderRequirements(
            presence: "required for watchOS 6 and later, advised everywhere",
            value: "one of the push types, matching the payload",
            reasons: [.invalidPushType, .missingPushType]
        ),
        .apnsID: RequestHeaderRequirements(
            presence: "optional; APNs generates one and returns it",
            value: "a UUID in lower case, 8-4-4-4-12",
            reasons: [.badMessageID]
        ),
        .expiration: RequestHeaderRequirements(
            presence: "optional for devices (stored up to 30 days without it), required for broadcasts",
            value: "seconds since 1970; 0 for one attempt without storage",
            reasons: [.badExpirationDate]
        ),
        .priority: RequestHeaderRequirements(
            presence: "optional for devices (10 without it), required for broadcasts",
            value: "10, 5 or 1; only 5 for background pushes",
            reasons: [.badPriority]
        ),
        .collapseID: RequestHeaderRequirements(
            presence: "optional",
            value: "at most 64 bytes",
            reasons: [.badCollapseID]
        ),
        .channelID: RequestHeaderRequirements(
            presence: "required for broadcasts and to read or delete a channel",
            value: "the channel's base64 text as APNs gave it",
            reasons: [.missingChannelID, .badChannelID, .channelNotRegistered]
        ),
        .requestID: RequestHeaderRequirements(
            presence: "optional; APNs generates one and returns it",
            value: "a UUID in lower case, 8-4-4-4-12",
            reasons: [.badMessageID]
        ),
    ]
}
