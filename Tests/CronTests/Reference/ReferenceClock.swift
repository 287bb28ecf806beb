// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// What clocks of a zone show at each step through a time, by Foundation's calendar: the slow and plain way.
struct ReferenceClock {
    /// Date and time of day on a wall.
    struct Reading {
        let second: Int
        let minute: Int
        let hour: Int
        let dayOfMonth: Int
        let month: Int
        /// 0 is Sunday.
        let dayOfWeek: Int
        let daysInMonth: Int
    }

    /// One step.
    struct Moment {
        let instant: Date
        let reading: Reading
        /// Whether clocks have shown the reading before.
        let isRepeated: Bool
        /// What clocks would have shown since the step before, had they not been set forward.
        let skipped: [Reading]
    }

    let moments: [Moment]

    /// Goes through a time in steps of so many seconds.
    init(zone: TimeZone, from start: Date, through end: Date, step: Double) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let reading = { (wall: Double) in
            let date = Date(timeIntervalSince1970: wall)
            let parts = calendar.dateComponents([.second, .minute, .hour, .day, .month, .weekday], from: date)
            return Reading(
                second: parts.second ?? 0,
                minute: parts.minute ?? 0,
                hour: parts.hour ?? 0,
                dayOfMonth: parts.day ?? 0,
                month: parts.month ?? 0,
                dayOfWeek: (parts.weekday ?? 0) - 1,
                daysInMonth: calendar.range(of: .day, in: .month, for: date)?.count ?? 0
            )
        }
        var shown: Double?
        self.moments = stride(from: start, through: end, by: step).map { instant in
            let wall = instant.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: instant))
            let before = shown ?? wall - step
            shown = max(before, wall)
            return Moment(
                instant: instant,
                reading: reading(wall),
                isRepeated: wall <= before,
                skipped: stride(from: before + step, to: wall, by: step).map(reading)
            )
        }
    }
}
