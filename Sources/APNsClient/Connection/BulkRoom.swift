// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// How many requests of bulk work may go out on a connection.
///
/// Whatever is in flight, urgent work on the same connection is answered behind it. So there are no more than keep the
/// connection busy: that depends on the round trip, and with it grows the number of connections.
struct BulkRoom {
    /// How many may be in flight where APNs is near.
    private static let nearby = 64

    /// How many more for each millisecond of the round trip.
    private static let perMillisecond = 3

    private let maximum: Int
    private let urgentReserve: Int

    init(_ configuration: APNsClientConfiguration) {
        self.maximum = max(1, configuration.maximumBulkStreams)
        self.urgentReserve = configuration.urgentReserve
    }

    /// How many requests of bulk work may go out now.
    ///
    /// - Parameters:
    ///   - free: how many requests can go out.
    ///   - limit: how many may be in flight.
    ///   - inFlight: how many are.
    ///   - roundTrip: the least time that an answer took.
    /// - Returns: zero or less when none may.
    func requests(_ free: Int, of limit: Int, beside inFlight: Int, roundTrip: TimeAmount) -> Int {
        let reserve = limit > 2 * self.urgentReserve ? self.urgentReserve : 0
        let milliseconds = Int(clamping: roundTrip.nanoseconds / 1_000_000)
        let (far, isFarther) = milliseconds.multipliedReportingOverflow(by: Self.perMillisecond)
        let busy = isFarther ? self.maximum : min(self.maximum, Self.nearby + far)
        return min(free - reserve, busy - inFlight)
    }
}
