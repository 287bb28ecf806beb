// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// How many more requests go out on a connection at once.
///
/// What goes beyond the server's window would wait on this connection although another one may have room. So it stays in
/// the queue.
struct SendRoom {
    /// What the server takes of all bodies, less what was submitted since the pull began.
    private var window = 0
    /// What a body has: that of the last one, since most are of a kind.
    private var bodySize = 1

    /// A pull begins, with nothing waiting to be written.
    mutating func begin(window: Int32) {
        self.window = Int(window)
    }

    /// A request with so many bytes of body is submitted.
    mutating func spend(_ bytes: Int) {
        self.window -= bytes
        self.bodySize = max(1, bytes)
    }

    /// How many requests can go out where so many streams are free; at least one as long as the window is open.
    func requests(streams: Int) -> Int {
        self.window <= 0 ? 0 : min(streams, max(1, self.window / self.bodySize))
    }
}

/// How many requests of bulk work may be in flight on a connection.
///
/// More than keep it busy only wait at the other end, and make every answer late. What keeps it busy depends on the round
/// trip, and with that grows the number of connections.
struct BulkRoom {
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

/// How many requests a connection may have in flight.
///
/// The least of what the server announced, what it kept when it last refused some, the configuration, what is worth while
/// for bulk work, and one while nobody knows whether the provider token is valid.
struct StreamAllowance {
    private let maximum: Int
    /// What holds bulk work back; `nil` on a connection for urgent work.
    private let bulk: BulkRoom?
    private var hold = StreamHold()
    /// Whether a provider token was seen to be valid: until then APNs takes one request at a time.
    var isProven: Bool
    /// The least time that an answer took.
    var roundTrip = TimeAmount.hours(1)

    init(_ configuration: APNsClientConfiguration, lane: SendLane, isProven: Bool) {
        self.maximum = configuration.maximumStreams
        self.bulk = lane == .bulk ? BulkRoom(configuration) : nil
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

    /// A request was refused (`REFUSED_STREAM`) while so many others were kept.
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

/// How many requests a connection may have in flight after its server refused some (`REFUSED_STREAM`).
///
/// A server refuses what goes beyond what it takes, whatever it announced. From then on no more goes out than it has
/// kept, and each answer and each pause widens that a little.
struct StreamHold {
    /// The most requests in flight.
    private(set) var limit = Int.max

    /// A request was refused while so many others were kept.
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
