// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore
import Testing

@Suite("Bodies that are not JSON", .timeLimit(.minutes(20)))
struct MalformedJSONTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: [UInt8]
        var offset: Int

        init(_ name: String, _ body: String, at offset: Int) {
            self.init(name, Array(body.utf8), at: offset)
        }

        init(_ name: String, _ body: [UInt8], at offset: Int) {
            self.testDescription = name
            self.body = body
            self.offset = offset
        }
    }

    static let cases: [Case] = [
        Case("nothing", "", at: 0),
        Case("white space alone", "  \n", at: 3),
        Case("a word", "hello", at: 0),
        Case("an unquoted name", "{id:1}", at: 1),
        Case("a missing colon", #"{"id" 1}"#, at: 6),
        Case("a missing value", #"{"id":}"#, at: 6),
        Case("a trailing comma in an object", #"{"id":"a",}"#, at: 10),
        Case("a trailing comma in an array", #"{"id":[1,]}"#, at: 9),
        Case("a missing comma", #"{"id":"a" "name":"b"}"#, at: 10),
        Case("an object that ends early", #"{"id":"a""#, at: 9),
        Case("a string that ends early", #"{"id":"a"#, at: 8),
        Case("something behind the object", #"{"id":"a"} x"#, at: 11),
        Case("single quotation marks", "{'id':'a'}", at: 1),
        Case("a comment", #"{/* */"id":"a"}"#, at: 1),
        Case("a number with a leading zero", #"{"id":012}"#, at: 6),
        Case("a number without digits", #"{"id":-}"#, at: 7),
        Case("a number with a bare point", #"{"id":1.}"#, at: 8),
        Case("a number with a bare exponent", #"{"id":1e}"#, at: 8),
        Case("a misspelled true", #"{"id":tru}"#, at: 9),
        Case("a number beyond a double", #"{"id":[1e999]}"#, at: 7),
        Case("a number of 400 digits", #"{"id":"# + String(repeating: "7", count: 400) + "}", at: 6),
        Case("NaN", #"{"id":NaN}"#, at: 6),
        Case("a raw line break in a string", "{\"id\":\"a\nb\"}", at: 8),
        Case("an unknown escape", #"{"id":"\x"}"#, at: 7),
        Case("a short unicode escape", #"{"id":"\u12"}"#, at: 7),
        Case("a lone leading surrogate", #"{"id":"\ud800"}"#, at: 7),
        Case("a lone trailing surrogate", #"{"id":"\udc00"}"#, at: 7),
        Case("a byte that is not UTF-8", Array(#"{"id":""#.utf8) + [0xFF] + Array(#""}"#.utf8), at: 7),
        Case("an overlong sequence", Array(#"{"id":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8), at: 7),
        Case("an encoded surrogate", Array(#"{"id":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8), at: 7),
        Case("a sequence that is cut off", Array(#"{"id":""#.utf8) + [0xE3, 0x81] + Array(#""}"#.utf8), at: 7),
        Case("deep arrays", #"{"id":"# + String(repeating: "[", count: 100_000), at: 133),
        Case("deep objects", String(repeating: #"{"id":"#, count: 100_000), at: 768),
    ]

    @Test("are refused with the offset of the first wrong byte", arguments: Self.cases)
    func offset(_ bad: Case) async throws {
        try await withAPI { api async throws in
            let body = ByteBuffer(bytes: bad.body.prefix(60_000))
            let answer = try await api.call(.post, "/v1/apps", bytes: body)
            #expect(answer.status == 400)
            #expect(answer.code == "malformed_json")
            #expect(answer.json["detail"]?.text?.hasSuffix("at byte \(bad.offset).") == true, "\(answer.text)")
        }
    }

    @Test("are refused within a payload too, which is not looked into otherwise")
    func payload() async throws {
        try await withAPI { api async throws in
            let body = #"{"targets":{"tokens":["aabb"]},"payload":{"aps":{"alert":"x"},}}"#
            let answer = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", body)
            #expect(answer.status == 400)
            #expect(answer.code == "malformed_json")
        }
    }

    @Test("do not include escapes, which mean what they stand for")
    func escapes() async throws {
        try await withAPI { api async throws in
            let body = #"{"id":"com.example.\u0065scape","name":"\"\\\/\b\f\n\r\t\u3042\ud83d\ude00é"}"#
            let answer = try await api.call(.post, "/v1/apps", body)
            #expect(answer.status == 201)
            #expect(answer.json["id"]?.text == "com.example.escape")
            #expect(answer.json["name"]?.text == "\"\\/\u{8}\u{C}\n\r\t\u{3042}\u{1F600}é")
        }
    }
}
