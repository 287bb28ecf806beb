// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import JSONSchema
import Testing

/// Reads a schema that is known to be right.
func schema(_ text: String) throws -> JSONSchema { try JSONSchema(json: Array(text.utf8)) }

/// Reads a value.
func value(_ text: String) throws -> JSONValue { try JSONValue(json: Array(text.utf8)) }

@Suite("Values against schemas")
struct JSONSchemaTests {
    /// A schema, a value, and the places at which the value breaks it.
    typealias Row = (schema: String, value: String, places: [String])

    @Test(
        "break a rule at the place where they do",
        arguments: [
            (#"{"type":"object"}"#, "{}", []),
            (#"{"type":"object"}"#, "[]", ["v"]),
            (#"{"type":["number","null"]}"#, "null", []),
            (#"{"type":["number","null"]}"#, "true", ["v"]),
            (#"{"type":"integer"}"#, "5.0", []),
            (#"{"type":"integer"}"#, "5.5", ["v"]),
            (#"{"type":"integer"}"#, "9e18", []),
            (#"{"type":"integer"}"#, "9e20", ["v"]),
            (#"{"type":"number"}"#, "5", []),
            (#"{"properties":{"a":{"type":"string"}},"required":["a","b"]}"#, #"{"a":1}"#, ["v.b", "v.a"]),
            (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1,"b":2}"#, ["v.b"]),
            (#"{"additionalProperties":{"type":"string"}}"#, #"{"a":"x","b":2}"#, ["v.b"]),
            (#"{"properties":{"a":false}}"#, #"{"a":1}"#, ["v.a"]),
            (#"{"items":{"type":"integer"},"minItems":1,"maxItems":2}"#, "[1]", []),
            (#"{"items":{"type":"integer"},"minItems":1,"maxItems":2}"#, #"[1,"x",3]"#, ["v", "v[1]"]),
            (#"{"enum":["a",1,null]}"#, "1.0", []),
            (#"{"enum":["a",1,null]}"#, #""b""#, ["v"]),
            (#"{"const":{"a":[1]}}"#, #"{"a":[1.0]}"#, []),
            (#"{"const":{"a":[1]}}"#, #"{"a":[2]}"#, ["v"]),
            (#"{"minimum":1,"exclusiveMaximum":3}"#, "1", []),
            (#"{"minimum":1,"exclusiveMaximum":3}"#, "3", ["v"]),
            (#"{"exclusiveMinimum":1,"maximum":3}"#, "1", ["v"]),
            (#"{"minLength":1,"maxLength":2}"#, #""수업""#, []),
            (#"{"minLength":1,"maxLength":2}"#, #""abc""#, ["v"]),
            (#"{"minLength":1}"#, #""""#, ["v"]),
            (#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "null", []),
            (#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "1", ["v"]),
            (#"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "1", []),
            (#"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "3", ["v"]),
            (
                #"{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"string"}]}"#, #"{"a":1}"#,
                ["v.a"]
            ),
            (##"{"$defs":{"n":{"type":"integer"}},"items":{"$ref":"#/$defs/n"}}"##, "[1,true]", ["v[1]"]),
            (##"{"$defs":{"a/b~":{"type":"integer"}},"$ref":"#/$defs/a~1b~0"}"##, "true", ["v"]),
            (
                ##"{"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}}"##, #"{"next":{"next":{"n":"x"}}}"#,
                ["v.next.next.n"]
            ),
            (#"{"format":"date-time"}"#, #""2026-02-03T04:05:06.5+09:00""#, []),
            (#"{"format":"date-time"}"#, #""2026-02-30T04:05:06Z""#, ["v"]),
            (#"{"format":"date-time"}"#, "5", ["v"]),
            (#"{"format":"uuid"}"#, #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, []),
            (#"{"format":"uuid"}"#, #""E621E1F8""#, ["v"]),
            (#"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"x","default":5}"#, "5", []),
        ] as [Row]
    )
    func faults(row: Row) throws {
        let faults = try schema(row.schema).faults(in: value(row.value), field: "v")
        #expect(faults.map(\.field) == row.places, "\(faults.map(\.message))")
    }

    @Test("are told of with the rule, and of what kind they are instead of themselves")
    func messages() throws {
        let rules = try schema(
            #"{"properties":{"status":{"enum":["active","ending"]},"n":{"type":"integer","minimum":1}},"required":["x"]}"#
        )
        let faults = rules.faults(in: try value(#"{"status":"secret","n":0}"#), field: "contentState")
        #expect(
            faults.map(\.message) == [
                "contentState.x: expected a value: devices cannot decode the content without it, got nothing",
                "contentState.n: expected at least 1, got 0",
                "contentState.status: expected one of 'active', 'ending', got a text with another value",
            ]
        )
    }

    @Test("are checked in bounded time, whatever alternatives there are and however deep they nest")
    func bounds() throws {
        // Twelve levels of sixteen alternatives that are tried again within one another.
        var definitions = #""d0":{"type":"string"}"#
        for level in 1...12 {
            let choices = Array(repeating: ##"{"$ref":"#/$defs/d\##(level - 1)"}"##, count: 16).joined(separator: ",")
            definitions += #","d\#(level)":{"oneOf":[\#(choices)]}"#
        }
        let wide = try schema(##"{"$defs":{\##(definitions)},"$ref":"#/$defs/d12"}"##)
        #expect(wide.faults(in: "x", field: "v").count >= 1)
        // A choice that is not tried to its end is no match.
        let choice = ##"{"$defs":{\##(definitions)},"anyOf":[{"$ref":"#/$defs/d12"},{"type":"integer"}]}"##
        let rules = try schema(choice).faults(in: "x", field: "v").map(\.rule)
        #expect(rules == ["a simpler value for this schema"])
        let deep = try schema(##"{"items":{"$ref":"#"}}"##)
        for (count, isRefused) in [(32, false), (33, true)] {
            let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
            let found = deep.faults(in: try value(nested), field: "v").map(\.rule)
            #expect(found == (isRefused ? rules : []))
        }
        // Comparing with many values takes many steps.
        let names = (0..<250).map { number in "\"" + String(repeating: "x", count: 55) + "\(1000 + number)\"" }
        let listed = try schema(#"{"items":{"enum":[\#(names.joined(separator: ","))]}}"#)
        for (count, isRefused) in [(100, false), (1000, true)] {
            let elements = Array(repeating: names[249], count: count).joined(separator: ",")
            let found = listed.faults(in: try value("[\(elements)]"), field: "v").map(\.rule)
            #expect(found == (isRefused ? rules : []))
        }
        let many = "[" + Array(repeating: "1", count: 100).joined(separator: ",") + "]"
        #expect(try schema(#"{"items":{"type":"string"}}"#).faults(in: value(many), field: "v").count == 20)
    }

    /// Marks of two classes in the wrong order: comparing them takes time that is quadratic in their number.
    private static func marks(_ count: Int) -> String {
        "e" + String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{316}", count: count / 2)
    }

    @Test("are not compared if they have long runs of combining marks", .timeLimit(.minutes(20)))
    func markedValues() throws {
        let long = String(repeating: "e\u{301}", count: 4000)
        let marks = Self.marks(80_000)
        for text in ["e", "e\u{301}", long] {
            let listed = try schema(#"{"enum":["x","\#(text)"]}"#)
            #expect(listed.faults(in: .string(marks), field: "v").map(\.field) == ["v"])
            #expect(listed.faults(in: .string(text), field: "v").isEmpty)
            let nested = try schema(#"{"const":{"a":["\#(text)"]}}"#)
            #expect(nested.faults(in: ["a": [.string(marks)]], field: "v").map(\.field) == ["v"])
            #expect(nested.faults(in: ["a": [.string(text)]], field: "v").isEmpty)
        }
        // Texts that no rule compares may have any marks.
        #expect(try schema(#"{"type":"string","minLength":3}"#).faults(in: .string(marks), field: "v").isEmpty)
    }

    @Test("are compared as Swift compares texts: a composed character equals the same one in its parts")
    func composed() throws {
        #expect(try schema("{\"enum\":[\"\u{e9}\"]}").faults(in: "e\u{301}", field: "v").isEmpty)
        // An equal text that is three times as long, and one that is a third.
        #expect(try schema("{\"const\":\"\u{390}\"}").faults(in: "\u{3b9}\u{308}\u{301}", field: "v").isEmpty)
        #expect(try schema("{\"const\":\"`\"}").faults(in: "\u{1fef}", field: "v").isEmpty)
    }

    @Test(
        "are not what a schema says whose names have long runs of combining marks",
        .timeLimit(.minutes(20)),
        arguments: [
            (#"{"required":["MARKS"]}"#, "required"), (#"{"enum":["a",["MARKS"]]}"#, "enum"),
            (#"{"const":{"a":"MARKS"}}"#, "const"), (#"{"type":"MARKS"}"#, "type"),
            (#"{"type":["string","MARKS"]}"#, "type"), (#"{"format":"MARKS"}"#, "format"),
            (##"{"$ref":"#/$defs/MARKS"}"##, "$ref"), (#"{"$schema":"MARKS"}"#, "$schema"),
            (#"{"properties":{"MARKS":true}}"#, ""),
            (#"{"properties":{"a":{"required":["MARKS"]}}}"#, "properties.a.required"),
        ]
    )
    func markedSchemas(text: String, place: String) throws {
        let text = text.replacing("MARKS", with: Self.marks(6000))
        let error = #expect(throws: SchemaErrors.self) { try schema(text) }
        #expect(error?.faults.map(\.field) == [place])
    }

    @Test(
        "are not what a schema says that cannot be read: each fault has its place",
        arguments: [
            ("[]", [""]),
            ("{", [""]),
            (#"{"type":"text"}"#, ["type"]),
            (#"{"pattern":"a+"}"#, ["pattern"]),
            (#"{"properties":{"a":{"minLenght":1}}}"#, ["properties.a.minLenght"]),
            (#"{"properties":{"a":{"format":"email"}}}"#, ["properties.a.format"]),
            (#"{"format":"swift-date","type":"string"}"#, ["type"]),
            (#"{"convert":true}"#, ["convert"]),
            (#"{"anyOf":[{"format":"swift-date","convert":true},{"type":"null"}]}"#, [""]),
            (##"{"$ref":"#/$defs/a"}"##, ["$ref"]),
            (##"{"$ref":"https://example.com/schema"}"##, ["$ref"]),
            (##"{"$ref":"#"}"##, ["$ref"]),
            (##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}"##, ["$defs.a", "$defs.b"]),
            (#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#, ["$schema"]),
            (#"{"properties":{"a":{"$defs":{}}}}"#, ["properties.a.$defs"]),
            (#"{"minItems":3,"maxItems":2}"#, ["minItems"]),
            (#"{"minimum":1,"exclusiveMinimum":1}"#, ["minimum"]),
            (#"{"enum":[]}"#, ["enum"]),
            (#"{"required":"a"}"#, ["required"]),
            (#"{"items":[{}]}"#, ["items"]),
        ] as [(String, [String])]
    )
    func refused(text: String, places: [String]) throws {
        let error = #expect(throws: SchemaErrors.self) { try schema(text) }
        #expect(error?.faults.map(\.field) == places, "\(error?.faults.map(\.message) ?? [])")
    }

    @Test("cannot be held against schemas that are too large")
    func sizes() throws {
        let deep = String(repeating: #"{"items":"#, count: 40) + "{}" + String(repeating: "}", count: 40)
        #expect(throws: SchemaErrors.self) { try schema(deep) }
        let members = (0..<600).map { #""m\#($0)":{}"# }.joined(separator: ",")
        #expect(throws: SchemaErrors.self) { try schema(#"{"properties":{\#(members)}}"#) }
        let long = #"{"description":"\#(String(repeating: "x", count: 20_000))"}"#
        #expect(throws: SchemaErrors.self) { try schema(long) }
    }
}
