// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// The number of requests that can be sent on a connection now.
///
/// Requests beyond the server's window would wait on this connection although another one may have capacity. So they
/// stay in the queue.
struct SendCapacity {
    /// The server's window for all bodies, minus the bytes submitted since the pull began.
    private var window = 0
    /// The size of the last body, as an estimate for the next one.
    private var bodySize = 1

    /// A pull begins, with nothing waiting to be written.
    mutating func begin(window: Int32) {
        self.window = Int(window)
    }

    /// Subtracts a submitted body.
    mutating func spend(_ bytes: Int) {
        self.window -= bytes
        self.bodySize = max(1, bytes)
    }

    /// The number of requests that can be sent with this number of free streams; at least one as long as the window is
    /// open.
    func requests(streams: Int) -> Int {
        self.window <= 0 ? 0 : min(streams, max(1, self.window / self.bodySize))
    }
}

/// The maximum number of bulk requests in flight on a connection.
///
/// More than keep it busy only wait at the server, and delay every response. The number that keeps it busy depends on
/// the round trip, which also increases the number of connections.
struct BulkStreamLimit {
    /// How many may be in flight where APNs is near.
    private static let nearby = 64

    /// How many more for each millisecond of the round trip.
    private static let perMillisecond = 3

    private let maximum: Int

    init(_ configuration: APNsClientConfiguration) {
        self.maximum = max(1, configuration.maximumBulkStreams)
    }

    /// How many may be in flight.
    ///
    /// - Returns: at least one.
    func limit(roundTrip: TimeAmount) -> Int {
        let milliseconds = Int(clamping: roundTrip.nanoseconds / 1_000_000)
        return min(self.maximum, milliseconds.multipliedClamping(by: Self.perMillisecond).addingClamping(Self.nearby))
    }
}

/// The maximum number of requests in flight on a connection.
///
/// The minimum of the server's limit, the limit after a refusal, the configuration, the useful number for bulk work,
/// and one while it is unknown whether the provider token is valid.
struct ConcurrentStreamLimit {
    private let maximum: Int
    /// The limit of bulk work; `nil` on a connection for urgent work.
    private let bulk: BulkStreamLimit?
    private var hold = RefusedStreamThrottle()
    /// Whether a provider token was seen to be valid: until then APNs takes one request at a time.
    var isProven: Bool
    /// The least time that an answer took.
    var roundTrip = TimeAmount.hours(1)

    init(_ configuration: APNsClientConfiguration, lane: SendLane, isProven: Bool) {
        self.maximum = configuration.maximumStreams
        self.bulk = lane == .bulk ? BulkStreamLimit(configuration) : nil
        self.isProven = isProven
    }

    /// How many requests may be in flight.
    ///
    /// - Returns: 0 where a refusal has to be waited out.
    func limit(announced: UInt32) -> Int {
        guard self.isProven else { return min(1, self.hold.limit) }
        let limit = min(Int(announced), self.maximum, self.hold.limit)
        return self.bulk.map { min(limit, $0.limit(roundTrip: self.roundTrip)) } ?? limit
    }

    mutating func answered(_ count: Int) {
        self.hold.answered(count)
    }

    /// Records a refused request (`REFUSED_STREAM`), with the number of others in flight.
    mutating func refused(inFlight: Int) {
        self.hold.refused(inFlight: inFlight)
    }

    /// A pause after a refusal is over.
    ///
    /// Answers whether there has to be another one.
    mutating func pauseEnded() -> Bool {
        self.hold.pauseEnded(maximum: self.maximum)
    }
}

/// The maximum number of requests in flight on a connection after its server refused some (`REFUSED_STREAM`).
///
/// A server can refuse requests below its announced limit. Then the limit is the number that it accepted, and each
/// response and each pause increases it a little.
struct RefusedStreamThrottle {
    /// The most requests in flight.
    private(set) var limit = Int.max

    /// Records a refused request, with the number of others in flight.
    mutating func refused(inFlight: Int) {
        self.limit = inFlight
    }

    /// Requests were answered: for each one more goes out.
    mutating func answered(_ count: Int) {
        guard self.limit != .max else { return }
        self.limit += count
    }

    /// A pause is over: twice as many go out, and at least one.
    ///
    /// From half of `maximum` on, nothing is held back.
    ///
    /// - Returns: whether there has to be another pause.
    mutating func pauseEnded(maximum: Int) -> Bool {
        guard self.limit < maximum / 2 else {
            self.limit = .max
            return false
        }
        self.limit = max(1, 2 * self.limit)
        return true
    }
}
