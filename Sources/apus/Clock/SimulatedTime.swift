// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// What a simulator's clock shows now, worked out from what it last said.
///
/// A value without a clock of its own: instants are those of a clock that nobody sets.
struct SimulatedTime: Hashable, Sendable {
    /// What the simulator answers to `GET /v1/clock`.
    struct Reading: Decodable, Hashable, Sendable {
        /// Seconds since 1970.
        let seconds: Double

        /// How many of them pass in a second.
        let scale: Double

        /// How often it was moved or given another pace by then.
        let change: Int
    }

    /// How far a reading may lie outside of what was expected, for rounding.
    ///
    /// Unit: seconds of the simulator.
    private static let tolerance = 0.005

    private var reading: Reading
    private var readAt: ContinuousClock.Instant

    /// The time from a first reading, which was taken somewhere between two instants.
    init(_ reading: Reading, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        self.reading = reading
        self.readAt = start.advanced(by: start.duration(to: end) / 2)
    }

    /// Seconds since 1970 at an instant.
    func seconds(at instant: ContinuousClock.Instant) -> Double {
        self.reading.seconds + self.readAt.duration(to: instant) / .seconds(1) * self.reading.scale
    }

    /// Takes another reading, which was taken somewhere between two instants.
    ///
    /// One that says nothing new changes nothing, however late it came: time never jumps because an answer was slow.
    mutating func take(
        _ reading: Reading,
        from start: ContinuousClock.Instant,
        to end: ContinuousClock.Instant
    ) {
        let expected = (self.seconds(at: start) - Self.tolerance)...(self.seconds(at: end) + Self.tolerance)
        let isNews = reading.change != self.reading.change || reading.scale != self.reading.scale
        guard isNews || !expected.contains(reading.seconds) else { return }
        self = SimulatedTime(reading, from: start, to: end)
    }
}
