// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The field of the days of the week: days, `FRI#2`, `FRIL`.
struct WeekDays: Hashable, Sendable {
    /// Whether it starts with `*` or `?`: then it is no restriction alone.
    let isOpen: Bool

    private var days = ValueSet()
    /// Days of the week whose last in the month is meant.
    private var last = ValueSet()
    /// 7 x (n - 1) + day of the week, for the nth in the month.
    private var nth = ValueSet()

    init(_ text: Substring) throws(InvalidValueError) {
        self.isOpen = text.hasPrefix("*") || text == "?"
        for term in try CronField.dayOfWeek.terms(of: text == "?" ? "*" : text) { try self.add(term) }
    }

    /// The dates of a month that are meant.
    func dates(in month: MonthInfo) -> UInt32 {
        if self.days.count == CronField.dayOfWeek.count { return month.dates }
        var dates: UInt32 = 0
        for weekday in 0..<7 {
            let all = month.dates(on: weekday)
            if self.days.contains(weekday) { dates |= all }
            if self.last.contains(weekday) { dates |= 1 << (31 - all.leadingZeroBitCount) }
            for week in 0..<5 where self.nth.contains(7 * week + weekday) { dates |= all & 0b1111_1110 << (7 * week) }
        }
        return dates
    }

    private mutating func add(_ term: Substring) throws(InvalidValueError) {
        let field = CronField.dayOfWeek
        let halves = term.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        if halves.count == 2 {
            guard let week = CronField.digits(halves[1]), (1...5).contains(week) else {
                throw field.failure("'#1' to '#5' after a day of the week", term)
            }
            self.nth.insert(7 * (week - 1) + field.value(at: try field.number(halves[0], in: term)))
        } else if term.hasSuffix("L") {
            self.last.insert(field.value(at: try field.number(term.dropLast(), in: term)))
        } else {
            self.days.formUnion(try field.values(of: term))
        }
    }
}
