// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import SNSProtocol

@Suite("Times in signatures")
struct AmzDateTests {
    @Test(
        "a time is read and written alike",
        arguments: [
            ("19700101T000000Z", 0), ("20150830T123600Z", 1_440_938_160), ("20240229T235959Z", 1_709_251_199),
            ("20000229T000000Z", 951_782_400), ("19691231T235959Z", -1), ("99991231T235959Z", 253_402_300_799),
        ] as [(String, Int64)]
    )
    func roundTrip(text: String, seconds: Int64) {
        #expect(AmzDate(text)?.seconds == seconds)
        #expect(AmzDate(seconds: seconds).description == text)
    }

    @Test(
        "a date is rounded down, and one beyond the calendar is the nearest time that it has",
        arguments: [
            (1_440_938_160.9, "20150830T123600Z"), (-0.5, "19691231T235959Z"), (-.infinity, "00010101T000000Z"),
            (-1e300, "00010101T000000Z"), (1e300, "99991231T235959Z"), (.infinity, "99991231T235959Z"),
            (.nan, "19700101T000000Z"),
        ] as [(Double, String)]
    )
    func dates(seconds: Double, text: String) {
        #expect(AmzDate(Date(timeIntervalSince1970: seconds)).description == text)
    }

    @Test("every day of four centuries comes back")
    func everyDay() {
        for day in stride(from: Int64(-20000), to: 130_000, by: 1) {
            let time = AmzDate(seconds: day * 86400 + 3661)
            #expect(AmzDate(time.description) == time)
        }
    }

    @Test(
        "what is no such time is refused",
        arguments: [
            "", "20150830", "20150830T123600", "2015-08-30T12:36:00Z", "20150230T000000Z", "20230229T000000Z",
            "20151301T000000Z", "20150001T000000Z", "20150100T000000Z", "20150101T240000Z", "20150101T006000Z",
            "20150101T000060Z", "+0150101T000000Z", "20150101 000000Z",
        ]
    )
    func refused(text: String) {
        #expect(AmzDate(text) == nil)
    }
}
