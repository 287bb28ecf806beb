// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import Testing

@testable import PushAPI

@Suite("Messages of apns-proxy-server")
struct ProxyMessageTests {
    private static let token = String(repeating: "aB", count: 32)

    /// A message with these members of `aps`, and others of the message.
    private static func text(_ aps: String, _ others: String = "") -> String {
        "\u{2}" + #"{"appid":"14","token":"\#(self.token)","aps":{\#(aps)}\#(others)}"#
    }

    private static func read(_ bytes: [UInt8]) throws -> ProxyMessage {
        try ProxyMessage(bytes, in: 0..<bytes.count, now: TestTime.start)
    }

    private static func read(_ aps: String, _ others: String = "") throws -> ProxyMessage {
        try self.read(Array(self.text(aps, others).utf8))
    }

    private static func payload(_ aps: String, _ others: String = "") throws -> String {
        String(decoding: try self.read(aps, others).payload, as: UTF8.self)
    }

    @Test(
        "become the payloads that the original server sent",
        arguments: [
            (#""alert": "Hello", "sound": "default""#, #"{"aps":{"alert":"Hello","sound":"default"}}"#),
            (#""badge":2"#, #"{"aps":{"badge":2}}"#), (#""badge":2.0"#, #"{"aps":{"badge":2}}"#),
            (#""category":"C","alert":"x""#, #"{"aps":{"category":"C","alert":"x"}}"#),
            (#""content_available":true"#, #"{"aps":{"content-available":1}}"#),
            (#""content_available":false,"alert":"x""#, #"{"aps":{"alert":"x"}}"#),
            (
                #""custom":{"foo": true, "bar": [200, 300], "boo": "Hello"},"alert":"x""#,
                #"{"aps":{"alert":"x"},"foo":true,"bar":[200,300],"boo":"Hello"}"#
            ),
            (
                #""alert":{"body":"b","action_loc_key":null,"loc_key":"k","loc_args":["a","b"],"launch_image":"i.png"}"#,
                #"{"aps":{"alert":{"body":"b","loc-key":"k","loc-args":["a","b"],"launch-image":"i.png"}}}"#
            ),
            (#""alert":"\u5bff\u53f8 \ud83c\udf63 \"q\" \n""#, #"{"aps":{"alert":"寿司 🍣 \"q\" \n"}}"#),
            (#""alert":null,"sound":null,"badge":null,"category":null,"custom":null"#, #"{"aps":{}}"#),
            (#""alert":"","sound":"","category":"","custom":{}"#, #"{"aps":{}}"#),
            (#""alert":{"body":null}"#, #"{"aps":{}}"#),
        ]
    )
    func payloads(aps: String, expected: String) throws {
        #expect(try Self.payload(aps) == expected)
    }

    @Test("are kept for an hour, until the given time, or sent once")
    func expiry() throws {
        let start = Int64(TestTime.start.timeIntervalSince1970)
        #expect(try Self.read(#""alert":"x""#).headers.expiration == start + 3600)
        #expect(try Self.read(#""alert":"x""#, #","expiry":null"#).headers.expiration == start + 3600)
        #expect(try Self.read(#""alert":"x""#, #","expiry":1770000100"#).headers.expiration == 1_770_000_100)
        #expect(try Self.read(#""alert":"x""#, #","expiry":1770000100.75"#).headers.expiration == 1_770_000_100)
        #expect(try Self.read(#""alert":"x""#, #","expiry":0"#).headers.expiration == 0)
    }

    @Test("have priority 10, the given one, or that of a background notification, which shows nothing")
    func priority() throws {
        #expect(try Self.read(#""alert":"x""#).headers.priority == nil)
        #expect(try Self.read(#""alert":"x""#, #","priority":10"#).headers.priority == nil)
        #expect(try Self.read(#""alert":"x""#, #","priority":5"#).headers.priority == 5)
        let silent = try Self.read(#""content_available":true"#, #","priority":10"#).headers
        #expect(silent.pushType == .background && silent.priority == nil)
        let audible = try Self.read(#""content_available":true,"sound":"default""#).headers
        #expect(audible.pushType == nil)
    }

    @Test("are tests if they say so")
    func test() throws {
        #expect(try Self.read(#""alert":"x""#, #","test":true"#).isTest)
        #expect(try !Self.read(#""alert":"x""#, #","test":false"#).isTest)
    }

    @Test(
        "are refused if a value breaks a rule",
        arguments: [
            "\u{2}{}", "\u{2}[]", "\u{2}{\"appid\":\"14\"}",
            Self.text(#""alert":1"#), Self.text(#""sound":[]"#), Self.text(#""badge":"1""#),
            Self.text(#""badge":1e300"#),
            Self.text(#""custom":[]"#), Self.text(#""custom":{"aps":{}}"#), Self.text(#""content_available":"yes""#),
            Self.text(#""other":1"#), Self.text(#""alert":"x""#, #","other":1"#),
            Self.text(#""alert":"x""#, #","expiry":-1"#), Self.text(#""alert":"x""#, #","expiry":1e300"#),
            Self.text(#""alert":"x""#, #","priority":7"#), Self.text(#""alert":"x""#, #","priority":1e30"#),
            Self.text(#""alert":"x""#, #","appid":"""#), Self.text(#""alert":"x""#, #","token":"ab""#),
            Self.text(#""alert":"x""#, #","aps":1"#),
        ]
    )
    func invalid(text: String) throws {
        let fault = try #require(throws: ProxyFault.self) { try Self.read(Array(text.utf8)) }
        #expect(fault.kind == .invalid, "\(fault)")
    }

    @Test(
        "are refused if they are not a command and JSON",
        arguments: [
            "", "\u{1}", "\u{3}{}", "\u{2}", "\u{2}{", "\u{2}{\"appid\":}", "{}", Self.text(#""alert":"x""#) + "x",
            Self.text(#""alert":"\ud83d""#),
        ]
    )
    func malformed(text: String) throws {
        let fault = try #require(throws: ProxyFault.self) { try Self.read(Array(text.utf8)) }
        #expect(fault.kind == .malformed, "\(fault)")
    }

    @Test("never stop the process, and what is accepted is JSON, whichever byte is changed")
    func mutations() throws {
        let aps = #""alert":{"loc_key":"k\u00e9","loc_args":["a"]},"badge":1,"custom":{"a":[1,{"b":-1.5e3}]}"#
        let whole = Array(Self.text(aps, #","expiry":1770000100,"test":true,"priority":5"#).utf8)
        let replacements = Array(#""{}[],:\ 0a-tne."#.utf8) + [0x00, 0x02, 0x0A, 0x7F, 0xC3, 0xFF]
        var accepted = 0
        for place in whole.indices {
            var candidates = [Array(whole[..<place])]
            for byte in replacements {
                var bytes = whole
                bytes[place] = byte
                candidates.append(bytes)
            }
            for bytes in candidates {
                guard let message = try? Self.read(bytes) else { continue }
                accepted += 1
                #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
                    try APNsPayload(json: message.payload)
                }
            }
        }
        #expect(accepted > 100)
    }
}
