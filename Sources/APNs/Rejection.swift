// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// APNs said no to one request.
///
/// A value, not an error: rejections are ordinary traffic.
public struct Rejection: Hashable, Sendable, Codable {
    /// The HTTP status of the response.
    public var status: Int
    /// The reason; ``RejectionReason/unknown`` if the response has none.
    public var reason: RejectionReason
    /// When APNs found the token inactive, in milliseconds since 1970; only with status 410.
    public var inactiveSince: Int64?

    /// A rejection with this status and reason.
    public init(status: Int, reason: RejectionReason, inactiveSince: Int64? = nil) {
        self.status = status
        self.reason = reason
        self.inactiveSince = inactiveSince
    }

    /// A rejection for a known reason, with the status that belongs to it (400 for an unknown one).
    public init(_ reason: RejectionReason, inactiveSince: Int64? = nil) {
        self.init(status: reason.entry?.status ?? 400, reason: reason, inactiveSince: inactiveSince)
    }

    /// The required action: by the reason if it is known, otherwise by the status.
    public var nextStep: RejectionAction { self.reason.entry?.nextStep ?? Self.nextStep(status: self.status) }

    private static func nextStep(status: Int) -> RejectionAction {
        switch status {
        case 410: .pruneToken
        case 413: .never
        case 429: .retryLater(after: RejectionReasonInfo.tooManyRequestsDelay)
        case 401, 403: .fixCredential
        case 400..<500: .fixRequest
        case 500..<600: .retryLater(after: RejectionReasonInfo.serverErrorDelay)
        default: .never
        }
    }
}

extension Rejection: CustomStringConvertible {
    /// Status and reason: `410 Unregistered`.
    public var description: String { "\(self.status) \(self.reason)" }
}

extension Rejection {
    /// Parses the rejection from a response of APNs: `{"reason":"Unregistered","timestamp":1754982000000}`.
    ///
    /// Never fails: a body that is not a JSON object, or has no reason, keeps the status and has
    /// ``RejectionReason/unknown``. Only a timestamp in whole milliseconds with status 410 is read.
    public init(status: Int, body: UnsafeBufferPointer<UInt8>) {
        self.init(status: status, reason: .unknown)
        guard let members = try? JSONScanner.members(of: body) else { return }
        for member in members {
            let value = UnsafeBufferPointer(rebasing: body[member.value])
            switch member.key {
            case "reason":
                guard let text = JSONScanner.string(value), !text.isEmpty else { continue }
                self.reason = RejectionReason(wire: text)
            case "timestamp" where status == 410:
                self.inactiveSince = JSONScanner.integer(value)
            default: continue
            }
        }
    }

    /// Parses the rejection from a response of APNs; a body that cannot be parsed keeps the status.
    public init(status: Int, body: [UInt8]) {
        self = body.withUnsafeBufferPointer { Rejection(status: status, body: $0) }
    }

