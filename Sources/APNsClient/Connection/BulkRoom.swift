// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

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
    /// - Parameter roundTrip: the least time that an answer took.
    /// - Returns: one at least.
    func limit(roundTrip: TimeAmount) -> Int {
        let milliseconds = Int(clamping: roundTrip.nanoseconds / 1_000_000)
        let (far, isFarther) = milliseconds.multipliedReportingOverflow(by: Self.perMillisecond)
        return isFarther ? self.maximum : min(self.maximum, Self.nearby + far)
    }
}
