// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import JSONSchema

@Suite("Times in RFC 3339")
struct RFC3339Tests {
    @Test(
        "are read with and without fractions and offsets",
        arguments: [
            ("2026-01-01T00:00:00Z", 1_767_225_600), ("2026-01-01t00:00:00.000z", 1_767_225_600),
            ("2026-01-01T09:00:00+09:00", 1_767_225_600), ("2026-01-01T09:00:00+0900", 1_767_225_600),
            ("2025-12-31T19:00:00-05", 1_767_225_600), ("1970-01-01T00:00:00.5Z", 0.5),
            ("1583-01-01T00:00:00Z", RFC3339.writable.lowerBound),
        ] as [(String, Double)]
    )
    func read(text: String, seconds: Double) {
        #expect(RFC3339.date(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "are refused where no calendar or clock shows them",
        arguments: [
            "2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01T00:60:00Z",
            "2027-1-1T0:0:0Z", "2027-01-01T00:00:00", "2027-01-01T00:00:00Z ", "2027-01-01T00:00:00+1", "", "soon",
        ]
    )
    func refused(text: String) {
        #expect(RFC3339.date(text) == nil)
    }

    @Test("are written by Foundation as they are read here, in the years that are taken")
    func written() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for text in ["1583-01-01T00:00:00.000Z", "1969-12-31T23:59:59.500Z", "9999-12-31T23:59:59.000Z"] {
            #expect(try #require(RFC3339.date(text)).formatted(style) == text)
        }
    }

    @Test("are written with the millisecond that they have, in the form of Foundation, and are read back as they were")
    func text() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let bounds = (Int64(RFC3339.writable.lowerBound) * 1000, Int64(RFC3339.writable.upperBound) * 1000)
        var times: [Int64] = [
            0, -1, 1, 951_782_400_000, 951_868_799_999, 951_868_800_000, 4_107_542_399_999, 4_107_542_400_000,
        ]
        times += [bounds.0, bounds.0 + 1, bounds.1 - 1]
        times += (0..<20_000).map { _ in Int64.random(in: bounds.0..<bounds.1) }
        for time in times {
            let text = RFC3339.text(milliseconds: time)
            // Foundation rounds down: it is given the middle of the millisecond.
            #expect(Date(timeIntervalSince1970: (Double(time) + 0.5) / 1000).formatted(style) == text)
            #expect((try #require(RFC3339.date(text)).timeIntervalSince1970 * 1000).rounded() == Double(time))
        }
    }

    @Test("are written in some form beyond those years", arguments: [Int64.min, -12_212_553_600_001, Int64.max])
    func beyond(milliseconds: Int64) {
        #expect(RFC3339.text(milliseconds: milliseconds).hasSuffix("Z"))
    }
}
