// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
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
            months.contains(month) && MonthInfo.all(of: month).contains { self.dates(in: $0) != 0 }
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
        self.months.contains(month.month) ? self.dates(in: MonthInfo(month)) : 0
    }

    /// Where both fields restrict the days, either is enough; where one is open, the other decides.
    private func dates(in month: MonthInfo) -> UInt32 {
        let (first, second) = (self.monthDays.dates(in: month), self.weekDays.dates(in: month))
        return self.monthDays.isOpen || self.weekDays.isOpen ? first & second : first | second
    }
}

/// The properties of a month that its dates depend on: its length, and the day of the week on which it begins.
///
/// Sets of dates are bits of a word: bit 1 is the first of the month, bit 31 the 31st.
struct MonthInfo: Hashable, Sendable {
    /// 28...31.
    let length: Int
    /// 0 is Sunday.
    let firstWeekday: Int

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

extension MonthInfo {
    init(_ month: CivilMonth) {
        self.init(length: month.length, firstWeekday: month.firstWeekday)
    }

    /// The shapes that a month takes in the course of the years.
    static func all(of month: Int) -> [MonthInfo] {
        // 2000 was a leap year, 2001 was none.
        let lengths = Set([2000, 2001].map { CivilMonth(year: $0, month: month).length })
        return lengths.flatMap { length in (0..<7).map { MonthInfo(length: length, firstWeekday: $0) } }
    }
}

/// The field of the days of the month: dates, `L`, `L-3`, `LW`, `15W`.
struct MonthDays: Hashable, Sendable {
    /// Whether it starts with `*` or `?`: then it is no restriction alone.
    let isOpen: Bool

    private var dates = ValueSet()
    /// Days before the last.
    private var fromEnd = ValueSet()
    /// Dates whose nearest workday is meant.
    private var workdays = ValueSet()
    private var hasLastWorkday = false

    init(_ text: Substring) throws(InvalidValueError) {
        self.isOpen = text.hasPrefix("*") || text == "?"
        for term in try CronField.dayOfMonth.terms(of: text == "?" ? "*" : text) { try self.add(term) }
    }

    /// The dates of a month that are meant.
    func dates(in month: MonthInfo) -> UInt32 {
        var dates = UInt32(truncatingIfNeeded: self.dates.bits)
        if !self.fromEnd.isEmpty {
            for days in 0..<month.length where self.fromEnd.contains(days) { dates |= 1 << (month.length - days) }
        }
        if !self.workdays.isEmpty {
            for date in 1...month.length where self.workdays.contains(date) {
                if let workday = month.workday(nearestTo: date) { dates |= 1 << workday }
            }
        }
        if self.hasLastWorkday, let workday = month.workday(nearestTo: month.length) { dates |= 1 << workday }
        return dates & month.dates
    }

    private mutating func add(_ term: Substring) throws(InvalidValueError) {
        let field = CronField.dayOfMonth
        if term == "LW" {
            self.hasLastWorkday = true
        } else if term == "L" {
            self.fromEnd.insert(0)
        } else if term.hasPrefix("L-") {
            guard let days = CronField.digits(term.dropFirst(2)), (1...30).contains(days) else {
                throw field.failure(term)
            }
            self.fromEnd.insert(days)
        } else if term.hasSuffix("W") {
            self.workdays.insert(try field.number(term.dropLast(), in: term))
        } else {
            self.dates.formUnion(try field.values(of: term))
        }
    }
}
