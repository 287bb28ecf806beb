// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import WallTime

/// What the dates of a month depend on: how long it is, and on which day of the week it begins.
///
/// Sets of dates are bits of a word: bit 1 is the first of the month, bit 31 the 31st.
struct MonthShape: Hashable, Sendable {
    /// 28...31.
    let length: Int
    /// 0 is Sunday.
    let firstWeekday: Int

    /// All dates.
    var dates: UInt32 { ~0 >> (31 - self.length) & ~1 }

    /// The dates on a day of the week.
    func dates(on weekday: Int) -> UInt32 {
        let everySeventh: UInt32 = 1 << 1 | 1 << 8 | 1 << 15 | 1 << 22 | 1 << 29
        return everySeventh << self.daysUntil(weekday) & self.dates
    }

    /// The nearest of Monday to Friday within the month; `nil` if the month has no such date.
    func workday(nearestTo date: Int) -> Int? {
        guard date <= self.length else { return nil }
        return switch (self.firstWeekday + date - 1) % 7 {
        case 6: date == 1 ? 3 : date - 1
        case 0: date == self.length ? date - 2 : date + 1
        default: date
        }
    }

    /// Days from the first of the month to the first time that it is a day of the week.
    private func daysUntil(_ weekday: Int) -> Int { (weekday - self.firstWeekday + 7) % 7 }
}

extension MonthShape {
    /// The shape of a month.
    init(_ month: CivilMonth) {
        self.init(length: month.length, firstWeekday: month.firstWeekday)
    }

    /// The shapes that a month takes in the course of the years.
    static func all(of month: Int) -> [MonthShape] {
        // 2000 was a leap year, 2001 was none.
        let lengths = Set([2000, 2001].map { CivilMonth(year: $0, month: month).length })
        return lengths.flatMap { length in (0..<7).map { MonthShape(length: length, firstWeekday: $0) } }
    }
}