    /// The body of the APNs response with this rejection.
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("reason", string: self.reason.rawValue)
        if self.status == 410, let inactiveSince = self.inactiveSince {
            writer.member("timestamp", integer: inactiveSince)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension RejectionReason {
    /// The reason of a wire string.
    ///
    /// Apple's page prints one of them with a space: `Service Unavailable`.
    init(wire: String) {
        self = wire == "Service Unavailable" ? .serviceUnavailable : RejectionReason(rawValue: wire)
    }
}

/// The reason of a rejection: the `reason` of the APNs response.
///
/// Open: an unknown reason survives a round trip and has no ``entry``.
/// See <https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns>.
public struct RejectionReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The reason on the wire.
    public var rawValue: String

    /// The reason of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Represents a response without a reason; not a reason of Apple.
    public static let unknown = RejectionReason(rawValue: "Unknown")

    /// Apple's description of the reason, or nil for an unknown one.
    public var entry: RejectionReasonInfo? { Self.table[self] }
}

extension RejectionReason: CustomStringConvertible {
    /// The reason on the wire.
    public var description: String { self.rawValue }
}

extension RejectionReason {
    /// 400: The collapse id is longer than 64 bytes.
    public static let badCollapseID = RejectionReason(rawValue: "BadCollapseId")
    /// 400: The token is malformed, or belongs to the other environment.
    public static let badDeviceToken = RejectionReason(rawValue: "BadDeviceToken")
    /// 400: The expiration is not a valid number of seconds, or is not allowed for the channel.
    public static let badExpirationDate = RejectionReason(rawValue: "BadExpirationDate")
    /// 400: The apns-id or apns-request-id is no canonical UUID.
    public static let badMessageID = RejectionReason(rawValue: "BadMessageId")
    /// 400: The priority is unknown, or not allowed for the push type.
    public static let badPriority = RejectionReason(rawValue: "BadPriority")
    /// 400: The topic is invalid.
    public static let badTopic = RejectionReason(rawValue: "BadTopic")
    /// 400: The token belongs to another topic.
    public static let deviceTokenNotForTopic = RejectionReason(rawValue: "DeviceTokenNotForTopic")
    /// 400: The request has a header more than once.
    public static let duplicateHeaders = RejectionReason(rawValue: "DuplicateHeaders")
    /// 400: The connection was idle for too long.
    public static let idleTimeout = RejectionReason(rawValue: "IdleTimeout")
    /// 400: The push type is unknown.
    public static let invalidPushType = RejectionReason(rawValue: "InvalidPushType")
    /// 400: The path holds no token.
    public static let missingDeviceToken = RejectionReason(rawValue: "MissingDeviceToken")
    /// 400: The topic is missing and does not follow from the certificate.
    public static let missingTopic = RejectionReason(rawValue: "MissingTopic")
    /// 400: The request has no body.
    public static let payloadEmpty = RejectionReason(rawValue: "PayloadEmpty")
    /// 400: The credential may not send to this topic.
    public static let topicDisallowed = RejectionReason(rawValue: "TopicDisallowed")
    /// 403: The certificate is invalid.
    public static let badCertificate = RejectionReason(rawValue: "BadCertificate")
    /// 403: The certificate is for the other environment.
    public static let badCertificateEnvironment = RejectionReason(rawValue: "BadCertificateEnvironment")
    /// 403: The provider token was issued more than one hour ago; create a new one.
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
    static let table: [RejectionReason: RejectionReasonInfo] = [
        .badCollapseID: RejectionReasonInfo(400, "The collapse id is longer than 64 bytes.", .fixRequest),
        .badDeviceToken: RejectionReasonInfo(
            400,
            "The token is malformed, or belongs to the other environment.",
            .suspectToken
        ),
        .badExpirationDate: RejectionReasonInfo(
            400,
            "The expiration is not a valid number of seconds, or is not allowed for the channel.",
            .fixRequest
        ),
        .badMessageID: RejectionReasonInfo(400, "The apns-id or apns-request-id is not a canonical UUID.", .fixRequest),
        .badPriority: RejectionReasonInfo(
            400,
            "The priority is unknown, or not allowed for the push type.",
            .fixRequest
        ),
        .badTopic: RejectionReasonInfo(400, "The topic is invalid.", .fixRequest),
        .deviceTokenNotForTopic: RejectionReasonInfo(400, "The token belongs to another topic.", .never),
        .duplicateHeaders: RejectionReasonInfo(400, "The request has a header more than once.", .fixRequest),
        .idleTimeout: RejectionReasonInfo(400, "The connection was idle for too long.", .retryNow),
        .invalidPushType: RejectionReasonInfo(400, "The push type is unknown.", .fixRequest),
        .missingDeviceToken: RejectionReasonInfo(400, "The path holds no token.", .fixRequest),
        .missingTopic: RejectionReasonInfo(
            400,
            "The topic is missing and does not follow from the certificate.",
            .fixRequest
        ),
        .payloadEmpty: RejectionReasonInfo(400, "The request has no body.", .fixRequest),
        .topicDisallowed: RejectionReasonInfo(400, "The credential may not send to this topic.", .fixCredential),
        .badCertificate: RejectionReasonInfo(403, "The certificate is invalid.", .fixCredential),
        .badCertificateEnvironment: RejectionReasonInfo(
            403,
            "The certificate is for the other environment.",
            .fixCredential
        ),
        .expiredProviderToken: RejectionReasonInfo(
            403,
            "The provider token was issued more than an hour ago; create a new one.",
            .retryNow
        ),
        .forbidden: RejectionReasonInfo(403, "The action is not allowed.", .never),
        .invalidProviderToken: RejectionReasonInfo(
            403,
            "The provider token is malformed, or its signature, key or team is wrong.",
            .fixCredential
        ),
        .missingProviderToken: RejectionReasonInfo(
            403,
            "There is neither a provider token nor a certificate.",
            .fixCredential
        ),
        .unrelatedKeyIDInToken: RejectionReasonInfo(
            403,
            "The key is unrelated to the one of the connection's first push; open a new connection.",
            .retryNow
        ),
        .badEnvironmentKeyIDInToken: RejectionReasonInfo(
            403,
            "The key is restricted to the other environment.",
            .fixCredential
        ),
        .badEnvironmentKeyInToken: RejectionReasonInfo(
            403,
            "The key is restricted to the other environment.",
            .fixCredential
        ),
        .badPath: RejectionReasonInfo(404, "APNs does not serve the path.", .fixRequest),
        .methodNotAllowed: RejectionReasonInfo(
            405,
            "The method is not allowed on the path; pushes are sent with POST.",
            .fixRequest
        ),
        .expiredToken: RejectionReasonInfo(410, "The device token has expired.", .pruneToken),
        .unregistered: RejectionReasonInfo(410, "The device token is no longer active for the topic.", .pruneToken),
        .payloadTooLarge: RejectionReasonInfo(413, "The payload is larger than the limit.", .never),
        .tooManyProviderTokenUpdates: RejectionReasonInfo(
            429,
            "The provider token changed more than once in 20 minutes on one connection.",
            .retryLater(after: RejectionReasonInfo.tokenUpdateDelay)
        ),
        .tooManyRequests: RejectionReasonInfo(
            429,
            "Too many pushes to one token or channel in a row.",
            .retryLater(after: RejectionReasonInfo.tooManyRequestsDelay)
        ),
        .internalServerError: RejectionReasonInfo(
            500,
            "APNs had an internal error.",
            .retryLater(after: RejectionReasonInfo.serverErrorDelay)
        ),
        .serviceUnavailable: RejectionReasonInfo(
            503,
            "APNs is not available.",
            .retryLater(after: RejectionReasonInfo.serverErrorDelay)
        ),
        .shutdown: RejectionReasonInfo(
            503,
            "The APNs server is shutting down.",
            .retryLater(after: RejectionReasonInfo.serverErrorDelay)
        ),
        .featureNotEnabled: RejectionReasonInfo(400, "The App ID lacks the broadcast capability.", .fixCredential),
        .missingChannelID: RejectionReasonInfo(400, "The channel id is missing.", .fixRequest),
        .badChannelID: RejectionReasonInfo(400, "The channel id is badly encoded or of a wrong length.", .fixRequest),
        .channelNotRegistered: RejectionReasonInfo(400, "The channel does not exist.", .fixRequest),
        .badRequestParams: RejectionReasonInfo(400, "The request has an unknown attribute.", .fixRequest),
        .badRequestPayload: RejectionReasonInfo(400, "The body cannot be parsed.", .fixRequest),
        .missingPushType: RejectionReasonInfo(400, "The push type is missing.", .fixRequest),
        .cannotCreateChannelConfig: RejectionReasonInfo(
            400,
            "The app has the maximum number of channels.",
            .fixRequest
        ),
        .topicMismatch: RejectionReasonInfo(403, "The credential is for another app.", .fixCredential),
    ]
}

/// Apple's description of one rejection reason.
public struct RejectionReasonInfo: Hashable, Sendable {
    /// The HTTP status of responses with the reason.
    public var status: Int
    /// The meaning, in one sentence.
    public var meaning: String
    /// The required action.
    public var nextStep: RejectionAction

