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
    /// `apns-collapse-id`: the notification that it replaces.
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

    /// Apple's requirements for the header, or nil for an unknown one.
    public var rule: RequestHeaderRequirements? { RequestHeaderRequirements.table[self] }
}

extension RequestHeader: CustomStringConvertible {
    /// The name.
    public var description: String { self.rawValue }
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
