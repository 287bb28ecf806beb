// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import WallTime

/// The times on the wall that an expression means: its times of day, on each of its days.
///
/// Times on the wall are seconds since 1970 of a clock that shows UTC.
struct WallPattern: Hashable, Sendable {
    let times: TimesOfDay
    let days: DayPattern

    /// The first that is `wall` or later.
    func first(from wall: Int64) -> Int64 {
        let (day, time) = Self.parts(of: wall)
        if self.days.contains(day), let time = self.times.first(from: time) { return Self.wall(day, time) }
        return Self.wall(self.days.first(from: day + 1), self.times.earliest)
    }

    /// The last that is `wall` or earlier.
    func last(through wall: Int64) -> Int64 {
        let (day, time) = Self.parts(of: wall)
        if self.days.contains(day), let time = self.times.last(through: time) { return Self.wall(day, time) }
        return Self.wall(self.days.last(through: day - 1), self.times.latest)
    }

    /// How many there are in a range; takes a step for each month.
    func count(in walls: Range<Int64>) -> Int {
        guard !walls.isEmpty else { return 0 }
        let (start, end) = (Self.parts(of: walls.lowerBound), Self.parts(of: walls.upperBound))
        return self.days.count(in: start.day..<end.day) * self.times.count
            - (self.days.contains(start.day) ? self.times.count(before: start.time) : 0)
            + (self.days.contains(end.day) ? self.times.count(before: end.time) : 0)
    }

    private static func parts(of wall: Int64) -> (day: Int, time: Int) {
        let (day, time) = Int(wall).flooredDivision(by: 86_400)
        return (day, time)
    }

    private static func wall(_ day: Int, _ time: Int) -> Int64 { Int64(day * 86_400 + time) }
}
