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

    /// The most requests in flight on one connection; what the server announces lowers it.
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

    /// How long a sign of life may take before the connection is given up.
    ///
    /// Default: 5 seconds.
    public var pingTimeout: Duration = .seconds(5)

    /// How long a connection is silent before it is asked for a sign of life.
    ///
    /// Default: 1 hour, as Apple suggests.
    public var idlePingInterval: Duration = .seconds(3600)

    /// How often a notification is sent again after its connection or stream was lost.
    ///
    /// Default: 3.
    ///
    /// What a server refused before it looked at it (REFUSED_STREAM, GOAWAY) does not count. A batch may have a limit of
    /// its own: ``SendBatch/maximumResends``.
    public var maximumResends = 3

    /// The first pause before connecting anew after a failure; it doubles up to ``maximumBackoff``.
    ///
    /// Default: 1 second.
    public var minimumBackoff: Duration = .seconds(1)

    /// The longest pause before connecting anew.
    ///
    /// Default: 1 minute.
    public var maximumBackoff: Duration = .seconds(60)

    /// How long nobody has sent to a destination before its connections are closed.
    ///
    /// Default: 2 hours: Apple wants connections kept for hours, and a silent one asked for a sign of life after one.
    public var destinationIdleTimeout: Duration = .seconds(7200)

    /// The most destinations that have connections at one time; each lane counts.
    ///
    /// Default: 1,000.
    ///
    /// One beyond that takes the place of the one that nobody has sent to for longest. While all are being sent to, what
    /// is for another one fails with `notSent`.
    public var maximumDestinations = 1000

    /// How long what is in flight is waited for on shutdown.
    ///
    /// Default: 10 seconds.
    public var drainTimeout: Duration = .seconds(10)

    /// The documented defaults.
    public init() {}
}
