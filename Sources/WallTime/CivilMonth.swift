// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A month of the Gregorian calendar.
///
/// Days are counted from 1970-01-01, which is day 0.
package struct CivilMonth: Hashable, Sendable {
    /// The year; 0 and below are those before the year 1.
    package let year: Int
    /// 1...12.
    package let month: Int

    /// A month of a year; `month` is in 1...12.
    package init(year: Int, month: Int) {
        self.year = year
        self.month = month
    }

    package init(containing day: Int) {
        // Within a cycle of 400 years a year lasts 146,097 / 400 days on average: this is at most one year off.
        var year = 1970 + (day * 400).flooredDivision(by: 146_097).quotient
        if day < Self.firstDay(of: year) { year -= 1 }
        if day >= Self.firstDay(of: year + 1) { year += 1 }
        let dayOfYear = day - Self.firstDay(of: year)
        let month = 1 + dayOfYear / 32
        let isLater = month < 12 && dayOfYear >= Self.days(before: month + 1, of: year)
        self.init(year: year, month: isLater ? month + 1 : month)
    }

    package var firstDay: Int { Self.firstDay(of: self.year) + Self.days(before: self.month, of: self.year) }

    package var length: Int {
        switch self.month {
        case 2: Self.isLeap(self.year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the week on which it begins: 0 is Sunday, 6 Saturday.
    package var firstWeekday: Int {
        // Day 0 was a Thursday.
        (self.firstDay + 4).flooredDivision(by: 7).remainder
    }

    package var next: CivilMonth {
        self.month == 12
            ? CivilMonth(year: self.year + 1, month: 1) : CivilMonth(year: self.year, month: self.month + 1)
    }

    package var previous: CivilMonth {
        self.month == 1
            ? CivilMonth(year: self.year - 1, month: 12) : CivilMonth(year: self.year, month: self.month - 1)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func firstDay(of year: Int) -> Int {
        func leapYears(through year: Int) -> Int {
            year.flooredDivision(by: 4).quotient - year.flooredDivision(by: 100).quotient
                + year.flooredDivision(by: 400).quotient
        }
        return (year - 1970) * 365 + leapYears(through: year - 1) - leapYears(through: 1969)
    }

    private static func days(before month: Int, of year: Int) -> Int {
        // As if February had 30 days, the beginnings of months are on this line; then the missing days are subtracted.
        (367 * month - 362) / 12 - (month <= 2 ? 0 : self.isLeap(year) ? 1 : 2)
    }
}

extension FixedWidthInteger {
    /// Quotient and remainder of a division that rounds down: the remainder is in `0..<divisor`, before 1970 as well.
    package func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
