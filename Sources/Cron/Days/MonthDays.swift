// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The field of the days of the month: dates, `L`, `L-3`, `LW`, `15W`.
struct MonthDays: Hashable, Sendable {
    /// Whether it begins with `*` or `?`: then it restricts nothing by itself.
    let isOpen: Bool

    private var dates = ValueSet()
    /// Days before the last.
    private var fromEnd = ValueSet()
    /// Dates whose nearest workday is meant.
    private var workdays = ValueSet()
    private var hasLastWorkday = false

    /// Reads the text of the field.
    init(_ text: Substring) throws(ValidationFailure) {
        self.isOpen = text.hasPrefix("*") || text == "?"
        for term in try CronField.dayOfMonth.terms(of: text == "?" ? "*" : text) { try self.add(term) }
    }

    /// The dates of a month that are meant.
    func dates(in month: MonthShape) -> UInt32 {
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

    private mutating func add(_ term: Substring) throws(ValidationFailure) {
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
