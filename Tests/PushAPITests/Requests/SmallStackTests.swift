// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import JSONSchema
import SNSProtocol
import Testing

@Suite("Input of the greatest depth on a thread with a small stack", .timeLimit(.minutes(20)))
struct SmallStackTests {
    private static func nested(_ depth: Int, _ innermost: String = "1") -> String {
        String(repeating: #"{"a":"#, count: depth) + innermost + String(repeating: "}", count: depth)
    }

    @Test("JSON is read, compared, merged and written")
    func values() async throws {
        let text = Self.nested(128)
        let (count, written, encoded) = try await onSmallStack {
            let value = try JSONValue(json: Array(text.utf8))
            let merged = value.merging(patch: try JSONValue(json: value.json()))
            return (Set([value, merged]).count, try merged.json(), try JSONEncoder().encode(merged))
        }
        #expect(count == 1)
        #expect(String(decoding: written, as: UTF8.self) == text)
        #expect(String(decoding: encoded, as: UTF8.self) == text)
        let fragment = Self.nested(120)
        #expect(try await onSmallStack { try RawJSONObject(json: fragment).bytes } == Array(fragment.utf8))
    }

    @Test(
        "content is held against a schema, and what nests too deep is refused",
        arguments: [
            (##"{"additionalProperties":{"$ref":"#"}}"##, 31),
            (##"{"anyOf":[{"type":"integer"},{"type":"object","additionalProperties":{"$ref":"#"}}]}"##, 20),
            (##"{"oneOf":[{"type":"integer"},{"type":"object","additionalProperties":{"$ref":"#"}}]}"##, 20),
        ]
    )
    func schemas(text: String, deepest: Int) async throws {
        let cases: [(depth: Int, rules: [String])] = [(deepest, []), (119, ["a simpler value for this schema"])]
        for (depth, rules) in cases {
            let json = Self.nested(depth)
            let found = try await onSmallStack {
                try JSONSchema(json: Array(text.utf8)).faults(in: JSONValue(json: Array(json.utf8)), field: "v")
            }
            #expect(found.map(\.rule) == rules, "\(depth) levels")
        }
    }

    @Test("dates are converted and found, and constants are compared")
    func walks() async throws {
        let json = Self.nested(119)
        let dates =
            ##"{"properties":{"t":{"format":"swift-date","convert":true}},"additionalProperties":{"$ref":"#"}}"##
        let (converted, suspects, faults) = try await onSmallStack {
            let value = try JSONValue(json: Array(json.utf8))
            let constant = try JSONSchema(json: Array(#"{"const":\#(json)}"#.utf8))
            return (
                try JSONSchema(json: Array(dates.utf8)).converted(value).json(),
                SwiftDate.suspects(in: value, field: "v", now: Date(timeIntervalSince1970: 0)),
                constant.faults(in: value, field: "v")
            )
        }
        #expect(String(decoding: converted, as: UTF8.self) == json)
        #expect(suspects.isEmpty && faults.isEmpty)
    }

    @Test("messages are held against a filter policy")
    func filters() async throws {
        let (policy, body) = (Self.nested(127, #"["x"]"#), Self.nested(127, #""x""#))
        let matches = try await onSmallStack {
            try FilterPolicy(json: policy, scope: .messageBody, limits: .sns, at: .single)
                .matches(FilterableMessage(attributes: [:], body: body))
        }
        #expect(matches)
    }
}
