// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import WallTime

/// The times on the wall that an expression means: its times of day, on each of its days.
///
/// Times on the wall are seconds since 1970 of a clock that shows UTC.
struct LocalTimePattern: Hashable, Sendable {
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

/// The times of day of an expression, as seconds since midnight: each of its hours, minutes and seconds with each.
struct TimesOfDay: Hashable, Sendable {
    let hours: ValueSet
    let minutes: ValueSet
    let seconds: ValueSet

    var count: Int { self.hours.count * self.minutes.count * self.seconds.count }

    var earliest: Int { Self.time(self.hours.lowest, self.minutes.lowest, self.seconds.lowest) }

    var latest: Int { Self.time(self.hours.highest, self.minutes.highest, self.seconds.highest) }

    /// The first that is `time` or later.
    func first(from time: Int) -> Int? {
        let (hour, minute, second) = Self.parts(of: time)
        if self.hours.contains(hour) {
            if self.minutes.contains(minute), let second = self.seconds.first(from: second) {
                return Self.time(hour, minute, second)
            }
            if let minute = self.minutes.first(from: minute + 1) { return Self.time(hour, minute, self.seconds.lowest) }
        }
        return self.hours.first(from: hour + 1).map { Self.time($0, self.minutes.lowest, self.seconds.lowest) }
    }

    /// The last that is `time` or earlier.
    func last(through time: Int) -> Int? {
        let (hour, minute, second) = Self.parts(of: time)
        if self.hours.contains(hour) {
            if self.minutes.contains(minute), let second = self.seconds.last(through: second) {
                return Self.time(hour, minute, second)
            }
            if let minute = self.minutes.last(through: minute - 1) {
                return Self.time(hour, minute, self.seconds.highest)
            }
        }
        return self.hours.last(through: hour - 1).map { Self.time($0, self.minutes.highest, self.seconds.highest) }
    }

    /// How many are earlier than `time`.
    func count(before time: Int) -> Int {
        let (hour, minute, second) = Self.parts(of: time)
        var count = self.hours.count(below: hour) * self.minutes.count * self.seconds.count
        if self.hours.contains(hour) {
            count += self.minutes.count(below: minute) * self.seconds.count
            if self.minutes.contains(minute) { count += self.seconds.count(below: second) }
        }
        return count
    }

    private static func time(_ hour: Int, _ minute: Int, _ second: Int) -> Int { (hour * 60 + minute) * 60 + second }

    private static func parts(of time: Int) -> (hour: Int, minute: Int, second: Int) {
        (time / 3600, time / 60 % 60, time % 60)
    }
}
