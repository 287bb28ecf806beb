// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import Testing

@Suite("A malformed cron expression")
struct CronRefusalTests {
    @Test(
        "is refused by the field at fault and what stands there",
        arguments: [
            ("", "cron", "nothing"),
            ("* * * *", "cron", "4 in '* * * *'"),
            ("0 0 0 1 1 * 2026", "cron", "7 in '0 0 0 1 1 * 2026'"),
            ("@reboot", "cron", "@reboot"),
            ("@every 90s", "cron", "@every 90s"),
            ("0 0 * * *\n", "cron", "10 bytes with others among them"),
            ("0 0 * * ſun", "cron", "12 bytes with others among them"),
            (String(repeating: "0,", count: 128) + "0 0 * * *", "cron", "265 bytes"),
            ("60 * * * *", "cron.minute", "60"),
            ("-1 * * * *", "cron.minute", "-1"),
            ("1.5 * * * *", "cron.minute", "1.5"),
            ("5-61 * * * *", "cron.minute", "5-61"),
            ("1-2-3 * * * *", "cron.minute", "1-2-3"),
            ("1- * * * *", "cron.minute", "1-"),
            ("1,,2 * * * *", "cron.minute", "1,,2"),
            (", * * * *", "cron.minute", ","),
            ("*/0 * * * *", "cron.minute", "*/0"),
            ("*/60 * * * *", "cron.minute", "*/60"),
            ("*/ * * * *", "cron.minute", "*/"),
            ("*/5/5 * * * *", "cron.minute", "*/5/5"),
            ("** * * * *", "cron.minute", "**"),
            ("? * * * *", "cron.minute", "?"),
            ("L * * * *", "cron.minute", "L"),
            ("MON * * * *", "cron.minute", "MON"),
            ("061 * * * *", "cron.minute", "061"),
            ("60 0 0 * * *", "cron.second", "60"),
            ("0 24 * * *", "cron.hour", "24"),
            ("0 */24 * * *", "cron.hour", "*/24"),
            ("0 0 0 * *", "cron.dayOfMonth", "0"),
            ("0 0 32 * *", "cron.dayOfMonth", "32"),
            ("0 0 L-31 * *", "cron.dayOfMonth", "L-31"),
            ("0 0 L-0 * *", "cron.dayOfMonth", "L-0"),
            ("0 0 32W * *", "cron.dayOfMonth", "32W"),
            ("0 0 W * *", "cron.dayOfMonth", "W"),
            ("0 0 1W-5W * *", "cron.dayOfMonth", "1W-5W"),
            ("0 0 ?,5 * *", "cron.dayOfMonth", "?"),
            ("0 0 1 0 *", "cron.month", "0"),
            ("0 0 1 13 *", "cron.month", "13"),
            ("0 0 1 JANUARY *", "cron.month", "JANUARY"),
            ("0 0 * * 8", "cron.dayOfWeek", "8"),
            ("0 0 * * JAN", "cron.dayOfWeek", "JAN"),
            ("0 0 * * L", "cron.dayOfWeek", "L"),
            ("0 0 * * 8L", "cron.dayOfWeek", "8L"),
            ("0 0 * * FRI#6", "cron.dayOfWeek", "FRI#6"),
            ("0 0 * * FRI#", "cron.dayOfWeek", "FRI#"),
            ("0 0 * * #2", "cron.dayOfWeek", "#2"),
        ]
    )
    func malformed(text: String, field: String, value: String) {
        let failure = #expect(throws: InvalidValueError.self) { try CronExpression(text) }
        #expect(failure?.field == field)
        #expect(failure?.value == value)
        #expect(failure?.rule.isEmpty == false)
    }

    @Test(
        "is refused when no year has a day for it",
        arguments: [
            "0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 31W 6 *", "0 0 L-29 2 *", "0 0 */30 2 SUN#5", "0 0 30/1 2 ?",
        ]
    )
    func impossible(text: String) {
        #expect(throws: InvalidValueError(field: "cron", rule: "a day that comes in some year", value: text)) {
            try CronExpression(text)
        }
    }

    @Test("says what would be right")
    func messages() {
        self.expect("*/90 * * * *", "cron.minute: expected a step of 1...59 after the slash, got */90")
        self.expect("0 25 * * *", "cron.hour: expected 0...23, a range, '*' or a list of these, got 25")
        self.expect("0 0 * * FRI#6", "cron.dayOfWeek: expected '#1' to '#5' after a day of the week, got FRI#6")
        self.expect(
            "@fortnightly",
            "cron: expected one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly, got @fortnightly"
        )
    }

    @Test("is corrupt data where it was stored")
    func stored() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CronExpression].self, from: Data(#"["0 25 * * *"]"#.utf8))
        }
    }

    private func expect(_ text: String, _ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let failure = #expect(throws: InvalidValueError.self, sourceLocation: sourceLocation) {
            try CronExpression(text)
        }
        #expect(failure?.message == message, sourceLocation: sourceLocation)
    }
}
