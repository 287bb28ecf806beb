// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
    @Test(
        "every value of RFC 8259 passes",
        arguments: [
            "{}", "[]", "null", "true", "false", "0", "-0", "7", "-12", "1.5", "-0.25", "1e9", "1E+9", "2.5e-10",
            "1e01",
            #""""#, #""text""#, #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, "1e308", "\"日本語 🎉\"", "\"\u{7F}\"",
            " \t\r\n{ \"a\" : [ 1 , { } , [ ] ] }\n", #"{"a":1,"a":2}"#, #"{"":null}"#, "[[[[[]]]]]",
            #"{"aps":{"alert":{"title":"x"},"badge":0},"n":[true,false,null]}"#, "123456789012345678901234567890",
        ]
    )
    func valid(text: String) throws {
        try JSONScanner.validate(Array(text.utf8))
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var text: String
        var fault: JSONError
        var testDescription: String { self.text }

        init(_ text: String, _ code: JSONError.Code, _ offset: Int) {
            (self.text, self.fault) = (text, JSONError(code, offset: offset))
        }
    }

    static let bad: [Bad] = [
        Bad("", .unexpectedEnd, 0), Bad("  ", .unexpectedEnd, 2), Bad("{", .unexpectedEnd, 1),
        Bad("[1,", .unexpectedEnd, 3), Bad(#"{"a""#, .unexpectedEnd, 4), Bad(#"{"a":"#, .unexpectedEnd, 5),
        Bad(#""abc"#, .unexpectedEnd, 4), Bad(#""a\"#, .unexpectedEnd, 3), Bad(#""\u12"#, .unexpectedEnd, 5),
        Bad("tru", .unexpectedEnd, 3), Bad("-", .unexpectedEnd, 1), Bad("1.", .unexpectedEnd, 2),
        Bad("1e", .unexpectedEnd, 2), Bad("1e+", .unexpectedEnd, 3),
        Bad("[1,]", .unexpectedByte, 3), Bad(#"{"a":1,}"#, .unexpectedByte, 7), Bad("{a:1}", .unexpectedByte, 1),
        Bad("{'a':1}", .unexpectedByte, 1), Bad(#"{"a" 1}"#, .unexpectedByte, 5), Bad("[1 2]", .unexpectedByte, 3),
        Bad("[1}", .unexpectedByte, 2), Bad("[,1]", .unexpectedByte, 1), Bad("True", .unexpectedByte, 0),
        Bad("nul1", .unexpectedByte, 3), Bad("// x\n{}", .unexpectedByte, 0), Bad("\u{FEFF}{}", .unexpectedByte, 0),
        Bad("NaN", .unexpectedByte, 0), Bad("+1", .unexpectedByte, 0), Bad(".5", .unexpectedByte, 0),
        Bad("[01]", .invalidNumber, 2), Bad("-x", .invalidNumber, 1), Bad("[1.]", .invalidNumber, 3),
        Bad("[1.e5]", .invalidNumber, 3), Bad("[1ex]", .invalidNumber, 3), Bad("-01", .invalidNumber, 2),
        Bad(#""\x41""#, .invalidEscape, 1), Bad(#""a\u12g4""#, .invalidEscape, 2), Bad(#""\'""#, .invalidEscape, 1),
        Bad("[1e999]", .numberTooLarge, 1), Bad(" -1E+400", .numberTooLarge, 1),
        Bad(String(repeating: "9", count: 309), .numberTooLarge, 0),
        Bad(#""\ud800""#, .loneSurrogate, 1), Bad(#""\ud800x""#, .loneSurrogate, 1),
        Bad(#""a\uDE00""#, .loneSurrogate, 2), Bad(#""\ud800\ud83d\ude00""#, .loneSurrogate, 1),
        Bad(#"{"\ud800\n":1}"#, .loneSurrogate, 2),
        Bad("\"a\nb\"", .controlCharacter, 2), Bad("\"\0\"", .controlCharacter, 1), Bad("\"\t\"", .controlCharacter, 1),
        Bad("{} {}", .trailingBytes, 3), Bad("1 x", .trailingBytes, 2), Bad("{}}", .trailingBytes, 2),
        Bad("truex", .trailingBytes, 4), Bad("[]\0", .trailingBytes, 2),
    ]

    @Test("what is not JSON is refused at the byte that is wrong", arguments: bad)
    func invalid(row: Bad) {
        #expect(throws: row.fault) { try JSONScanner.validate(Array(row.text.utf8)) }
        #expect(throws: row.fault) { try JSONValue(json: Array(row.text.utf8)) }
    }

    @Test(
        "strings that are not UTF-8 are refused at the byte that is wrong",
        arguments: [
            ([0x80], 1), ([0xC0, 0xAF], 1), ([0xC1, 0x81], 1), ([0xC3, 0x28], 2), ([0xE0, 0x80, 0x80], 2),
            ([0xED, 0xA0, 0x80], 2), ([0xE2, 0x82, 0x22], 3), ([0xF0, 0x80, 0x80, 0x80], 2),
            ([0xF4, 0x90, 0x80, 0x80], 2), ([0xF5, 0x80, 0x80, 0x80], 1), ([0xF0, 0x9F, 0x8E, 0x28], 4), ([0xFF], 1),
        ] as [([UInt8], Int)]
    )
    func notUTF8(bytes: [UInt8], offset: Int) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONError(.invalidUTF8, offset: offset)) {
            try JSONScanner.validate([quote] + bytes + [quote])
        }
    }

    @Test("every scalar of Unicode that a string may hold passes")
    func everyScalar() throws {
        let scalars = Array(0x20...0xD7FF) + Array(0xE000...0x10FFFF)
        var bytes = [UInt8(ascii: "\"")]
        for value in scalars where value != 0x22 && value != 0x5C {
            if let scalar = Unicode.Scalar(UInt32(value)) { bytes.append(contentsOf: UTF8.encode(scalar)!) }
        }
        bytes.append(UInt8(ascii: "\""))
        try JSONScanner.validate(bytes)
    }

    @Test("nesting is bounded, and the bound itself passes")
    func nesting() throws {
        let limit = JSONScanner.maximumDepth
        let deep = { (depth: Int) in
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        try JSONScanner.validate(deep(limit))
        #expect(throws: JSONError(.tooDeep, offset: limit)) { try JSONScanner.validate(deep(limit + 1)) }
        #expect(throws: JSONError(.tooDeep, offset: limit)) {
            try JSONScanner.validate([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        }
        try JSONScanner.validate(Array("[\(String(repeating: "[],", count: 500))[]]".utf8))
    }

    @Test(
        "an object that an older version stored is repaired, and nothing else of it changes",
        arguments: [
            (#"{"a":1e999,"b":-1e999,"c":[1e5]}"#, #"{"a":1e308,"b":-1e308,"c":[1e5]}"#),
            (#" {"\ud800":"x\udc00\ud83d\ude00"}"#, #" {"\ufffd":"x\ufffd\ud83d\ude00"}"#),
            (#"{"a" : [1.50]}"#, #"{"a" : [1.50]}"#),
        ]
    )
    func repaired(text: String, expected: String) throws {
        #expect(try RawJSONObject(storedJSON: Array(text.utf8)).bytes == Array(expected.utf8))
        #expect(try APNsPayload(storedJSON: Array(text.utf8)).text == expected)
        #expect(try BatchPayload(encoded: Array(text.utf8))[0].text == expected)
        let stored = try JSONEncoder().encode(text)
        #expect(try JSONDecoder().decode(RawJSONObject.self, from: stored).bytes == Array(expected.utf8))
        _ = try JSONValue(json: Array(expected.utf8))
        #expect(throws: InvalidValueError.self) { try RawJSONObject(storedJSON: Array("{\"a\":01}".utf8)) }
    }

    @Test("a fragment nests less deeply than the payload that it becomes a part of")
    func fragmentNesting() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        }
        let state = try RawJSONObject(json: nested(120))
        let update = LiveActivityUpdate(timestamp: 1, contentState: state)
        _ = try JSONValue(json: try APNsPayload(liveActivity: .update(update)).bytes)
        let failure = #expect(throws: InvalidValueError.self) { try RawJSONObject(json: nested(121), field: "a") }
        #expect(failure?.message == "a: expected at most 120 levels of nesting, got more at byte 600")
        _ = try APNsPayload(json: nested(128))
    }

    @Test("an object is asked for by name", arguments: [("[]", 0), (" 7", 1), ("\"{}\"", 0), ("null", 0)])
    func notAnObject(text: String, offset: Int) throws {
        try JSONScanner.validateObject(Array(" {\"a\":1} ".utf8))
        #expect(throws: JSONError(.notAnObject, offset: offset)) {
            try JSONScanner.validateObject(Array(text.utf8))
        }
    }

    @Test("a document that is cut anywhere is refused")
    func cut() {
        let text = Array(#"{"aps":{"alert":{"title":"\u00e9é","n":[1.5e3,true,null]}},"x":-0.5}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONScanner.validate(Array(text.prefix(count))) }
        }
    }

    @Test("the elements of a list come as they stand, whatever is in their texts")
    func lists() throws {
        let elements = [#"{"a":"],[\"","b":[1,{"c":2}]}"#, "[]", #""x,y""#, "-1.50e3", "null"]
        let page = #" {"total": 5, "items" : [ "# + elements.joined(separator: " ,\n") + #" ], "next":"z","more":[1]}"#
        let found = try #require(try JSONScanner.elements(ofListIn: Array(page.utf8)))
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == elements)
        #expect(try JSONScanner.elements(ofListIn: Array(#"{"items":[]}"#.utf8)) == [])
        #expect(try JSONScanner.elements(ofListIn: Array(#"{"items":{"a":[1]}}"#.utf8)) == nil)
        #expect(throws: JSONError.self) { try JSONScanner.elements(ofListIn: Array(page.utf8.dropLast())) }
        #expect(throws: JSONError(.notAnObject, offset: 0)) { try JSONScanner.elements(ofListIn: Array("[1]".utf8)) }
    }
}
