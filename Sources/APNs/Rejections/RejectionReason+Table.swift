// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension RejectionReason {
    /// The reasons with which a push to a device is rejected.
    public static let device: [RejectionReason] = [
        .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
        .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
        .missingTopic, .payloadEmpty, .topicDisallowed, .badCertificate, .badCertificateEnvironment,
        .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken,
        .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .badPath, .methodNotAllowed, .expiredToken,
        .unregistered, .payloadTooLarge, .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError,
        .serviceUnavailable, .shutdown,
    ]

    /// The reasons with which a broadcast or a channel management request is rejected.
    public static let broadcast: [RejectionReason] = [
        .badExpirationDate, .badMessageID, .badPriority, .invalidPushType, .payloadEmpty, .topicDisallowed,
        .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .invalidProviderToken,
        .missingProviderToken, .badPath, .methodNotAllowed, .payloadTooLarge, .tooManyProviderTokenUpdates,
        .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown, .featureNotEnabled,
        .missingChannelID, .badChannelID, .channelNotRegistered, .badRequestParams, .badRequestPayload,
        .missingPushType, .cannotCreateChannelConfig, .topicMismatch,
    ]

    /// Every reason that Apple documents, and every other spelling of one that is seen on the wire.
    public static let all: [RejectionReason] = device + broadcast.filter { !device.contains($0) }

    /// The table of Apple's reasons.
    ///
    /// Next steps follow Apple's retry policy: a 5xx after 15 minutes, `TooManyRequests` with a delay, most other 4xx
    /// after the cause is put right, and the rest never.
    static let table: [RejectionReason: ReasonEntry] = [
        .badCollapseID: ReasonEntry(400, "The collapse id is longer than 64 bytes.", .fixRequest),
        .badDeviceToken: ReasonEntry(
            400,
            "The token is malformed, or belongs to the other environment.",
            .suspectToken
        ),
        .badExpirationDate: ReasonEntry(
            400,
            "The expiration is no valid number of seconds, or is not allowed for the channel.",
            .fixRequest
        ),
        .badMessageID: ReasonEntry(400, "The apns-id or apns-request-id is no canonical UUID.", .fixRequest),
        .badPriority: ReasonEntry(400, "The priority is unknown, or not allowed for the push type.", .fixRequest),
        .badTopic: ReasonEntry(400, "The topic is invalid.", .fixRequest),
        .deviceTokenNotForTopic: ReasonEntry(400, "The token belongs to another topic.", .never),
        .duplicateHeaders: ReasonEntry(400, "A header stands in the request more than once.", .fixRequest),
        .idleTimeout: ReasonEntry(400, "The connection was idle for too long.", .retryNow),
        .invalidPushType: ReasonEntry(400, "The push type is unknown.", .fixRequest),
        .missingDeviceToken: ReasonEntry(400, "The path holds no token.", .fixRequest),
        .missingTopic: ReasonEntry(400, "The topic is missing and cannot be told from the certificate.", .fixRequest),
        .payloadEmpty: ReasonEntry(400, "The request has no body.", .fixRequest),
        .topicDisallowed: ReasonEntry(400, "The credential may not send to this topic.", .fixCredential),
        .badCertificate: ReasonEntry(403, "The certificate is invalid.", .fixCredential),
        .badCertificateEnvironment: ReasonEntry(403, "The certificate is for the other environment.", .fixCredential),
        .expiredProviderToken: ReasonEntry(
            403,
            "The provider token was issued more than an hour ago; make a new one.",
            .retryNow
        ),
        .forbidden: ReasonEntry(403, "The action is not allowed.", .never),
        .invalidProviderToken: ReasonEntry(
            403,
            "The provider token is malformed, or its signature, key or team is wrong.",
            .fixCredential
        ),
        .missingProviderToken: ReasonEntry(403, "There is neither a provider token nor a certificate.", .fixCredential),
        .unrelatedKeyIDInToken: ReasonEntry(
            403,
            "The key is unrelated to the one of the connection's first push; open a new connection.",
            .retryNow
        ),
        .badEnvironmentKeyIDInToken: ReasonEntry(
            403,
            "The key is restricted to the other environment.",
            .fixCredential
        ),
        .badEnvironmentKeyInToken: ReasonEntry(403, "The key is restricted to the other environment.", .fixCredential),
        .badPath: ReasonEntry(404, "The path is none that APNs serves.", .fixRequest),
        .methodNotAllowed: ReasonEntry(
            405,
            "The method is not allowed on the path; pushes are sent with POST.",
            .fixRequest
        ),
        .expiredToken: ReasonEntry(410, "The device token has expired.", .pruneToken),
        .unregistered: ReasonEntry(410, "The device token is no longer active for the topic.", .pruneToken),
        .payloadTooLarge: ReasonEntry(413, "The payload is larger than the limit.", .never),
        .tooManyProviderTokenUpdates: ReasonEntry(
            429,
            "The provider token changed more than once in 20 minutes on one connection.",
            .retryLater(after: ReasonEntry.tokenUpdateDelay)
        ),
        .tooManyRequests: ReasonEntry(
            429,
            "Too many pushes to one token or channel in a row.",
            .retryLater(after: ReasonEntry.tooManyRequestsDelay)
        ),
        .internalServerError: ReasonEntry(500, "APNs failed inside.", .retryLater(after: ReasonEntry.serverErrorDelay)),
        .serviceUnavailable: ReasonEntry(
            503,
            "APNs is not available.",
            .retryLater(after: ReasonEntry.serverErrorDelay)
        ),
        .shutdown: ReasonEntry(
            503,
            "The APNs server is shutting down.",
            .retryLater(after: ReasonEntry.serverErrorDelay)
        ),
        .featureNotEnabled: ReasonEntry(400, "The App ID lacks the broadcast capability.", .fixCredential),
        .missingChannelID: ReasonEntry(400, "The channel id is missing.", .fixRequest),
        .badChannelID: ReasonEntry(400, "The channel id is badly encoded or of a wrong length.", .fixRequest),
        .channelNotRegistered: ReasonEntry(400, "The channel does not exist.", .fixRequest),
        .badRequestParams: ReasonEntry(400, "The request has an unknown attribute.", .fixRequest),
        .badRequestPayload: ReasonEntry(400, "The body cannot be parsed.", .fixRequest),
        .missingPushType: ReasonEntry(400, "The push type is missing.", .fixRequest),
        .cannotCreateChannelConfig: ReasonEntry(400, "The app has as many channels as it may have.", .fixRequest),
        .topicMismatch: ReasonEntry(403, "The credential is for another app.", .fixCredential),
    ]
}
