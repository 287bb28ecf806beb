// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import Testing

@Suite("A schedule")
struct ScheduleTests {
    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test("finds the next occurrence after an instant, never at it, to the second")
    func next() throws {
        let schedule = try Schedule.cron("30 0 9 * * *", timeZone: "Asia/Kathmandu")
        let nine = try self.date("2026-06-01T03:15:30Z")
        #expect(schedule.next(after: nine - 0.5) == nine)
        #expect(schedule.next(after: nine) == nine + 86_400)
        #expect(schedule.next(after: nine + 0.5) == nine + 86_400)
        #expect(schedule.previous(atOrBefore: nine) == nine)
        #expect(schedule.previous(atOrBefore: nine + 0.5) == nine)
        #expect(schedule.previous(atOrBefore: nine - 0.5) == nine - 86_400)
    }

    @Test("counts what was missed, and knows the newest, for a second's pace over a year")
    func missed() throws {
        let (last, now) = (try self.date("2025-12-31T23:00:00Z"), try self.date("2026-12-31T23:00:00Z"))
        for zone in ["UTC", "Europe/Zurich", "Africa/Casablanca"] {
            let schedule = try Schedule.cron("* * * * * *", timeZone: zone)
            #expect(schedule.missed(since: last, now: now) == MissedOccurrences(count: 365 * 86_400, newest: now))
        }
        let daily = try Schedule.cron("30 2 * * *", timeZone: "Europe/Zurich")
        let newest = try self.date("2026-12-31T01:30:00Z")
        #expect(daily.missed(since: last, now: now) == MissedOccurrences(count: 365, newest: newest))
        #expect(daily.missed(since: newest, now: now) == nil)
    }

    @Test("lists occurrences up to an instant and with it, and not more than asked for")
    func list() throws {
        let schedule = try Schedule.cron("@hourly")
        let start = try self.date("2026-01-01T00:00:00Z")
        #expect(schedule.occurrences(after: start, through: start + 7200, limit: 10) == [start + 3600, start + 7200])
        #expect(schedule.occurrences(after: start, limit: 1) == [start + 3600])
        #expect(schedule.occurrences(after: start, limit: 0).isEmpty)
    }

    @Test("at an interval goes on from its start, whatever clocks show")
    func interval() throws {
        let start = try self.date("2026-03-29T00:59:00Z")
        let schedule = try Schedule.every(.seconds(90), from: start)
        #expect(schedule.next(after: .distantPast) == start)
        #expect(schedule.previous(atOrBefore: start - 1) == nil)
        #expect(schedule.previous(atOrBefore: start + 89.9) == start)
        #expect(schedule.next(after: start) == start + 90)
        #expect(schedule.next(after: start + 90.5) == start + 180)
        #expect(schedule.count(after: start, through: start + 900) == 10)
        #expect(schedule.count(after: start - 1, through: start) == 1)
        #expect(schedule.missed(since: start, now: start + 935) == MissedOccurrences(count: 10, newest: start + 900))
        #expect(schedule.missed(since: start, now: start + 89) == nil)
    }

    @Test("refuses intervals that are no whole seconds, none, or longer than 366 days")
    func intervals() {
        for interval in [Duration.zero, .seconds(-1), .milliseconds(1500), .seconds(366 * 86_400 + 1)] {
            let failure = #expect(throws: InvalidValueError.self) { try Schedule.every(interval, from: .distantPast) }
            #expect(failure?.field == "every")
        }
    }

    @Test("refuses zones that are not known")
    func zones() {
        #expect(
            throws: InvalidValueError(
                field: "timeZone",
                rule: "the IANA name of a time zone, such as 'Europe/Zurich'",
                value: "Europe/Zürich"
            )
        ) { try Schedule.cron("@daily", timeZone: "Europe/Zürich") }
    }

    @Test("answers for every date that there is")
    func extremes() throws {
        for schedule in [
            try Schedule.cron("0 9 29 2 *", timeZone: "Europe/Zurich"),
            try Schedule.every(.seconds(90), from: .distantPast),
        ] {
            for seconds in [-Double.infinity, -1e300, -1e11, 1e11, 1e300, .infinity, .nan] {
                let date = Date(timeIntervalSince1970: seconds)
                _ = schedule.next(after: date)
                _ = schedule.previous(atOrBefore: date)
                #expect(schedule.count(after: date, through: date) == 0)
            }
        }
    }

    @Test("is written as what it is by, with the policy it has, and read back")
    func json() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let daily = try Schedule.cron("@daily", timeZone: "Europe/Zurich")
        let often = try Schedule.every(.seconds(90), from: Date(timeIntervalSince1970: 1000))
        let policy = #"{"repeatedTime":"run_once","skippedTime":"run_after"}"#
        for (schedule, json) in [
            (daily, #"{"cron":"@daily","dstPolicy":\#(policy),"timeZone":"Europe/Zurich"}"#),
            (often, #"{"everySeconds":90,"from":1000}"#),
        ] {
            #expect(String(decoding: try encoder.encode(schedule), as: UTF8.self) == json)
            #expect(try JSONDecoder().decode(Schedule.self, from: Data(json.utf8)) == schedule)
        }
        let short = Data(#"{"cron":"@daily","timeZone":"Europe/Zurich"}"#.utf8)
        #expect(try JSONDecoder().decode(Schedule.self, from: short) == daily)
        for text in [
            #"{"cron":"@daily","timeZone":"Nowhere"}"#, #"{"everySeconds":0,"from":0}"#, #"{"cron":"@daily"}"#, "{}",
        ] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Schedule.self, from: Data(text.utf8)) }
        }
    }
}
