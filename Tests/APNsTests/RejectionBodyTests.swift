// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Error bodies of APNs")
struct RejectionBodyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var expected: Rejection
        var testDescription: String { "\(self.status) \(self.body)" }

        init(_ status: Int, _ body: String, _ reason: RejectionReason, since: Int64? = nil) {
            (self.status, self.body) = (status, body)
            self.expected = Rejection(status: status, reason: reason, inactiveSince: since)
        }
    }

    static let rows: [Row] = [
        Row(400, #"{"reason":"BadDeviceToken"}"#, .badDeviceToken),
        Row(410, #"{"reason":"Unregistered","timestamp":1754982000123}"#, .unregistered, since: 1_754_982_000_123),
        Row(
            410,
            "{ \"timestamp\" : 1754982000123 ,\n \"reason\" : \"ExpiredToken\" }\n",
            .expiredToken,
            since: 1_754_982_000_123
        ),
        Row(410, #"{"reason":"Unregistered"}"#, .unregistered),
        Row(410, #"{"reason":"Unregistered","timestamp":"1754982000123"}"#, .unregistered),
        Row(410, #"{"reason":"Unregistered","timestamp":1.5}"#, .unregistered),
        Row(410, #"{"reason":"Unregistered","timestamp":99999999999999999999}"#, .unregistered),
        Row(400, #"{"reason":"BadTopic","timestamp":1754982000123}"#, .badTopic),
        Row(403, #"{"reason":"BadEnvironmentKeyInToken"}"#, .badEnvironmentKeyInToken),
        Row(403, #"{"reason":"BadEnvironmentKeyIdInToken"}"#, .badEnvironmentKeyIDInToken),
        Row(503, #"{"reason":"Service Unavailable"}"#, .serviceUnavailable),
        Row(400, #"{"reason":"Bad\u0054opic","more":{"reason":"x"}}"#, .badTopic),
        Row(400, #"{"reason":"New\"One"}"#, RejectionReason(rawValue: "New\"One")),
        Row(503, "<html>upstream</html>", .unknown), Row(500, "", .unknown), Row(400, "[]", .unknown),
        Row(400, #"{"reason":7}"#, .unknown), Row(400, #"{"reason":""}"#, .unknown), Row(400, "{}", .unknown),
        Row(400, #"{"reason":"BadTopic""#, .unknown), Row(400, #"{"reason":"BadTopic"} x"#, .unknown),
    ]

    @Test("a body gives its reason and its time, and a bad one keeps the status", arguments: rows)
    func parsed(row: Row) {
        #expect(Rejection(status: row.status, body: Array(row.body.utf8)) == row.expected)
    }

    @Test("bytes that are not UTF-8 keep the status")
    func notText() {
        #expect(Rejection(status: 500, body: [0xFF, 0xFE]) == Rejection(status: 500, reason: .unknown))
    }

    @Test("a rejection is written as APNs writes it, and is read back")
    func written() {
        let gone = Rejection(.unregistered, inactiveSince: 1_754_982_000_123)
        #expect(String(decoding: gone.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1754982000123}"#)
        #expect(Rejection(status: 410, body: gone.body) == gone)
        let bad = Rejection(.badDeviceToken)
        #expect(String(decoding: bad.body, as: UTF8.self) == #"{"reason":"BadDeviceToken"}"#)
    }
}
