// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing
import WallTime

@Suite("A month of the calendar")
struct CivilMonthTests {
    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    @Test("is the one that Foundation finds, on every day of four centuries")
    func foundation() throws {
        var month = CivilMonth(year: 1799, month: 12)
        var day = month.firstDay
        while month.year < 2205 {
            month = month.next
            day += month.previous.length
            #expect(month.firstDay == day)
            for offset in [0, 1, month.length / 2, month.length - 1] {
                #expect(CivilMonth(containing: day + offset) == month)
            }
            let noon = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
            let parts = self.calendar.dateComponents([.year, .month, .day, .weekday], from: noon)
            #expect(parts == self.components(of: month))
            #expect(self.calendar.range(of: .day, in: .month, for: noon)?.count == month.length)
        }
    }

    private func components(of month: CivilMonth) -> DateComponents {
        DateComponents(year: month.year, month: month.month, day: 1, weekday: month.firstWeekday + 1)
    }

    @Test("goes back before the year 1, and each day is of one month")
    func early() {
        var month = CivilMonth(year: 1, month: 6)
        while month.year > -402 {
            #expect(month.previous.next == month)
            #expect(month.previous.firstDay + month.previous.length == month.firstDay)
            #expect(CivilMonth(containing: month.firstDay - 1) == month.previous)
            month = month.previous
        }
        #expect(CivilMonth(year: 1, month: 1).firstDay == -719_162)
        #expect(CivilMonth(year: 1, month: 1).firstWeekday == 1)
    }
}
