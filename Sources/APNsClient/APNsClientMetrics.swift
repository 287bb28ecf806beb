// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Metrics

/// Receives the counts of the client.
///
/// Calls come on event loops and must return quickly.
///
/// Responses are reported once for each burst of input, not once for each notification.
public protocol APNsClientMetrics: Sendable {
    /// A connection is ready for requests.
    func connectionOpened(to host: String)
    /// A connection could not be opened.
    func connectionFailed(to host: String)
    /// A connection that had been ready is closed.
    func connectionClosed(to host: String, by end: ConnectionCloseReason)
    /// APNs asked for a connection to be closed (GOAWAY).
    func goAwayReceived(from host: String, reason: RejectionReason)
    /// The maximum number of concurrent streams of all connections to a host together has changed.
    func maxConcurrentStreamsChanged(by change: Int, at host: String)
    /// The limit that a connection has reached has changed; `nil` represents no connection.
    func connectionLimited(by reason: SendLimitReason?, before: SendLimitReason?, to host: String)
    /// Responses were received in one burst.
    func responsesReceived(accepted: Int, rejected: Int)
    /// How long the responses of one burst took.
    func responsesReceived(in times: ResponseTimeHistogram)
    /// Notifications return to the queue and are retried.
    func retried(_ count: Int)
}

extension APNsClientMetrics {
    /// Does nothing.
    public func goAwayReceived(from host: String, reason: RejectionReason) {}
    /// Does nothing.
    public func maxConcurrentStreamsChanged(by change: Int, at host: String) {}
    /// Does nothing.
    public func connectionLimited(by reason: SendLimitReason?, before: SendLimitReason?, to host: String) {}
    /// Does nothing.
    public func responsesReceived(in times: ResponseTimeHistogram) {}
}

/// Counts nothing.
public struct NoOpMetrics: APNsClientMetrics {
    /// Counts nothing.
    public init() {}
    /// Does nothing.
    public func connectionOpened(to host: String) {}
    /// Does nothing.
    public func connectionFailed(to host: String) {}
    /// Does nothing.
    public func connectionClosed(to host: String, by end: ConnectionCloseReason) {}
    /// Does nothing.
    public func responsesReceived(accepted: Int, rejected: Int) {}
    /// Does nothing.
    public func retried(_ count: Int) {}
}

/// How long APNs took to answer, counted in buckets that double: integers only, and no allocation.
public struct ResponseTimeHistogram: Sendable, Hashable {
    /// The upper bounds of all buckets but the last: 1, 2, 4 and so on to 16,384 milliseconds.
    public static let bounds: [Duration] = (0..<15).map { .milliseconds(1 << $0) }

    private var counts = SIMD16<UInt32>()

    /// No answers.
    public init() {}

    /// Whether there are no answers.
    public var isEmpty: Bool { self.counts == SIMD16() }

    /// The number of responses in each bucket, without those of smaller buckets; the last bucket has responses that
    /// took longer than the largest bound.
    public var buckets: [Int] { (0..<16).map { Int(self.counts[$0]) } }

    /// Counts an answer.
    ///
    /// - Parameter nanoseconds: how long it took; less than zero counts as nothing.
    public mutating func add(nanoseconds: Int64) {
        let milliseconds = UInt64(max(0, nanoseconds - 1)) / 1_000_000
        let bucket = min(15, UInt64.bitWidth - milliseconds.leadingZeroBitCount)
        self.counts[bucket] &+= 1
    }
}

/// The limit that keeps a connection from sending more.
public enum SendLimitReason: String, Sendable, Hashable, CaseIterable {
    /// The queue is empty.
    case idle

    /// The connection has the maximum number of concurrent streams.
    case maxStreams = "max_streams"

    /// The bodies on their way fill the window of the connection (RFC 9113 section 6.9): Apple's takes 65,535 bytes,
    /// which are about 280 small requests in a round trip.
    case flowControl = "flow_control"
}

/// How a connection that had been ready ended.
public enum ConnectionCloseReason: String, Sendable, Hashable, CaseIterable {
    /// APNs requested it with GOAWAY, and responded to the requests that it had accepted.
    case goAway = "goaway"
    /// It broke, gave no sign of life, was closed by APNs without GOAWAY, or ended with requests that had no answer.
    case lost
    /// This side closed it when all was answered.
    case ended
}

/// Reports to swift-metrics, under names that begin with `apns_client_`.
public struct SwiftMetricsReporter: APNsClientMetrics {
    private let opened = Counter(label: "apns_client_connections_opened_total")
    private let failed = Counter(label: "apns_client_connections_failed_total")
    private let closed = Counter(label: "apns_client_connections_closed_total")
    private let accepted = Counter(label: "apns_client_accepted_total")
    private let rejected = Counter(label: "apns_client_rejected_total")
    private let retries = Counter(label: "apns_client_retries_total")

    /// Counters of the metrics system that was bootstrapped.
    public init() {}
    /// Counts the connection.
    public func connectionOpened(to host: String) { self.opened.increment() }
    /// Counts the attempt.
    public func connectionFailed(to host: String) { self.failed.increment() }
    /// Counts the end.
    public func connectionClosed(to host: String, by end: ConnectionCloseReason) { self.closed.increment() }
    /// Counts the responses.
    public func responsesReceived(accepted: Int, rejected: Int) {
        self.accepted.increment(by: accepted)
        self.rejected.increment(by: rejected)
    }
    /// Counts the retries.
    public func retried(_ count: Int) { self.retries.increment(by: count) }
}
