// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("Payloads of ordinary pushes")
struct PayloadTests {
    struct Golden: Sendable, CustomTestStringConvertible {
        var aps: APS
        var custom: [String: JSONValue]
        var json: String
        var testDescription: String { self.json }

        init(_ aps: APS, custom: [String: JSONValue] = [:], _ json: String) {
            (self.aps, self.custom, self.json) = (aps, custom, json)
        }
    }

    static let goldens: [Golden] = [
        Golden(APS(), #"{"aps":{}}"#),
        Golden(APS(alert: "Hello"), #"{"aps":{"alert":"Hello"}}"#),
        Golden(.background, #"{"aps":{"content-available":1}}"#),
        Golden(.contentChanged, #"{"aps":{"content-changed":true}}"#),
        Golden(APS(badge: 0, sound: .standard), #"{"aps":{"badge":0,"sound":"default"}}"#),
        Golden(
            APS(alert: .titled("ゲーム開始", subtitle: "二", body: "\"本文\"\n"), mutableContent: true),
            custom: ["device_id": "d-1", "action": "refresh", "date": 1_754_982_000],
            #"{"aps":{"alert":{"title":"ゲーム開始","subtitle":"二","body":"\"本文\"\n"},"mutable-content":1},"#
                + #""action":"refresh","date":1754982000,"device_id":"d-1"}"#
        ),
        Golden(
            APS(
                alert: .titled(
                    .localized(key: "T", arguments: ["a", "b"]),
                    subtitle: .localized(key: "S"),
                    body: .localized(key: "B", arguments: ["c"])
                )
            ),
            #"{"aps":{"alert":{"title-loc-key":"T","title-loc-args":["a","b"],"subtitle-loc-key":"S","loc-key":"B","#
                + #""loc-args":["c"]}}}"#
        ),
        Golden(
            APS(
                alert: .content(
                    AlertContent(
                        body: "b",
                        launchImage: "l.png",
                        summaryArgument: "s",
                        summaryArgumentCount: 2,
                        actionKey: "k",
                        action: "View"
                    )
                ),
                urlArguments: ["boarding", "A998"]
            ),
            #"{"aps":{"alert":{"body":"b","launch-image":"l.png","summary-arg":"s","summary-arg-count":2,"#
                + #""action-loc-key":"k","action":"View"},"url-args":["boarding","A998"]}}"#
        ),
        Golden(
            APS(sound: .critical(name: "siren.aiff", volume: 0.5), interruptionLevel: .critical),
            #"{"aps":{"sound":{"critical":1,"name":"siren.aiff","volume":0.5},"interruption-level":"critical"}}"#
        ),
        Golden(
            APS(sound: .object(name: "a", critical: false, volume: nil)),
            #"{"aps":{"sound":{"name":"a"}}}"#
        ),
        Golden(
            APS(
                alert: .text("x"),
                badge: 3,
                sound: .named("a.caf"),
                threadID: "t",
                category: "c",
                contentAvailable: true,
                mutableContent: true,
                targetContentID: "w",
                interruptionLevel: .timeSensitive,
                relevanceScore: 0.25,
                filterCriteria: "f"
            ),
            custom: ["z": nil, "a": [1, 2.5, ["k": true]]],
            #"{"aps":{"alert":"x","badge":3,"sound":"a.caf","thread-id":"t","category":"c","content-available":1,"#
                + #""mutable-content":1,"target-content-id":"w","interruption-level":"time-sensitive","#
                + #""relevance-score":0.25,"filter-criteria":"f"},"a":[1,2.5,{"k":true}],"z":null}"#
        ),
    ]

    @Test("the builder writes exactly these bytes", arguments: goldens)
    func built(golden: Golden) throws {
        let payload = try APNsPayload(aps: golden.aps, custom: golden.custom)
        #expect(payload.text == golden.json)
        #expect(payload.size == golden.json.utf8.count)
        try JSONScanner.validateObject(payload.bytes)
    }

    @Test("the same values make the same bytes however the custom keys were put in")
    func deterministic() throws {
        let names = (0..<50).map { "key-\($0)" }
        let texts = try (0..<10).map { _ in
            var custom: [String: JSONValue] = [:]
            for name in names.shuffled() { custom[name] = .string(name) }
            return try APNsPayload(aps: APS(alert: "x"), custom: custom).text
        }
        #expect(Set(texts).count == 1)
    }

    @Test("JSON of the caller's is passed through byte for byte")
    func raw() throws {
        let text = " {\"aps\" : {\"alert\":\"\\u65e5\\/\"},\n\t\"b\":1.0, \"a\":1e2} \n"
        let payload = try APNsPayload(json: text)
        #expect(payload.bytes == Array(text.utf8))
        #expect(payload.text == text)
    }

    @Test(
        "what is no JSON object is refused, with the byte at fault",
        arguments: [
            ("", "an unexpected end at byte 0"), ("[]", "something other than an object at byte 0"),
            (#"{"aps":{"alert":"x"}"#, "an unexpected end at byte 20"), (#"{"a":01}"#, "an invalid number at byte 6"),
        ]
    )
    func notAnObject(text: String, value: String) {
        #expect(throws: InvalidValueError(field: "payload", rule: "a JSON object (RFC 8259)", value: value)) {
            try APNsPayload(json: text)
        }
    }

    @Test("a payload without aps is an object of the caller's own")
    func free() throws {
        let payload = try APNsPayload(object: ["mdm": "magic"])
        #expect(payload.text == #"{"mdm":"magic"}"#)
    }

    struct Refused: Sendable {
        var aps = APS()
        var custom: [String: JSONValue] = [:]
        var field: String
        var value: String
    }

    @Test(
        "a number out of its range, and a second aps, are refused by the builder",
        arguments: [
            Refused(aps: APS(badge: -1), field: "aps.badge", value: "-1"),
            Refused(aps: APS(relevanceScore: 1.5), field: "aps.relevance-score", value: "1.5"),
            Refused(aps: APS(relevanceScore: .nan), field: "aps.relevance-score", value: "nan"),
            Refused(aps: APS(sound: .critical(volume: -0.1)), field: "aps.sound.volume", value: "-0.1"),
            Refused(aps: APS(sound: .critical(volume: .infinity)), field: "aps.sound.volume", value: "inf"),
            Refused(custom: ["aps": 1], field: "aps", value: "aps itself"),
            Refused(custom: ["a": ["b": .double(.nan)]], field: "a.b", value: "nan"),
        ]
    )
    func refused(row: Refused) throws {
        let failure = try #require(throws: InvalidValueError.self) {
            try APNsPayload(aps: row.aps, custom: row.custom)
        }
        #expect(failure.field == row.field)
        #expect(failure.value == row.value)
    }

    @Test("a payload is coded as its text and described by its size alone")
    func coded() throws {
        let payload = try APNsPayload(json: #"{"aps": {"alert":"secret"}}"#)
        #expect(payload.description == "payload of 27 bytes")
        let data = try JSONEncoder().encode([payload])
        #expect(try JSONDecoder().decode([APNsPayload].self, from: data) == [payload])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([APNsPayload].self, from: Data(#"["[]"]"#.utf8))
        }
    }
}
