// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import Foundation
import Testing

@Suite("The days of a cron expression")
struct CronDayTests {
    @Test(
        "are those of the calendar",
        arguments: [
            // Month ends and leap years
            (
                "0 0 31 * *", "2026-01-01",
                "2026-01-31 2026-03-31 2026-05-31 2026-07-31 2026-08-31 2026-10-31 2026-12-31"
            ),
            ("0 0 29 2 *", "2026-01-01", "2028-02-29 2032-02-29 2036-02-29"),
            ("0 0 29 2 *", "2096-03-01", "2104-02-29 2108-02-29"),
            ("0 0 29 2 *", "1996-03-01", "2000-02-29"),
            ("0 0 */28 2 5#5", "2026-01-01", "2036-02-29 2064-02-29 2092-02-29 2104-02-29"),
            ("0 0 L * *", "2028-01-01", "2028-01-31 2028-02-29 2028-03-31 2028-04-30"),
            ("0 0 L-2 2 *", "2026-01-01", "2026-02-26 2027-02-26 2028-02-27"),
            ("0 0 L-30 * *", "2026-01-01", "2026-01-01 2026-03-01 2026-05-01"),
            // The nearest workday: within the month, and none where the month has no such date
            ("0 0 LW * *", "2026-01-01", "2026-01-30 2026-02-27 2026-03-31 2026-04-30 2026-05-29"),
            ("0 0 15W * *", "2026-01-01", "2026-01-15 2026-02-16 2026-03-16"),
            ("0 0 15W 8 *", "2026-01-01", "2026-08-14"),
            ("0 0 1W * *", "2026-07-15", "2026-08-03 2026-09-01 2026-10-01 2026-11-02"),
            ("0 0 31W 4-6 *", "2026-01-01", "2026-05-29 2027-05-31"),
            // Days of the week, counted
            ("0 0 * * 5#3", "2026-01-01", "2026-01-16 2026-02-20 2026-03-20"),
            ("0 0 * * MON#5", "2026-01-01", "2026-03-30 2026-06-29 2026-08-31"),
            ("0 0 * * FRIL", "2026-01-01", "2026-01-30 2026-02-27 2026-03-27"),
            ("0 0 * * 7L", "2026-01-01", "2026-01-25 2026-02-22"),
            ("0 0 ? * FRI-MON", "2026-01-01", "2026-01-02 2026-01-03 2026-01-04 2026-01-05 2026-01-09"),
            // Both fields restricted: either is enough
            ("0 0 13 * FRI", "2026-01-01", "2026-01-02 2026-01-09 2026-01-13 2026-01-16 2026-01-23"),
            ("0 0 1,L * MON#1", "2026-01-01", "2026-01-01 2026-01-05 2026-01-31 2026-02-01 2026-02-02"),
            // One of them begins with a star: both have to match
            ("0 0 */2 * MON", "2026-01-01", "2026-01-05 2026-01-19 2026-02-09 2026-02-23"),
            ("0 0 13 * */6", "2026-01-01", "2026-06-13 2026-09-13 2026-12-13"),
        ]
    )
    func days(text: String, from: String, expected: String) throws {
        let schedule = try Schedule.cron(text)
        let start = try Date("\(from)T00:00:00Z", strategy: .iso8601) - 1
        let days = expected.split(separator: " ").map(String.init)
        let found = schedule.occurrences(after: start, limit: days.count)
        #expect(found.map { String($0.ISO8601Format().prefix(10)) } == days)
        let newest = try #require(found.last)
        #expect(schedule.count(after: start, through: newest) == days.count)
        #expect(found.map { schedule.previous(atOrBefore: $0 + 3600) } == found)
    }
}
