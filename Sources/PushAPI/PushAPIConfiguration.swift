// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// How the HTTP API listens, and what it puts up with.
public struct PushAPIConfiguration: Hashable, Sendable {
    /// The address to listen on: a host name or an IP address.
    ///
    /// Default: `127.0.0.1`.
    public var host = "127.0.0.1"

    /// The port to listen on, 0...65535; 0 lets the system choose one.
    ///
    /// Default: 8080.
    public var port = 8080

    /// How many connections may be open at once, 1 or more.
    ///
    /// Default: 10,000. Others wait in the system's queue until one is closed. It has to be less than the process may have
    /// files open: a connection that the system cannot open ends the server.
    public var maximumConnections = 10_000

    /// The largest body of a request to send, in bytes.
    ///
    /// Default: 16 MiB, room for 100,000 tokens of 80 bytes.
    public var maximumNotificationBodyBytes = 16 << 20

    /// The largest body of a batch of notifications with a payload each, in bytes.
    ///
    /// Default: 48 MiB, room for 10,000 payloads of 4 KiB.
    public var maximumBatchBodyBytes = 48 << 20

    /// The largest body of every other request, in bytes.
    ///
    /// Default: 64 KiB.
    public var maximumBodyBytes = 64 << 10

    /// What a stream of notifications may take up.
    public var stream = StreamLimits()

    /// How much of what failed one call sends again.
    public var resend = ResendLimits()

    /// How long a request with `?wait=true` waits for the outcomes before it answers 202.
    ///
    /// Default: 30 seconds.
    public var maximumWait: Duration = .seconds(30)

    /// How many pushes of priority 10 a phone may be sent of a Live Activity within an hour, in the changes that are told here.
    ///
    /// Default: 60, and 3600 where the person lets the app have frequent updates.
    public var activityLimits = PushBudget.Limits()

    /// How often a waiting request looks into the store without having been woken.
    ///
    /// Default: 1 second. What this process settles wakes it at once; the look is for what other processes settled.
    public var recheckInterval: Duration = .seconds(1)

    /// How often the progress of a campaign is told to whoever watches it.
    ///
    /// Default: 1 second.
    public var progressInterval: Duration = .seconds(1)

    /// How long a connection without a request is kept open.
    ///
    /// Default: 75 seconds. Clients keep a connection for the next request for a minute as a rule: one that is closed
    /// before that may be closed just when it is used again.
    public var idleTimeout: Duration = .seconds(75)

    /// How long a key that was read from the store is believed.
    ///
    /// Range: 0 to 1 second; more counts as 1. Default: 1 second. A revocation by another process counts after this
    /// time at the latest.
    public var keyLifetime: Duration = .seconds(1)

    /// Up to how many targets a request goes to the urgent lane unless it names one.
    ///
    /// Default: 1000.
    public var urgentTargetLimit = 1000

    /// How long notifications and campaigns are kept once every target has its outcome; `nil` for ever.
    ///
    /// Default: 30 days. Less than a day would be too little: so long streams and idempotency keys are remembered.
    public var notificationRetention: Duration? = .seconds(30 * 24 * 3600)

    /// How long events are kept.
    ///
    /// Default: 7 days.
    public var eventRetention: Duration = .seconds(7 * 24 * 3600)

    /// How many events of one app are kept at most.
    ///
    /// Default: 1,000,000.
    public var maximumEvents = 1_000_000

    /// How often something is written to a stream of events in which nothing happens.
    ///
    /// Default: 15 seconds, less than proxies wait. A reader that is gone is noticed by it.
    public var heartbeatInterval: Duration = .seconds(15)

    /// Whether webhooks may have `http` URLs, over which anyone on the way reads and changes what is posted.
    ///
    /// Default: `false`.
    public var allowsInsecureWebhooks = false

    public var sns = SNSConfiguration()

    /// Whether `/metrics` is served without a key; otherwise it asks for one with the scope `read` that is bound to no app.
    ///
    /// Default: `true`, which suits the default address.
    public var metricsArePublic = true

    public init() {}
}
