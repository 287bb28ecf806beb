// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Error penalties, rate limits and shutdown of provider connections.
///
/// Apple documents that 4xx responses reduce a connection's throughput and that too many of them end it,
/// `BadDeviceToken` sooner than others and 410 not at all. It publishes no figures. The defaults do not limit a sender
/// with up to 5 % invalid tokens. A connection on which most pushes fail is throttled after 100 failures and ended
/// after 1,000.
public struct ConnectionOptions: Sendable, Hashable {
    /// Whether 4xx responses reduce the stream limit and end the connection.
    ///
    /// Default: `true`.
    public var penalizesErrors = true
    /// The penalty for a response with status 4xx.
    ///
    /// Unit: points. Default: 1. A 410 has no penalty.
    public var errorWeight: Double = 1
    /// The penalty for a `BadDeviceToken`.
    ///
    /// Unit: points. Default: 2.
    public var badDeviceTokenWeight: Double = 2
    /// The number of points that a success removes.
    ///
    /// Default: 0.1, so that less than 4.7 % invalid tokens add up to 0 points.
    public var successCredit: Double = 0.1
    /// The number of points that halves the stream limit; each multiple of it halves the limit again.
    ///
    /// Default: 100.
    public var shrinkThreshold: Double = 100
    /// The number of points at which the connection is sent a GOAWAY.
    ///
    /// Default: 1,000; `nil`: never.
    public var disconnectThreshold: Double? = 1000
    /// The reason of that GOAWAY.
    ///
    /// Default: `TooManyRequests`.
    public var disconnectReason: RejectionReason = .tooManyRequests
    /// The factor by which each success raises the stream limit, until the maximum is reached.
    ///
    /// Default: `nil`, so the first success sets the maximum; 2 doubles the limit with each success.
    public var grantFactor: Int?
    /// How a client that exceeds its stream limit is handled.
    ///
    /// Default: refuse.
    public var streamExcess: StreamLimitPolicy = .refuse
    /// The time without a request after which a connection is sent a GOAWAY with `IdleTimeout`.
    ///
    /// Unit: seconds. Default: `nil`: never.
    public var idleTimeout: Double?
    /// The maximum rate of pushes per second to one device token.
    ///
    /// Default: `nil`: no limit.
    public var deviceRate: Double?
    /// The maximum burst of pushes to one device token, if `deviceRate` is set.
    ///
    /// Default: 100.
    public var deviceBurst = 100

    /// A topic of an app that is known to belong to another team than the key.
    ///
    /// Default: `TopicDisallowed`.
    public var foreignBundleID: RejectionReason = .topicDisallowed
    /// A topic of an app that was assigned to the team after the connection's first push.
    ///
    /// Default: `TopicDisallowed`.
    public var lateBundleID: RejectionReason = .topicDisallowed
    /// Whether connections that use a key are sent a GOAWAY with `InvalidProviderToken` when it is revoked.
    ///
    /// Default: `false`; the response to their next request is 403 `InvalidProviderToken`.
    public var revocationDisconnects = false

    /// Creates switches in their default positions.
    public init() {}
}

extension ConnectionOptions {
    static let catalogue: [SimulatorOption] = [
        .flag(
            "connections.penalizesErrors",
            \.connections.penalizesErrors,
            "whether 4xx responses reduce the stream limit and end the connection; 410 never does"
        ),
        .number(
            "connections.errorWeight",
            \.connections.errorWeight,
            0...1000,
            "points for a response with status 4xx"
        ),
        .number(
            "connections.badDeviceTokenWeight",
            \.connections.badDeviceTokenWeight,
            0...1000,
            "points for a BadDeviceToken"
        ),
        .number("connections.successCredit", \.connections.successCredit, 0...1000, "points that a success removes"),
        .number(
            "connections.shrinkThreshold",
            \.connections.shrinkThreshold,
            1...1_000_000,
            "points that halve the stream limit; so does each multiple"
        ),
        .optionalNumber(
            "connections.disconnectThreshold",
            \.connections.disconnectThreshold,
            1...1_000_000,
            "points at which the connection is sent a GOAWAY"
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
            "factor by which each success raises the stream limit; off: the first success sets the maximum"
        ),
        .position(
            "connections.streamExcess",
            \.connections.streamExcess,
            "handling of a client that exceeds its stream limit"
        ),
        .optionalNumber(
            "connections.idleTimeout",
            \.connections.idleTimeout,
            1...864_000,
            "seconds without a request after which a connection is sent a GOAWAY"
        ),
        .optionalNumber(
            "connections.deviceRate",
            \.connections.deviceRate,
            0.001...1_000_000,
            "pushes per second to one device token; the response to further ones is 429"
        ),
        .integer(
            "connections.deviceBurst",
            \.connections.deviceBurst,
            1...1_000_000,
            "burst of pushes to one device token, if the rate is limited"
        ),
        .reason(
            "connections.foreignBundleID",
            \.connections.foreignBundleID,
            [.topicDisallowed, .badTopic, .forbidden],
            "topic of an app that is known to belong to another team"
        ),
        .reason(
            "connections.lateBundleID",
            \.connections.lateBundleID,
            [.topicDisallowed, .badTopic, .forbidden],
            "topic of an app that was assigned to the team after the connection's first push"
        ),
        .flag(
            "connections.revocationDisconnects",
            \.connections.revocationDisconnects,
            "whether a connection is sent a GOAWAY when its key is revoked"
        ),
    ]
}

/// The condition for raising the stream limit of a connection that uses provider tokens.
public enum StreamGrantPolicy: String, Sendable, Hashable, CaseIterable {
    /// A response with status 200.
    case success
    /// An authenticated request, with any status.
    case authentication
}

/// How a client that exceeds its stream limit is handled.
public enum StreamLimitPolicy: String, Sendable, Hashable, CaseIterable {
    /// Each excess stream is reset with `REFUSED_STREAM`.
    case refuse
    /// The connection is ended: GOAWAY with code 7 and "Maximum active streams violated for this endpoint".
    case goAway
    /// It is served anyway.
    case serve
}
