// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("JSON values")
struct JSONValueTests {
    private func text(_ value: JSONValue) throws -> String { String(decoding: try value.json(), as: UTF8.self) }

    @Test(
        "a value is written compactly, with sorted names and no needless escapes",
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-12, "-12"), (1.5, "1.5"), (2.0, "2"),
            (1e300, "1e+300"), (0.0001, "0.0001"), (.integer(.max), "9223372036854775807"),
            (.double(-0x1p63), "-9.223372036854776e+18"), (.integer(.min), "-9223372036854775808"),
            ([], "[]"), ([:], "{}"),
            ([1, "a", nil], #"[1,"a",null]"#), (["b": 1, "a": ["z": [], "y": [:]]], #"{"a":{"y":{},"z":[]},"b":1}"#),
            ("日本語/🎉", "\"日本語/🎉\""), ("\"\\\u{8}\u{c}\n\r\t\u{1f}\0", #""\"\\\b\f\n\r\t\u001f\u0000""#),
            (["é": 1, "z": 2, "Z": 3], #"{"Z":3,"z":2,"é":1}"#),
        ] as [(JSONValue, String)]
    )
    func written(value: JSONValue, json: String) throws {
        #expect(try self.text(value) == json)
        try JSONScanner.validate(Array(json.utf8))
    }

    @Test(
        "a value is read, with escapes resolved",
        arguments: [
            (" [1, 2.5, -0, 1e2] ", [1, 2.5, 0, 100.0]), (#""\u00e9\uD83D\uDE00\/""#, "é😀/"),
            (#"{"a":1,"a":2}"#, ["a": 2]), (#"{"\u0061":null}"#, ["a": nil]),
            ("18446744073709551616", .double(0x1p64)),
        ] as [(String, JSONValue)]
    )
    func read(json: String, value: JSONValue) throws {
        #expect(try JSONValue(json: Array(json.utf8)) == value)
    }

    @Test("what is written is read back")
    func roundTrip() throws {
        let value: JSONValue = ["a": [1, 2.5, "x\n\u{1}é", true, nil, ["deep": [[]]]], "": -7]
        #expect(try JSONValue(json: try value.json()) == value)
        #expect(value["a"] == [1, 2.5, "x\n\u{1}é", true, nil, ["deep": [[]]]])
        #expect(value["b"] == nil)
        #expect(JSONValue.integer(1)["a"] == nil)
    }

    @Test("a number that JSON cannot hold is refused, with its place", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) throws {
        let value = JSONValue.object(["a": [1, .double(number)]])
        #expect(throws: InvalidValueError(field: "value.a[1]", rule: "a finite number", value: "\(number)")) {
            try value.json()
        }
    }

    @Test("a number out of range is refused where it stands")
    func outOfRange() {
        #expect(throws: JSONError(.numberTooLarge, offset: 1)) { try JSONValue(json: Array("[1e999]".utf8)) }
    }

    @Test("a name may have 30 combining marks in a row: hashing more takes quadratic time")
    func marks() throws {
        let marks = String(repeating: "\u{301}", count: 30)
        let allowed = try JSONValue(json: Array(#"{"a\#(marks)":1,"b\#(marks)":2}"#.utf8))
        #expect(allowed == .object(["a\(marks)": .integer(1), "b\(marks)": .integer(2)]))
        let refused = Array(#"{"a\#(marks)\#("\u{316}")":1}"#.utf8)
        #expect(throws: JSONError(.tooManyMarks, offset: 1)) { try JSONValue(json: refused) }
    }

    @Test func `a text is stream-safe with at most 30 combining marks in a row`() {
        let marks = String(repeating: "\u{301}", count: 30)
        for text in ["", "plain", "a\(marks)b\(marks)", "寿司", marks] { #expect(text.isStreamSafe) }
        for text in ["\(marks)\u{316}", "ab\(marks)\(marks)c"] { #expect(!text.isStreamSafe) }
    }
}
