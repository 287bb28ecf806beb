// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

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
    /// - Parameter announced: how many streams the server takes, by what it says.
    /// - Returns: 0 where a refusal has to be waited out.
    func limit(announced: UInt32) -> Int {
        guard self.isProven else { return min(1, self.hold.limit) }
        let limit = min(Int(announced), self.maximum, self.hold.limit)
        return self.bulk.map { min(limit, $0.limit(roundTrip: self.roundTrip)) } ?? limit
    }

    /// Requests were answered.
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
