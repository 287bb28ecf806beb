// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import WallTime

/// The days of an expression by its months, days of the month and days of the week; there are always more to come.
struct DayPattern: Hashable, Sendable {
    private let months: ValueSet
    private let monthDays: MonthDays
    private let weekDays: WeekDays

    /// The days of three fields; `nil` if no year has one, as with 30 February.
    init?(months: ValueSet, monthDays: MonthDays, weekDays: WeekDays) {
        self.months = months
        self.monthDays = monthDays
        self.weekDays = weekDays
        // Every month takes each of its shapes within 40 years: a day that is in none of them never comes.
        let comes = (1...12).contains { month in
            months.contains(month) && MonthShape.all(of: month).contains { self.dates(in: $0) != 0 }
        }
        guard comes else { return nil }
    }

    func contains(_ day: Int) -> Bool {
        let month = CivilMonth(containing: day)
        return self.dates(in: month) >> (day - month.firstDay + 1) & 1 == 1
    }

    /// The first day that is `day` or after it.
    func first(from day: Int) -> Int {
        var month = CivilMonth(containing: day)
        var dates = self.dates(in: month) & ~0 << (day - month.firstDay + 1)
        while dates == 0 {
            month = month.next
            dates = self.dates(in: month)
        }
        return month.firstDay + dates.trailingZeroBitCount - 1
    }

    /// The last day that is `day` or before it.
    func last(through day: Int) -> Int {
        var month = CivilMonth(containing: day)
        var dates = self.dates(in: month) & ~0 >> (30 - day + month.firstDay)
        while dates == 0 {
            month = month.previous
            dates = self.dates(in: month)
        }
        return month.firstDay + 30 - dates.leadingZeroBitCount
    }

    /// How many days there are in a range; takes a step for each month.
    func count(in days: Range<Int>) -> Int {
        var count = 0
        var month = CivilMonth(containing: days.lowerBound)
        while month.firstDay < days.upperBound {
            var dates = self.dates(in: month)
            if month.firstDay < days.lowerBound { dates &= ~0 << (days.lowerBound - month.firstDay + 1) }
            if month.firstDay + month.length > days.upperBound {
                dates &= ~(~0 << (days.upperBound - month.firstDay + 1))
            }
            count += dates.nonzeroBitCount
            month = month.next
        }
        return count
    }

    private func dates(in month: CivilMonth) -> UInt32 {
        self.months.contains(month.month) ? self.dates(in: MonthShape(month)) : 0
    }

    /// Where both fields restrict the days, either is enough; where one is open, the other decides.
    private func dates(in month: MonthShape) -> UInt32 {
        let (first, second) = (self.monthDays.dates(in: month), self.weekDays.dates(in: month))
        return self.monthDays.isOpen || self.weekDays.isOpen ? first & second : first | second
    }
}
