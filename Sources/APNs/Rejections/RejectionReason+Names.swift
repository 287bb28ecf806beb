// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension RejectionReason {
    /// 400: The collapse id is longer than 64 bytes.
    public static let badCollapseID = RejectionReason(rawValue: "BadCollapseId")
    /// 400: The token is malformed, or belongs to the other environment.
    public static let badDeviceToken = RejectionReason(rawValue: "BadDeviceToken")
    /// 400: The expiration is no valid number of seconds, or is not allowed for the channel.
    public static let badExpirationDate = RejectionReason(rawValue: "BadExpirationDate")
    /// 400: The apns-id or apns-request-id is no canonical UUID.
    public static let badMessageID = RejectionReason(rawValue: "BadMessageId")
    /// 400: The priority is unknown, or not allowed for the push type.
    public static let badPriority = RejectionReason(rawValue: "BadPriority")
    /// 400: The topic is invalid.
    public static let badTopic = RejectionReason(rawValue: "BadTopic")
    /// 400: The token belongs to another topic.
    public static let deviceTokenNotForTopic = RejectionReason(rawValue: "DeviceTokenNotForTopic")
    /// 400: A header stands in the request more than once.
    public static let duplicateHeaders = RejectionReason(rawValue: "DuplicateHeaders")
    /// 400: The connection was idle for too long.
    public static let idleTimeout = RejectionReason(rawValue: "IdleTimeout")
    /// 400: The push type is unknown.
    public static let invalidPushType = RejectionReason(rawValue: "InvalidPushType")
    /// 400: The path holds no token.
    public static let missingDeviceToken = RejectionReason(rawValue: "MissingDeviceToken")
    /// 400: The topic is missing and cannot be told from the certificate.
    public static let missingTopic = RejectionReason(rawValue: "MissingTopic")
    /// 400: The request has no body.
    public static let payloadEmpty = RejectionReason(rawValue: "PayloadEmpty")
    /// 400: The credential may not send to this topic.
    public static let topicDisallowed = RejectionReason(rawValue: "TopicDisallowed")
    /// 403: The certificate is invalid.
    public static let badCertificate = RejectionReason(rawValue: "BadCertificate")
    /// 403: The certificate is for the other environment.
    public static let badCertificateEnvironment = RejectionReason(rawValue: "BadCertificateEnvironment")
    /// 403: The provider token was issued more than an hour ago; make a new one.
    public static let expiredProviderToken = RejectionReason(rawValue: "ExpiredProviderToken")
    /// 403: The action is not allowed.
    public static let forbidden = RejectionReason(rawValue: "Forbidden")
    /// 403: The provider token is malformed, or its signature, key or team is wrong.
    public static let invalidProviderToken = RejectionReason(rawValue: "InvalidProviderToken")
    /// 403: There is neither a provider token nor a certificate.
    public static let missingProviderToken = RejectionReason(rawValue: "MissingProviderToken")
    /// 403: The key is unrelated to the one of the connection's first push; open a new connection.
    public static let unrelatedKeyIDInToken = RejectionReason(rawValue: "UnrelatedKeyIdInToken")
    /// 403: The key is restricted to the other environment (the spelling of Apple's pages).
    public static let badEnvironmentKeyIDInToken = RejectionReason(rawValue: "BadEnvironmentKeyIdInToken")
    /// 403: The key is restricted to the other environment (the spelling seen on the wire).
    public static let badEnvironmentKeyInToken = RejectionReason(rawValue: "BadEnvironmentKeyInToken")
    /// 404: The path is none that APNs serves.
    public static let badPath = RejectionReason(rawValue: "BadPath")
    /// 405: The method is not allowed on the path; pushes are sent with POST.
    public static let methodNotAllowed = RejectionReason(rawValue: "MethodNotAllowed")
    /// 410: The device token has expired.
    public static let expiredToken = RejectionReason(rawValue: "ExpiredToken")
    /// 410: The device token is no longer active for the topic.
    public static let unregistered = RejectionReason(rawValue: "Unregistered")
    /// 413: The payload is larger than the limit.
    public static let payloadTooLarge = RejectionReason(rawValue: "PayloadTooLarge")
    /// 429: The provider token changed more than once in 20 minutes on one connection.
    public static let tooManyProviderTokenUpdates = RejectionReason(rawValue: "TooManyProviderTokenUpdates")
    /// 429: Too many pushes to one token or channel in a row.
    public static let tooManyRequests = RejectionReason(rawValue: "TooManyRequests")
    /// 500: APNs failed inside.
    public static let internalServerError = RejectionReason(rawValue: "InternalServerError")
    /// 503: APNs is not available.
    public static let serviceUnavailable = RejectionReason(rawValue: "ServiceUnavailable")
    /// 503: The APNs server is shutting down.
    public static let shutdown = RejectionReason(rawValue: "Shutdown")
    /// 400: The App ID lacks the broadcast capability.
    public static let featureNotEnabled = RejectionReason(rawValue: "FeatureNotEnabled")
    /// 400: The channel id is missing.
    public static let missingChannelID = RejectionReason(rawValue: "MissingChannelId")
    /// 400: The channel id is badly encoded or of a wrong length.
    public static let badChannelID = RejectionReason(rawValue: "BadChannelId")
    /// 400: The channel does not exist.
    public static let channelNotRegistered = RejectionReason(rawValue: "ChannelNotRegistered")
    /// 400: The request has an unknown attribute.
    public static let badRequestParams = RejectionReason(rawValue: "BadRequestParams")
    /// 400: The body cannot be parsed.
    public static let badRequestPayload = RejectionReason(rawValue: "BadRequestPayload")
    /// 400: The push type is missing.
    public static let missingPushType = RejectionReason(rawValue: "MissingPushType")
    /// 400: The app has as many channels as it may have.
    public static let cannotCreateChannelConfig = RejectionReason(rawValue: "CannotCreateChannelConfig")
    /// 403: The credential is for another app.
    public static let topicMismatch = RejectionReason(rawValue: "TopicMismatch")
}