    /// How long Apple asks to wait after a 5xx before the first retry: 15 minutes.
    public static let serverErrorDelay: Duration = .seconds(15 * 60)
    /// How long to wait after `TooManyRequests`: one minute.
    ///
    /// Apple asks for a delay and gives no figure.
    public static let tooManyRequestsDelay: Duration = .seconds(60)
    /// How long to wait after `TooManyProviderTokenUpdates`: Apple's 20 minutes between two provider tokens.
    public static let tokenUpdateDelay: Duration = .seconds(20 * 60)

    init(_ status: Int, _ meaning: String, _ nextStep: RejectionAction) {
        self.status = status
        self.meaning = meaning
        self.nextStep = nextStep
    }
}

/// The required action after a rejection by APNs.
public enum RejectionAction: Hashable, Sendable {
    /// Send it again immediately, on a new connection or with a new provider token, depending on the reason.
    case retryNow
    /// Send it again after this delay; increase the delay with each attempt.
    case retryLater(after: Duration)
    /// Do not send it again; neither the token nor the credential is invalid in general.
    case never
    /// The token is unregistered: delete it, unless the device registered again since.
    case pruneToken
    /// The token is malformed or belongs to the other environment: stop using it here, and investigate.
    case suspectToken
    /// Fix the key, the certificate or the App ID first; all other pushes would fail too.
    case fixCredential
    /// The request is invalid; change it before you send it again.
    case fixRequest
}
