// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Settings for behavior that Apple does not document, or documents inconsistently.
///
/// Each property is a switch with a name (the property's) and a default, listed by ``catalogue``.
/// A ``RejectionReason`` that is `nil` lets the request pass.
public struct APNsSimulatorOptions: Sendable, Hashable {
    /// An `apns-expiration` that is negative or no integer: `BadExpirationDate`, or ignored.
    ///
    /// Default: reject.
    public var malformedExpiration: EdgeCasePolicy = .reject
    /// An `apns-expiration` in the past: delivered once and never stored, or `BadExpirationDate`.
    ///
    /// Default: accept.
    public var pastExpiration: EdgeCasePolicy = .accept
    /// A device token with upper-case digits in the path; refused with `BadDeviceToken`.
    ///
    /// Default: accept.
    public var upperCaseDeviceToken: EdgeCasePolicy = .accept
    /// An `apns-id` without dashes: refused with `BadMessageId`, or replaced by a generated one.
    ///
    /// Default: reject.
    public var undashedMessageID: EdgeCasePolicy = .reject
    /// An `apns-id` with upper-case digits; refused with `BadMessageId`.
    ///
    /// Default: accept.
    public var upperCaseMessageID: EdgeCasePolicy = .accept
    /// An empty `apns-collapse-id`; refused with `BadCollapseId`.
    ///
    /// Default: accept.
    public var emptyCollapseID: EdgeCasePolicy = .accept
    /// `Bearer` not in lower-case letters; refused with `InvalidProviderToken`.
    ///
    /// Default: accept.
    public var upperCaseBearer: EdgeCasePolicy = .accept
    /// An `iat` that is a string of digits; refused with `InvalidProviderToken`.
    ///
    /// Default: accept.
    public var quotedIssuedAt: EdgeCasePolicy = .accept
    /// An `iat` more than one hour in the future.
    ///
    /// Default: `InvalidProviderToken`.
    public var futureProviderToken: RejectionReason? = .invalidProviderToken
    /// A provider token of a different team than the connection's first push.
    ///
    /// Default: `InvalidProviderToken`.
    public var otherTeam: RejectionReason = .invalidProviderToken
    /// A key that is restricted to the other environment.
    ///
    /// Default: `BadEnvironmentKeyInToken`, as seen on the wire.
    public var otherEnvironmentKey: RejectionReason = .badEnvironmentKeyInToken
    /// Whether the first provider token of a connection counts as an update of the 20-minute rule.
    ///
    /// Default: it does not.
    public var countsFirstProviderToken = false
    /// The push types whose table of priorities is enforced.
    ///
    /// Default: `background`.
    public var priorityCheck: PriorityCheck = .background
    /// A `background` push without `apns-priority`, so with the default of 10; refused with `BadPriority`.
    ///
    /// Default: reject.
    public var backgroundWithoutPriority: EdgeCasePolicy = .reject
    /// A topic without the suffix of its push type.
    ///
    /// Default: `nil`, so only the device token is checked: `DeviceTokenNotForTopic` if it belongs to another topic.
    public var missingTopicSuffix: RejectionReason?
    /// A topic that the certificate does not list.
    ///
    /// Default: `TopicDisallowed`.
    public var topicNotInCertificate: RejectionReason = .topicDisallowed
    /// A push type that only provider tokens may send, sent with a certificate.
    ///
    /// Default: `TopicDisallowed`.
    public var tokenOnlyPushType: RejectionReason? = .topicDisallowed
    /// A body that is not a JSON object in UTF-8.
    ///
    /// Default: `PayloadEmpty`.
    public var nonJSONPayload: RejectionReason? = .payloadEmpty
    /// The event that raises the stream limit of a connection that uses provider tokens.
    ///
    /// Default: success.
    public var streamGrant: StreamGrantPolicy = .success
    /// Error penalties, rate limits and shutdown of provider connections.
    public var connections = ConnectionOptions()
    /// The behavior of the legacy binary gateway.
    public var legacy = LegacyOptions()
    /// Limits for storing, delivering and discarding notifications.
    public var storage = StorageOptions()
    /// The behavior of virtual devices.
    public var devices = DeviceOptions()
    /// The connections of devices to the courier port.
    public var courier = CourierOptions()
    /// The behavior of Live Activities.
    public var activities = ActivityOptions()
    /// The behavior of channels and broadcasts.
    public var channels = ChannelOptions()

    /// Creates switches in their default positions.
    public init() {}
}

extension APNsSimulatorOptions {
    /// All switches, with their positions and defaults.
    public static let catalogue: [SimulatorOption] =
        Self.edges + ConnectionOptions.catalogue + StorageOptions.catalogue + DeviceOptions.catalogue
        + CourierOptions.catalogue + ActivityOptions.catalogue + ChannelOptions.catalogue + LegacyOptions.catalogue

