// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// How provider connections are watched, throttled and ended.
///
/// Apple says that 4xx answers reduce a connection's throughput and that too many of them end it, `BadDeviceToken`
/// sooner than others and 410 not at all; it names no figures. These are chosen so that a sender with up to 5 % of bad
/// tokens is never hindered, while a connection on which most pushes fail is throttled after 100 of them and ended
/// after a thousand.
public struct ConnectionSwitches: Sendable, Hashable {
    /// Whether 4xx answers shrink the grant of streams and end the connection.
    ///
    /// Default: `true`.
    public var penalizesErrors = true
    /// What an answer with status 4xx costs a connection.
    ///
    /// Unit: points. Default: 1. A 410 costs nothing.
    public var errorWeight: Double = 1
    /// What a `BadDeviceToken` costs a connection.
    ///
    /// Unit: points. Default: 2.
    public var badDeviceTokenWeight: Double = 2
    /// How many points a success takes away.
    ///
    /// Default: 0.1, so that a share of bad tokens below 4.7 % adds up to nothing.
    public var successCredit: Double = 0.1
    /// At how many points the grant of streams is halved for the first time; each further as many halve it again.
    ///
    /// Default: 100.
    public var shrinkThreshold: Double = 100
    /// At how many points the connection is told to go away.
    ///
    /// Default: 1,000; `nil` never.
    public var disconnectThreshold: Double? = 1000
    /// The reason of that GOAWAY.
    ///
    /// Default: `TooManyRequests`.
    public var disconnectReason: RejectionReason = .tooManyRequests
    /// By what a grant is multiplied with each success, until all streams are granted.
    ///
    /// Default: `nil`, which grants all with the first success; 2 doubles the grant each time.
    public var grantFactor: Int?
    /// What becomes of a client that has more streams open than it was granted.
    ///
    /// Default: refuse.
    public var streamExcess: StreamExcess = .refuse
    /// After how long without a request a connection is told to go away with `IdleTimeout`.
    ///
    /// Unit: seconds. Default: `nil`, never.
    public var idleTimeout: Double?
    /// How many pushes to one device token a second are let pass.
    ///
    /// Default: `nil`, any number.
    public var deviceRate: Double?
    /// How many pushes to one device token are let pass at once, where deviceRate is set.
    ///
    /// Default: 100.
    public var deviceBurst = 100

    /// A topic of an app that is known not to be the key's team's.
    ///
    /// Default: `TopicDisallowed`.
    public var foreignBundleID: RejectionReason = .topicDisallowed
    /// A topic of an app that became the team's after the connection's first push.
    ///
    /// Default: `TopicDisallowed`.
    public var lateBundleID: RejectionReason = .topicDisallowed
    /// Whether connections that use a key are told to go away when it is revoked, with `InvalidProviderToken`.
    ///
    /// Default: `false`; their next request is answered 403 `InvalidProviderToken`.
    public var revocationDisconnects = false

    /// Switches in their default positions.
    public init() {}
}

extension ConnectionSwitches {
    static let catalogue: [SimulatorSwitch] = [
        .flag(
            "connections.penalizesErrors",
            \.connections.penalizesErrors,
            "whether 4xx answers shrink the grant of streams and end the connection; 410 never does"
        ),
        .number("connections.errorWeight", \.connections.errorWeight, 0...1000, "points for an answer with status 4xx"),
        .number(
            "connections.badDeviceTokenWeight",
            \.connections.badDeviceTokenWeight,
            0...1000,
            "points for a BadDeviceToken"
        ),
        .number("connections.successCredit", \.connections.successCredit, 0...1000, "points that a success takes away"),
        .number(
            "connections.shrinkThreshold",
            \.connections.shrinkThreshold,
            1...1_000_000,
            "points at which, and at each multiple of which, the grant of streams is halved"
        ),
        .optionalNumber(
            "connections.disconnectThreshold",
            \.connections.disconnectThreshold,
            1...1_000_000,
            "points at which the connection is told to go away"
        ),
        .reason(
            "connections.disconnectReason",
            \.connections.disconnectReason,
            [.tooManyRequests, .forbidden, .shutdown, .badDeviceToken],
            "reason of the GOAWAY after too many errors"
        ),
        .optionalInteger(
            "connections.grantFactor",
            \.connections.grantFactor,
            2...1000,
            "by what the grant of streams is multiplied with each success; off grants all with the first"
        ),
        .position(
            "connections.streamExcess",
            \.connections.streamExcess,
            "what becomes of a client that has more streams open than it was granted"
        ),
        .optionalNumber(
            "connections.idleTimeout",
            \.connections.idleTimeout,
            1...864_000,
            "seconds without a request after which a connection is told to go away"
        ),
        .optionalNumber(
            "connections.deviceRate",
            \.connections.deviceRate,
            0.001...1_000_000,
            "pushes a second to one device token before they are answered 429"
        ),
        .integer(
            "connections.deviceBurst",
            \.connections.deviceBurst,
            1...1_000_000,
            "pushes to one device token at once, where the rate is limited"
        ),
        .reason(
            "connections.foreignBundleID",
            \.connections.foreignBundleID,
            [.topicDisallowed, .badTopic, .forbidden],
            "topic of an app that is known not to be the team's"
        ),
        .reason(
            "connections.lateBundleID",
            \.connections.lateBundleID,
            [.topicDisallowed, .badTopic, .forbidden],
            "topic of an app that became the team's after the connection's first push"
        ),
        .flag(
            "connections.revocationDisconnects",
            \.connections.revocationDisconnects,
            "whether a connection is told to go away when its key is revoked"
        ),
    ]
}

/// What a token-trusted connection has to do before it may have more than its first streams open at once.
public enum StreamGrant: String, Sendable, Hashable, CaseIterable {
    /// A request has to succeed with 200.
    case success
    /// A request has to pass authentication, whatever becomes of it.
    case authentication
}

/// What becomes of a client that has more streams open than it was granted.
public enum StreamExcess: String, Sendable, Hashable, CaseIterable {
    /// Each stream too many is reset with `REFUSED_STREAM`.
    case refuse
    /// The connection is ended: GOAWAY with code 7 and "Maximum active streams violated for this endpoint".
    case goAway
    /// It is served all the same.
    case serve
}
