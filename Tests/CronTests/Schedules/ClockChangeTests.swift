// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import Foundation
import Testing

@Suite("When clocks are set")
struct ClockChangeTests {
    @Test(
        "forward, a time of day that is skipped occurs once as they are, and a pace goes on",
        arguments: [
            // Zurich, 2026-03-29 at 01:00 UTC: 02:00 becomes 03:00
            ("30 2 * * *", "Europe/Zurich", "2026-03-28T00:00", "28T01:30 29T01:00 30T00:30"),
            ("0,30 2 * * *", "Europe/Zurich", "2026-03-28T12:00", "29T01:00 30T00:00 30T00:30"),
            ("0 2,3 * * *", "Europe/Zurich", "2026-03-28T12:00", "29T01:00 30T00:00 30T01:00"),
            ("0 3 * * *", "Europe/Zurich", "2026-03-28T12:00", "29T01:00 30T01:00"),
            ("59 1 * * *", "Europe/Zurich", "2026-03-28T12:00", "29T00:59 29T23:59"),
            ("30 * * * *", "Europe/Zurich", "2026-03-29T00:00", "29T00:30 29T01:30 29T02:30"),
            ("0 */2 * * *", "Europe/Zurich", "2026-03-28T22:30", "28T23:00 29T02:00 29T04:00"),
            ("*/30 2 * * *", "Europe/Zurich", "2026-03-28T12:00", "30T00:00 30T00:30 31T00:00"),
            ("30 2 * * SUN", "Europe/Zurich", "2026-03-28T12:00", "29T01:00"),
            // New York, 2026-03-08 at 07:00 UTC
            ("30 2 * * *", "America/New_York", "2026-03-07T12:00", "08T07:00 09T06:30"),
            // Lord Howe, 2026-10-03 at 15:30 UTC: 02:00 becomes 02:30
            ("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T16:00", "03T15:30 04T15:15"),
            ("30 2 * * *", "Australia/Lord_Howe", "2026-10-02T16:30", "03T15:30 04T15:30"),
            ("15 * * * *", "Australia/Lord_Howe", "2026-10-03T14:30", "03T14:45 03T16:15 03T17:15"),
            // Casablanca, 2026-03-22 at 02:00 UTC, as Ramadan has ended
            ("30 2 * * *", "Africa/Casablanca", "2026-03-21T12:00", "22T02:00 23T01:30"),
            // São Paulo, 2018-11-04 at 03:00 UTC: the day begins at 01:00
            ("0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00", "04T03:00 05T02:00"),
            ("@daily", "America/Sao_Paulo", "2018-11-03T12:00", "04T03:00 05T02:00"),
            ("@hourly", "America/Sao_Paulo", "2018-11-04T01:30", "04T02:00 04T03:00 04T04:00"),
            // Kathmandu, 1985-12-31 at 18:30 UTC: 00:00 becomes 00:15
            ("10 0 * * *", "Asia/Kathmandu", "1985-12-31T00:00", "31T18:30 01T18:25"),
            ("0 9 * * *", "Asia/Kathmandu", "2026-06-01T00:00", "01T03:15 02T03:15"),
            // Apia, 2011-12-30 at 10:00 UTC: a day that is none
            ("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00", "29T22:00 30T10:00 30T22:00"),
            ("0 12 30 12 *", "Pacific/Apia", "2011-12-01T00:00", "30T10:00"),
            ("0 */6 * * *", "Pacific/Apia", "2011-12-30T00:00", "30T04:00 30T10:00 30T16:00"),
        ]
    )
    func forward(text: String, zone: String, from: String, expected: String) throws {
        try self.check(Schedule.cron(text, timeZone: zone), from: from, expected: expected)
    }

