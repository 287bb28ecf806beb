// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import SNSProtocol

/// How the SNS endpoint is served.
public struct SNSConfiguration: Hashable, Sendable {
    /// Whether it is served at all.
    ///
    /// Default: `true`; whoever has no access key gets nothing from it.
    public var isEnabled = true

    /// The path at which it is served, beginning with `/`.
    ///
    /// Default: `/`. Clients sign the path, so that a proxy in between must leave it as it is.
    public var path = "/"

    /// The account in every ARN: 12 digits.
    ///
    /// Default: `000000000000`.
    public var account = "000000000000"

    /// The only region that requests may be signed for; `nil` takes every region.
    ///
    /// There is one set of resources; ARNs have the region of whoever looks at them.
    ///
    /// Default: `nil`.
    public var region: String?

    /// Where the endpoint is reached from outside, with its path: it stands in what URLs that are subscribed are posted, as the
    /// place of the certificate and of the links that confirm and end a subscription.
    ///
    /// Default: `nil`, which takes the `Host` and the `X-Forwarded-Proto` of the request that subscribed.
    public var publicURL: String?

    /// How much a request may hold.
    ///
    /// Default: as SNS has it.
    public var limits = SNSLimits.sns

    /// How long the body of a request may take to arrive.
    ///
    /// Default: 30 seconds.
    public var bodyTimeout: Duration = .seconds(30)

    /// The defaults.
    public init() {}

    /// The largest body of a request: percent-encoding makes three bytes of one, and there are names beside the message.
    var maximumBodyBytes: Int { self.limits.messageBytes * 4 }
}
