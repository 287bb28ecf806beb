// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("Header values")
struct HeaderValueTests {
    @Test(
        "a topic is 1 to 255 letters, digits, dots, dashes and underscores",
        arguments: [
            ("com.example.app", true), ("a", true), ("com.Example-2.app_x.push-type.liveactivity", true),
            (String(repeating: "a", count: 255), true), ("", false), (String(repeating: "a", count: 256), false),
            ("com example", false), ("com/example", false), ("com.exämple", false), ("com.example\r\n", false),
            ("com.example*", false),
        ]
    )
    func topics(text: String, valid: Bool) {
        #expect((Topic(rawValue: text) != nil) == valid)
        if !valid {
            let failure = #expect(throws: InvalidValueError.self) { try Topic(text) }
            #expect(failure?.field == "apns-topic")
        }
    }

    @Test(
        "a collapse id is at most 64 bytes, not characters, and can stand in a header",
        arguments: [
            (String(repeating: "a", count: 64), true), (String(repeating: "é", count: 32), true),
            ("score update", true),
            ("", true), (String(repeating: "a", count: 65), false), (String(repeating: "é", count: 33), false),
            ("a\nb", false), ("a\u{7F}", false), (" a", false), ("a ", false), ("\0", false),
        ]
    )
    func collapseIDs(text: String, valid: Bool) {
        #expect((CollapseID(rawValue: text) != nil) == valid)
        if !valid {
            let failure = #expect(throws: InvalidValueError.self) { try CollapseID(text) }
            #expect(failure?.field == "apns-collapse-id")
        }
    }

    @Test(
        "an expiration is a number of seconds from 0 up",
        arguments: [
            ("0", 0), ("1754982000", 1_754_982_000), ("9223372036854775807", Int64.max), ("-1", nil), ("1.5", nil),
            ("", nil), ("soon", nil), ("9223372036854775808", nil),
        ] as [(String, Int64?)]
    )
    func expirations(text: String, seconds: Int64?) {
        #expect(APNsExpiration(headerValue: text)?.rawValue == seconds)
    }

    @Test("a priority is a number, known or not", arguments: [("10", 10), ("5", 5), ("1", 1), ("7", 7), ("high", nil)])
    func priorities(text: String, number: Int?) {
        #expect(Priority(headerValue: text)?.rawValue == number)
        if let number { #expect(Priority(rawValue: number).description == text) }
    }

    @Test("header values are coded as plain strings and numbers, and bad ones are refused")
    func coded() throws {
        let headers = NotificationHeaders(
            topic: try Topic("com.example.app"),
            priority: .powerConsiderate,
            expiration: .once,
            collapseID: try CollapseID("x")
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(headers)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"collapseID":"x","expiration":0,"priority":5,"pushType":"alert","topic":"com.example.app"}"#
        )
        #expect(try JSONDecoder().decode(NotificationHeaders.self, from: data) == headers)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(NotificationHeaders.self, from: Data(#"{"topic":"a b","pushType":"alert"}"#.utf8))
        }
    }

    @Test("every request header has its rule", arguments: Set(RequestHeader.device + RequestHeader.broadcast))
    func rules(header: RequestHeader) throws {
        let rule = try #require(header.rule)
        #expect(!rule.presence.isEmpty)
        #expect(!rule.value.isEmpty)
        #expect(rule.reasons.allSatisfy { $0.entry != nil })
        #expect(header.rawValue == header.rawValue.lowercased())
    }
}
