// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation

/// The local time of a time zone, and its UTC-offset transitions.
///
/// Each change of a zone's offset counts, for daylight saving or another reason. The rules are those of Foundation.
package struct TimeZoneClock: Hashable, Sendable {
    /// Longer than any clock was ever set by, and than any offset from UTC; in seconds.
    package static let reach: Int64 = 2 * 86_400

    /// The zone's name as it was given.
    package let name: String
    private let zone: TimeZone

    package init(_ zone: TimeZone) {
        self.name = zone.identifier
        self.zone = zone
    }

    /// The clocks of the zone with an IANA name.
    ///
    /// Offsets such as `GMT+2` are refused: they are no zones, and `Etc/GMT+2` means the opposite.
    /// - Throws: `InvalidValueError` for the field `timeZone` when there is no such zone.
    package init(name: String) throws(InvalidValueError) {
        guard TimeZoneNames.contains(name), let zone = TimeZone(identifier: name) else {
            throw InvalidValueError(
                field: "timeZone",
                rule: TimeZoneNames.rule,
                value: name.isEmpty ? "nothing" : name
            )
        }
        self.name = name
        self.zone = zone
    }

    package var timeZone: TimeZone { self.zone }

    /// The periods between two UTC-offset transitions, from the one that contains an instant; without end.
    ///
    /// The first one starts at `start`. To get the local times that it repeats, start ``reach`` earlier.
    package func stretches(from start: Int64) -> some Sequence<UTCOffsetPeriod> {
        // Farther away no clock is set, and sums could overflow.
        let start = min(max(start, -UTCOffsetPeriod.never), UTCOffsetPeriod.never)
        let offset = self.offset(at: start)
        let first = UTCOffsetPeriod(
            start: start,
            end: self.change(after: start),
            offset: offset,
            shown: start + offset
        )
        return sequence(first: first) { stretch in
            guard stretch.end < UTCOffsetPeriod.never else { return nil }
            return UTCOffsetPeriod(
                start: stretch.end,
                end: self.change(after: stretch.end),
                offset: self.offset(at: stretch.end),
                shown: max(stretch.shown, stretch.wallEnd)
            )
        }
    }

    /// The instant at which clocks show a time: the first if they show it twice, and if they skip it the one at which
    /// they do.
    ///
    /// For a time that is not in the years 1...9999, it is the instant of the nearest that is.
    package func instant(showing wall: Int64) -> Int64 {
        let wall = FourDigitYears.clamp(Double(wall))
        for stretch in self.stretches(from: wall - Self.reach) where wall < stretch.wallEnd {
            return max(stretch.start, wall - stretch.offset)
        }
        return wall
    }

    private func offset(at instant: Int64) -> Int64 {
        Int64(self.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
    }

    private func change(after instant: Int64) -> Int64 {
        let date = Date(timeIntervalSince1970: Double(instant))
        let change = self.zone.nextDaylightSavingTimeTransition(after: date)?.timeIntervalSince1970
        guard let change, change > Double(instant), change < Double(UTCOffsetPeriod.never) else {
            return UTCOffsetPeriod.never
        }
        return Int64(clamping: change)
    }
}

/// A time in which the clocks of a zone run on without being set.
///
/// Times on the wall, like instants, are seconds since 1970: a clock shows `wall` when one that shows UTC would show it
/// at the instant `wall`.
package struct UTCOffsetPeriod: Hashable, Sendable {
    /// The value of ``end`` if there is no further transition; beyond every date, and small enough for calculations.
    package static let never: Int64 = 1 << 52

    /// The instant at which it begins: a transition, or the start of the sequence.
    package let start: Int64
    /// The instant at which clocks are set again, or ``never``.
    package let end: Int64
    /// The UTC offset in seconds.
    package let offset: Int64
    /// The local time just before the transition; ``wallStart`` if the period does not begin with a transition.
    package let shown: Int64

    /// The local time at the beginning.
    package var wallStart: Int64 { self.start + self.offset }

    /// The local time at the end, before the next transition.
    package var wallEnd: Int64 { self.end + self.offset }

    /// The times on the wall that clocks never showed, since they were set forward to begin this stretch.
    package var skipped: Range<Int64>? { self.shown < self.wallStart ? self.shown..<self.wallStart : nil }

    /// The first local time that does not repeat an earlier one: later than ``wallStart`` if clocks were set back.
    package var wallStartOfNew: Int64 { max(self.shown, self.wallStart) }
}
