// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Cron
import Foundation
import Testing

/// Random expressions are compared with a clock that is looked at step by step.
@Suite("Occurrences of random expressions")
struct ReferenceTests {
    /// Zones, and an instant at which their clocks are set.
    private static let changes = [
        ("Europe/Zurich", "2026-03-29T01:00:00Z"), ("Europe/Zurich", "2026-10-25T01:00:00Z"),
        ("Australia/Lord_Howe", "2026-04-04T15:00:00Z"), ("Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
        ("America/Sao_Paulo", "2018-11-04T03:00:00Z"), ("America/Sao_Paulo", "2019-02-17T02:00:00Z"),
        ("Asia/Kathmandu", "1985-12-31T18:30:00Z"), ("Pacific/Apia", "2011-12-30T10:00:00Z"),
        ("Pacific/Kwajalein", "1969-09-30T13:00:00Z"),
    ]

    private static let policies = DSTPolicy.SkippedTime.allCases.flatMap { skipped in
        DSTPolicy.RepeatedTime.allCases.map { DSTPolicy(skippedTime: skipped, repeatedTime: $0) }
    }

    @Test("are those found minute by minute, around the setting of clocks", arguments: Self.changes)
    func minutes(zone: String, change: String) throws {
        let middle = try Date(change, strategy: .iso8601)
        try self.compare(zone: zone, from: middle - 36 * 3600, through: middle + 36 * 3600, step: 60, expressions: 24)
    }

    @Test("are those found second by second, around the setting of clocks", arguments: Self.changes.prefix(4))
    func seconds(zone: String, change: String) throws {
        let middle = try Date(change, strategy: .iso8601)
        try self.compare(zone: zone, from: middle - 4000, through: middle + 4000, step: 1, expressions: 8)
    }

    @Test("are those found day by day, for years")
    func days() throws {
        let start = try Date("2023-06-01T12:00:00Z", strategy: .iso8601)
        let end = start + 1500 * 86_400
        let clock = ReferenceClock(zone: .gmt, from: start, through: end, step: 86_400)
        var random = SeededRandom(seed: 7)
        var compared = 0
        for _ in 0..<50 {
            let reference = ReferenceExpression.days(using: &random)
            let expected = reference.occurrences(by: clock, policy: .interval)
            guard let expression = self.parse(reference, expecting: expected) else { continue }
            let schedule = Schedule.cron(try CronSchedule(expression, timeZone: "UTC"))
            self.compare(schedule, with: expected, from: start, through: end, "\(reference.text)")
            compared += 1
        }
        self.expectMostCompared(compared, of: 50)
    }

    private func compare(zone: String, from start: Date, through end: Date, step: Double, expressions: Int) throws {
        let timeZone = try #require(TimeZone(identifier: zone))
        let clock = ReferenceClock(zone: timeZone, from: start, through: end, step: step)
        var random = SeededRandom(seed: UInt64(bitPattern: Int64(start.timeIntervalSince1970)))
        var compared = 0
        for index in 0..<expressions {
            let reference = ReferenceExpression.times(hasSecond: step < 60, using: &random)
            let policy = Self.policies[index % Self.policies.count]
            let expected = reference.occurrences(by: clock, policy: policy)
            guard let expression = self.parse(reference, expecting: expected) else { continue }
            let schedule = Schedule.cron(try CronSchedule(expression, timeZone: zone, dstPolicy: policy))
            self.compare(schedule, with: expected, from: start, through: end, "\(reference.text) \(policy)")
            compared += 1
        }
        self.expectMostCompared(compared, of: expressions)
    }

    /// Parses an expression.
    ///
    /// - Returns: `nil` if it is refused, which is correct only if no day ever matches it.
    private func parse(_ reference: ReferenceExpression, expecting expected: [Date]) -> CronExpression? {
        do {
            return try CronExpression(reference.text)
        } catch {
            #expect(expected.isEmpty, "\(reference.text): \(error)")
            return nil
        }
    }

    /// Records an issue if few expressions were compared: a parser that refuses them would pass otherwise.
    private func expectMostCompared(_ compared: Int, of expressions: Int) {
        #expect(4 * compared >= 3 * expressions, "\(compared) of \(expressions) expressions were accepted")
    }

    private func compare(
        _ schedule: Schedule,
        with expected: [Date],
        from start: Date,
        through end: Date,
        _ comment: Comment
    ) {
        #expect(schedule.occurrences(after: start - 1, through: end, limit: .max) == expected, comment)
        #expect(schedule.count(after: start - 1, through: end) == expected.count, comment)
        let backwards = sequence(state: end) { latest -> Date? in
            guard let previous = schedule.previous(atOrBefore: latest), previous >= start else { return nil }
            latest = previous - 1
            return previous
        }
        #expect(backwards.reversed() == expected, comment)
    }
}