    @Test(
        "back, a time of day that is shown twice occurs the first time, and a pace goes on",
        arguments: [
            // Zurich, 2026-10-25 at 01:00 UTC: 03:00 becomes 02:00
            ("30 2 * * *", "Europe/Zurich", "2026-10-24T12:00", "25T00:30 26T01:30"),
            ("0 2 * * *", "Europe/Zurich", "2026-10-24T12:00", "25T00:00 26T01:00"),
            ("0 3 * * *", "Europe/Zurich", "2026-10-24T12:00", "25T02:00 26T02:00"),
            ("59 2 * * *", "Europe/Zurich", "2026-10-25T01:00", "26T01:59"),
            ("15 * * * *", "Europe/Zurich", "2026-10-24T23:30", "25T00:15 25T01:15 25T02:15"),
            ("0 */2 * * *", "Europe/Zurich", "2026-10-24T21:30", "24T22:00 25T00:00 25T01:00 25T03:00"),
            ("*/30 2 * * *", "Europe/Zurich", "2026-10-24T12:00", "25T00:00 25T00:30 25T01:00 25T01:30 26T01:00"),
            // New York, 2026-11-01 at 06:00 UTC
            ("30 1 * * *", "America/New_York", "2026-10-31T12:00", "01T05:30 02T06:30"),
            // Lord Howe, 2026-04-04 at 15:00 UTC: 02:00 becomes 01:30
            ("45 1 * * *", "Australia/Lord_Howe", "2026-04-03T15:00", "04T14:45 05T15:15"),
            ("45 * * * *", "Australia/Lord_Howe", "2026-04-04T14:30", "04T14:45 04T15:15 04T16:15"),
            // Casablanca, 2026-02-15 at 02:00 UTC, as Ramadan begins
            ("30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00", "15T01:30 16T02:30"),
            // São Paulo, 2019-02-17 at 02:00 UTC: the day before has 23:00 twice
            ("30 23 * * *", "America/Sao_Paulo", "2019-02-16T12:00", "17T01:30 18T02:30"),
            ("0 0 * * *", "America/Sao_Paulo", "2019-02-16T12:00", "17T03:00 18T03:00"),
        ]
    )
    func back(text: String, zone: String, from: String, expected: String) throws {
        try self.check(Schedule.cron(text, timeZone: zone), from: from, expected: expected)
    }

    @Test(
        "a schedule can say otherwise",
        arguments: [
            (DSTPolicy.interval, "2026-03-28T00:00", "28T01:30 30T00:30"),
            (DSTPolicy.fixedTime, "2026-03-28T00:00", "28T01:30 29T01:00 30T00:30"),
            (DSTPolicy.interval, "2026-10-24T12:00", "25T00:30 25T01:30 26T01:30"),
            (DSTPolicy(skippedTime: .skip, repeatedTime: .runOnce), "2026-10-24T12:00", "25T00:30 26T01:30"),
            (DSTPolicy(skippedTime: .runAfter, repeatedTime: .runTwice), "2026-03-28T12:00", "29T01:00 30T00:30"),
        ]
    )
    func policy(policy: DSTPolicy, from: String, expected: String) throws {
        let schedule = try Schedule.cron("30 2 * * *", timeZone: "Europe/Zurich", dstPolicy: policy)
        try self.check(schedule, from: from, expected: expected)
    }

    @Test("what clocks skip each time, and what is omitted then, never comes: that is found out")
    func never() throws {
        let schedule = try Schedule.cron("*/30 2 * 3 SUNL", timeZone: "Europe/Zurich")
        let now = try Date("2026-01-01T00:00:00Z", strategy: .iso8601)
        #expect(schedule.next(after: now) == nil)
        // Switzerland has set its clocks since 1981.
        let last = try Date("1980-03-30T01:30:00Z", strategy: .iso8601)
        #expect(schedule.previous(atOrBefore: now) == last)
        #expect(schedule.count(after: last, through: now) == 0)
    }

    /// Occurrences are written as day and time of UTC.
    private func check(
        _ schedule: Schedule,
        from: String,
        expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let start = try Date("\(from):00Z", strategy: .iso8601)
        let times = expected.split(separator: " ").map(String.init)
        let found = schedule.occurrences(after: start, limit: times.count)
        #expect(
            found.map { String($0.ISO8601Format().dropFirst(8).prefix(8)) } == times,
            sourceLocation: sourceLocation
        )
        let newest = try #require(found.last)
        #expect(schedule.count(after: start, through: newest) == times.count, sourceLocation: sourceLocation)
        #expect(found.map { schedule.previous(atOrBefore: $0) } == found, sourceLocation: sourceLocation)
        let gaps = zip(found, found.dropFirst())
        #expect(gaps.allSatisfy { schedule.previous(atOrBefore: $1 - 1) == $0 }, sourceLocation: sourceLocation)
    }
}