    /// The switches without a group: edge cases of the provider API's rules.
    private static let edges: [SimulatorOption] = [
        .position("malformedExpiration", \.malformedExpiration, "apns-expiration that is negative or not an integer"),
        .position("pastExpiration", \.pastExpiration, "apns-expiration in the past"),
        .position("upperCaseDeviceToken", \.upperCaseDeviceToken, "upper-case digits in the device token"),
        .position("undashedMessageID", \.undashedMessageID, "apns-id without dashes"),
        .position("upperCaseMessageID", \.upperCaseMessageID, "apns-id with upper-case digits"),
        .position("emptyCollapseID", \.emptyCollapseID, "empty apns-collapse-id"),
        .position("upperCaseBearer", \.upperCaseBearer, "Bearer not in lower-case letters"),
        .position("quotedIssuedAt", \.quotedIssuedAt, "iat of the provider token as a string"),
        .optionalReason(
            "futureProviderToken",
            \.futureProviderToken,
            [.invalidProviderToken, .expiredProviderToken, .tooManyProviderTokenUpdates],
            "iat of the provider token more than one hour in the future"
        ),
        .reason(
            "otherTeam",
            \.otherTeam,
            [.invalidProviderToken, .forbidden],
            "provider token of a different team than the connection's first push"
        ),
        .reason(
            "otherEnvironmentKey",
            \.otherEnvironmentKey,
            [.badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken],
            "provider token of a key restricted to the other environment"
        ),
        .flag(
            "countsFirstProviderToken",
            \.countsFirstProviderToken,
            "whether the first provider token of a connection counts in the 20-minute rule"
        ),
        .position("priorityCheck", \.priorityCheck, "push types whose allowed priorities are enforced"),
        .position("backgroundWithoutPriority", \.backgroundWithoutPriority, "background push without apns-priority"),
        .optionalReason(
            "missingTopicSuffix",
            \.missingTopicSuffix,
            [.badTopic, .topicDisallowed, .invalidPushType],
            "topic without the suffix of its push type"
        ),
        .reason(
            "topicNotInCertificate",
            \.topicNotInCertificate,
            [.topicDisallowed, .badTopic],
            "topic that the certificate does not list"
        ),
        .optionalReason(
            "tokenOnlyPushType",
            \.tokenOnlyPushType,
            [.topicDisallowed, .invalidPushType, .forbidden],
            "push type that requires provider tokens, on a certificate connection"
        ),
        .optionalReason("nonJSONPayload", \.nonJSONPayload, [.payloadEmpty], "body that is not a JSON object in UTF-8"),
        .position("streamGrant", \.streamGrant, "event that raises the stream limit of a token connection"),
    ]

    /// Sets a switch by name.
    ///
    /// - Throws: ``InvalidValueError`` that lists the valid names.
    public mutating func set(_ name: String, to choice: String) throws(InvalidValueError) {
        guard let entry = Self.catalogue.first(where: { $0.name == name }) else {
            let names = Self.catalogue.map(\.name).joined(separator: ", ")
            throw InvalidValueError(field: "option", rule: "one of \(names)", value: name)
        }
        guard entry.positions.contains(choice) else {
            throw InvalidValueError(field: "option \(name)", rule: "\(entry.positions)", value: choice)
        }
        entry.write(&self, choice)
    }

    /// The position of every switch, by name.
    public var positions: [String: String] {
        Dictionary(uniqueKeysWithValues: Self.catalogue.map { ($0.name, $0.read(self)) })
    }
}

/// How an undocumented edge case is handled.
public enum EdgeCasePolicy: String, Sendable, Hashable, CaseIterable {
    /// The request is served as if it were valid.
    case accept
    /// The request is refused with the reason that the switch names.
    case reject
}

/// The push types whose priority is checked against Apple's table; other priorities are refused with `BadPriority`.
public enum PriorityCheck: String, Sendable, Hashable, CaseIterable {
    /// None: any of 10, 5 and 1 is accepted for each push type.
    case none
    /// Only `background`; Apple documents that 10 is an error for it.
    case background
    /// Every push type of the table.
    case all
}

/// The behavior of the legacy binary gateway.
public struct LegacyOptions: Sendable, Hashable {
    /// The delay of the error packet after an invalid notification; notifications received meanwhile are discarded too.
    ///
    /// Unit: seconds of real time. Default: 0. Senders measured 0.3 to 0.7.
    public var errorDelay: Double = 0
    /// Whether error packets are sent; if not, the connection is closed without one.
    ///
    /// Default: `true`.
    public var sendsErrorPackets = true
    /// The largest payload of commands 0 and 1.
    ///
    /// Unit: bytes. Default: 256.
    public var simplePayload = 256
    /// The largest payload of command 2.
    ///
    /// Unit: bytes. Default: 2,048.
    public var framedPayload = 2048
    /// Whether a payload that is not a JSON object is a processing error (status 1).
    ///
    /// Default: `true`.
    public var refusesNonJSON = true

    /// Creates switches in their default positions.
    public init() {}
}

extension LegacyOptions {
    static let catalogue: [SimulatorOption] = [
        .number(
            "legacy.errorDelay",
            \.legacy.errorDelay,
            0...60,
            "seconds until the error packet of an invalid notification"
        ),
        .flag("legacy.sendsErrorPackets", \.legacy.sendsErrorPackets, "whether error packets are sent"),
        .integer("legacy.simplePayload", \.legacy.simplePayload, 1...65_535, "largest payload of commands 0 and 1"),
        .integer("legacy.framedPayload", \.legacy.framedPayload, 1...65_535, "largest payload of command 2"),
        .flag(
            "legacy.refusesNonJSON",
            \.legacy.refusesNonJSON,
            "whether a payload that is not a JSON object is status 1"
        ),
    ]
}
