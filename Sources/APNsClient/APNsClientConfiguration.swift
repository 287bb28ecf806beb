// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How the client uses its connections.
///
/// Every field has a default that suits Apple's servers.
public struct APNsClientConfiguration: Sendable {
    /// The most connections to one destination, for each lane.
    ///
    /// Range: 1...64. Default: 64.
    ///
    /// There are four where APNs is near, and one more for each millisecond of the round trip, because a connection's
    /// window lets only so much out in each.
    public var maximumConnections = 64

    /// The maximum number of requests in flight on one connection; the server's limit can lower it.
    ///
    /// Default: 1,000.
    public var maximumStreams = 1000

    /// The most requests of bulk work in flight on one connection.
    ///
    /// Default: 256, about as many small ones as the window of a connection to APNs takes.
    ///
    /// Where APNs is near there are fewer, 64 and three more for each millisecond of the round trip: that keeps the
    /// connections busy, and more would only make answers late.
    public var maximumBulkStreams = 256

    /// The most notifications that wait for a free stream of one destination, for each lane.
    ///
    /// Default: 200,000.
    ///
    /// A caller beyond that waits until there is room. A batch larger than this is taken when nothing else waits.
    public var maximumQueuedNotifications = 200_000

    /// How long opening a connection may take: TCP, TLS and the server's settings each.
    ///
    /// Default: 10 seconds.
    public var connectTimeout: Duration = .seconds(10)

    /// How long an answer may take before the connection is asked for a sign of life.
    ///
    /// Default: 10 seconds.
    public var answerTimeout: Duration = .seconds(10)

    /// How long the answer to a request about broadcast channels may take.
    ///
    /// Default: 20 seconds.
    public var channelTimeout: Duration = .seconds(20)

    /// The timeout of a PING, after which the connection is closed.
    ///
    /// Default: 5 seconds.
    public var pingTimeout: Duration = .seconds(5)

    /// How long a connection is silent before it is asked for a sign of life.
    ///
    /// Default: 1 hour, as Apple suggests.
    public var idlePingInterval: Duration = .seconds(3600)

    /// The maximum number of retries of a notification after its connection or stream was lost.
    ///
    /// Default: 3.
    ///
    /// Requests that a server refused without processing (REFUSED_STREAM, GOAWAY) do not count. A batch may have a
    /// separate limit: ``SendBatch/maximumResends``.
    public var maximumResends = 3

    /// The first delay before reconnecting after a failure; it doubles up to ``maximumBackoff``.
    ///
    /// Default: 1 second.
    public var minimumBackoff: Duration = .seconds(1)

    /// The maximum delay before reconnecting.
    ///
    /// Default: 1 minute.
    public var maximumBackoff: Duration = .seconds(60)

    /// The time without use after which the connections of a destination are closed.
    ///
    /// Default: 2 hours: Apple wants connections kept for hours, and an idle one is probed with a PING after one hour.
    public var destinationIdleTimeout: Duration = .seconds(7200)

    /// The maximum number of destinations with connections at one time; each lane counts.
    ///
    /// Default: 1,000.
    ///
    /// A further destination replaces the one that has been unused for longest. While all are used, work for another
    /// one fails with `notSent`.
    public var maximumDestinations = 1000

    /// The timeout for requests in flight on shutdown.
    ///
    /// Default: 10 seconds.
    public var drainTimeout: Duration = .seconds(10)

    /// The documented defaults.
    public init() {}
}
