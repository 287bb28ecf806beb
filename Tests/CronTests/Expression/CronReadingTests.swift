// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import Testing

@Suite("Reading a cron expression")
struct CronReadingTests {
    @Test(
        "keeps its text, in upper case and with single spaces, and reads it back",
        arguments: [
            ("0 9 * * MON-FRI", "0 9 * * MON-FRI"),
            ("  */5\t* * *  * ", "*/5 * * * *"),
            ("30 0 9 ? jan,Dec fri#2", "30 0 9 ? JAN,DEC FRI#2"),
            ("0 0 l-3,15w,LW * 5L,7,sun", "0 0 L-3,15W,LW * 5L,7,SUN"),
            ("0/15 22-2/2 * * *", "0/15 22-2/2 * * *"),
            ("@Hourly", "@hourly"), ("@daily", "@daily"),
        ]
    )
    func text(written: String, kept: String) throws {
        let expression = try CronExpression(written)
        #expect(expression.description == kept)
        #expect(try CronExpression(kept) == expression)
        let json = try JSONEncoder().encode([expression])
        #expect(try JSONDecoder().decode([String].self, from: json) == [kept])
        #expect(try JSONDecoder().decode([CronExpression].self, from: json) == [expression])
    }

    @Test(
        "knows macros by the fields they stand for",
        arguments: [
            ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"), ("@monthly", "0 0 1 * *"), ("@weekly", "0 0 * * SUN"),
            ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@hourly", "0 * * * *"),
        ]
    )
    func macros(macro: String, fields: String) throws {
        #expect(try occurrences(macro, limit: 40) == (try occurrences(fields, limit: 40)))
        #expect(try CronExpression(macro).isFixedTime == (try CronExpression(fields).isFixedTime))
    }

    @Test(
        "takes different words for the same times",
        arguments: [
            ("0 0 * * 0", "0 0 * * 7"), ("0 0 * * SAT-SUN", "0 0 * * 6,0"), ("0 0 * * 5-7", "0 0 * * FRI,SAT,SUN"),
            ("0 0 * * FRI-MON", "0 0 * * 5,6,0,1"), ("0 0 * * 7-2", "0 0 * * 0-2"), ("0 0 * * 0-7", "0 0 * * *"),
            ("0 0 1 NOV-FEB *", "0 0 1 1,2,11,12 *"), ("0 22-2 * * *", "0 22,23,0,1,2 * * *"),
            ("0 22-4/2 * * *", "0 22,0,2,4 * * *"), ("10/20 * * * *", "10,30,50 * * * *"),
            ("*/25 * * * *", "0,25,50 * * * *"), ("10-30/10 * * * *", "10,20,30 * * * *"),
            ("0 0 ? * ?", "0 0 * * *"), ("0 5 4 * * *", "5 4 * * *"), ("0 0 28-2/2 * *", "0 0 28,30,1 * *"),
            ("0 0 * * 1/2", "0 0 * * 1,3,5"), ("0 0 * * 7/2", "0 0 * * 0,2,4,6"), ("0 0 * 3/6 *", "0 0 * 3,9 *"),
        ]
    )
    func equivalents(first: String, second: String) throws {
        #expect(try occurrences(first, limit: 100) == (try occurrences(second, limit: 100)))
    }

    @Test(
        "tells times of the day from paces",
        arguments: [
            ("30 2 * * *", true), ("0,30 2-4 * * *", true), ("0 30 2 * * *", true), ("0-10/5 2 * * *", true),
            ("@daily", true), ("@monthly", true), ("0 0 */2 * *", true), ("@hourly", false), ("30 * * * *", false),
            ("*/10 2 * * *", false), ("0/10 2 * * *", false), ("0 */2 * * *", false), ("* 30 2 * * *", false),
        ]
    )
    func kinds(text: String, isFixedTime: Bool) throws {
        #expect(try CronExpression(text).isFixedTime == isFixedTime)
    }

    private func occurrences(_ text: String, limit: Int) throws -> [Date] {
        try Schedule.cron(text).occurrences(after: Date(timeIntervalSince1970: 1_767_225_599), limit: limit)
    }
}
