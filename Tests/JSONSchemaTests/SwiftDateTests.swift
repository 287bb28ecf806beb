// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import JSONSchema
import Testing

@Suite("Dates as Swift reads them")
struct SwiftDateTests {
    private static let rules = #"{"properties":{"endTime":{"type":["number","null"],"format":"swift-date"}}}"#

    /// What a phone does with a push.
    private struct Lesson: Codable {
        var endTime: Date?
    }

    private func message(_ text: String) throws -> String? {
        let faults = try schema(Self.rules).faults(in: value(#"{"endTime":\#(text)}"#), field: "contentState")
        return faults.first?.message
    }

    @Test("are numbers from 2001 on, which is what JSONEncoder writes by default")
    func plain() throws {
        let date = Date(timeIntervalSince1970: 1_772_355_600)
        let written = try JSONEncoder().encode(Lesson(endTime: date))
        #expect(String(decoding: written, as: UTF8.self) == #"{"endTime":\#(SwiftDate.text(date))}"#)
        #expect(SwiftDate.text(date) == "794048400")
        for text in ["794048400", "794048400.25", "-5", "0", "null", "63113904000"] {
            #expect(try self.message(text) == nil, "\(text)")
        }
    }

    @Test(
        "are told from what others write for them, with what phones would show and what is right",
        arguments: [
            (
                "1772355600",
                "seconds since 2001-01-01, as Swift reads a Date: 794048400 for 2026-03-01T09:00:00Z, "
                    + "got 1772355600, seconds since 1970: devices show it as 2057-03-01T09:00:00Z"
            ),
            (
                "1772355600.5",
                "seconds since 2001-01-01, as Swift reads a Date: 794048400.5 for 2026-03-01T09:00:00Z, "
                    + "got 1772355600.5, seconds since 1970: devices show it as 2057-03-01T09:00:00Z"
            ),
            (
                "1772355600000",
                "seconds since 2001-01-01, as Swift reads a Date: 794048400 for 2026-03-01T09:00:00Z, "
                    + "got 1772355600000, ms since 1970: devices show it in the year 58164"
            ),
            (
                #""2026-03-01T18:00:00+09:00""#,
                "seconds since 2001-01-01, as Swift reads a Date: 794048400 for this one, "
                    + "got a string, which makes devices ignore the push"
            ),
            (
                #""tomorrow""#,
                "seconds since 2001-01-01, as Swift reads a Date, got a string, which makes devices ignore the push"
            ),
            ("true", "seconds since 2001-01-01, as Swift reads a Date, got true or false"),
        ] as [(String, String)]
    )
    func trap(text: String, rule: String) throws {
        #expect(try self.message(text) == "contentState.endTime: expected \(rule)")
    }

    @Test("show on a phone what the message says")
    func phone() throws {
        let lesson = try JSONDecoder().decode(Lesson.self, from: Data(#"{"endTime":1772355600}"#.utf8))
        #expect(lesson.endTime?.formatted(.iso8601) == "2057-03-01T09:00:00Z")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Lesson.self, from: Data(#"{"endTime":"2026-03-01T09:00:00Z"}"#.utf8))
        }
    }

    @Test(
        "are converted where the schema wants that, and once converted stay as they are",
        arguments: [
            ("1772355600", "794048400"),
            ("1772355600250", "794048400.25"),
            (#""2026-03-01T09:00:00Z""#, "794048400"),
            (#""2026-03-01T09:00:00.5Z""#, "794048400.5"),
            ("794048400", "794048400"),
            ("null", "null"),
        ]
    )
    func converted(text: String, expected: String) throws {
        let date = #"{"type":["number","null"],"format":"swift-date","convert":true}"#
        let rules = try schema(
            ##"{"$defs":{"d":\##(date)},"properties":{"a":{"items":{"$ref":"#/$defs/d"}},"n":{}},"additionalProperties":\##(date)}"##
        )
        let converted = try rules.converted(value(#"{"a":[\#(text)],"n":\#(text),"x":\#(text)}"#))
        #expect(try converted == value(#"{"a":[\#(expected)],"n":\#(text),"x":\#(expected)}"#))
        #expect(try rules.converted(converted) == converted)
        #expect(rules.faults(in: converted, field: "v").isEmpty)
    }

    @Test("are refused however far away the year is", arguments: ["1e300", "1e20", "9223372036854775807"])
    func farYears(text: String) throws {
        let rules = try schema(#"{"properties":{"until":{"format":"swift-date"}}}"#)
        let faults = rules.faults(in: try value(#"{"until":\#(text)}"#), field: "v")
        #expect(faults.map(\.field) == ["v.until"])
        #expect(faults.first?.value.contains("which devices show in the year") == true)
        #expect(SwiftDate.shown(-1e300).hasPrefix("in the year -"))
    }

    @Test("are converted in bounded time, whatever the references of the schema are")
    func conversionBound() throws {
        let date = #"{"format":"swift-date","convert":true}"#
        let rules = try schema(
            ##"{"$defs":{"a":{"$ref":"#/$defs/b","properties":{"x":{"$ref":"#/$defs/a"}}},"##
                + ##""b":{"properties":{"x":{"$ref":"#/$defs/a"},"t":\##(date)}}},"$ref":"#/$defs/a"}"##
        )
        let deep = String(repeating: #"{"x":"#, count: 100) + "1" + String(repeating: "}", count: 100)
        let failure = #expect(throws: InvalidValueError.self) {
            try rules.converted(value(deep), field: "contentState")
        }
        #expect(failure?.field == "contentState")
        #expect(failure?.rule == "a simpler value for this schema")
        #expect(try rules.converted(value(#"{"x":{"t":1772355600}}"#)) == value(#"{"x":{"t":794048400}}"#))
    }

    @Test("are suspected where no schema says what is one, if they lie near now counted from 1970")
    func suspects() throws {
        let now = Date(timeIntervalSince1970: 1_772_000_000)
        let state = try value(
            #"{"a":1772355600,"b":[{"c":1772355600000}],"fee":400,"n":794048400,"old":1000000000,"t":"1772355600"}"#
        )
        let found = SwiftDate.suspects(in: state, field: "patch", now: now)
        #expect(found.map(\.field) == ["patch.a", "patch.b[0].c"])
        #expect(found.allSatisfy { SwiftDate.text($0.meant) == "794048400" })
    }

    @Test(
        "that stand in texts are read as RFC 3339 has them",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59z", 951_868_799),
            ("2026-03-01t09:00:00-05:30", 1_772_375_400),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ] as [(String, Double)]
    )
    func texts(text: String, seconds: Double) throws {
        let rules = try schema(#"{"type":"number","format":"swift-date","convert":true}"#)
        let expected = SwiftDate.value(Date(timeIntervalSince1970: seconds))
        #expect(try rules.converted(.string(text)) == expected)
    }
}
