// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator

/// A type of Swift's that is decoded by Foundation, to hold the shape's verdict against.
private struct Sample: Codable {
    enum Phase: String, Codable { case riding, parked }
    enum Place: Codable {
        case dock(Int)
        case street(name: String)
    }
    struct Driver: Codable { var name: String }

    var count: Int
    var small: UInt8
    var distance: Double
    var name: String?
    var isOpen: Bool
    var endsAt: Date
    var blob: Data
    var link: URL
    var id: UUID
    var phase: Phase
    var place: Place
    var tags: [String]
    var prices: [String: Int]
    var driver: Driver

    static let shape = """
        {"type":"object","properties":{
          "count":{"type":"integer"},"small":{"type":"uint8"},"distance":{"type":"number"},
          "name":{"type":"string","optional":true},"isOpen":{"type":"boolean"},"endsAt":{"type":"date"},
          "blob":{"type":"data"},"link":{"type":"url"},"id":{"type":"uuid"},
          "phase":{"type":"enum","cases":["riding","parked"]},
          "place":{"type":"enum","cases":{"dock":{"_0":{"type":"integer"}},"street":{"name":{"type":"string"}}}},
          "tags":{"type":"array","items":{"type":"string"}},
          "prices":{"type":"dictionary","values":{"type":"integer"}},
          "driver":{"type":"object","properties":{"name":{"type":"string"}}}}}
        """

    static let json = """
        {"count":3,"small":255,"distance":1.5,"name":"x","isOpen":true,"endsAt":781692800,"blob":"aGk=",
         "link":"https://example.com/a","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","phase":"riding",
         "place":{"dock":{"_0":4}},"tags":["a"],"prices":{"won":400},"driver":{"name":"Kim"},"unknown":1}
        """
}

@Suite("Attributes shape")
struct AttributesShapeTests {
    private static let now: Double = 1_760_000_000

    private static func value(_ text: String) throws -> JSONValue { try JSONValue(json: Array(text.utf8)) }

    private static func sample(with member: String? = nil, as json: String? = nil) throws -> JSONValue {
        guard case .object(var members) = try self.value(Sample.json) else { return .null }
        if let member { members[member] = try json.map { try self.value($0) } }
        return .object(members)
    }

    private static func foundation(_ value: JSONValue) throws -> Bool {
        (try? JSONDecoder().decode(Sample.self, from: Data(value.json()))) != nil
    }

    @Test(
        "what Foundation decodes by default, the shape decodes, and nothing else",
        arguments: [
            ("count", "1"), ("count", "1.0"), ("count", "1.5"), ("count", #""1""#), ("count", "null"), ("count", nil),
            ("small", "256"), ("small", "-1"), ("distance", "2"), ("distance", #""2""#), ("name", nil),
            ("name", "null"),
            ("name", "1"), ("isOpen", "1"), ("isOpen", "false"), ("endsAt", #""2025-10-09T08:53:20Z""#),
            ("endsAt", "0"),
            ("endsAt", "1.25"), ("blob", #""no base64!""#), ("blob", #""""#), ("link", #""""#), ("link", #""a/b""#),
            ("id", #""E621E1F8""#), ("phase", #""flying""#), ("phase", "0"), ("place", #"{"street":{"name":"x"}}"#),
            ("place", #"{"street":{}}"#), ("place", #"{"sea":{}}"#),
            ("place", #"{"dock":{"_0":1},"street":{"name":"x"}}"#),
            ("tags", "[]"), ("tags", "[1]"), ("tags", "{}"), ("prices", "{}"), ("prices", #"{"won":"x"}"#),
            ("driver", "{}"), ("driver", #"{"name":null}"#), ("driver", #"{"name":"x","age":3}"#), ("driver", "[]"),
        ] as [(String, String?)]
    )
    func likeFoundation(member: String, json: String?) throws {
        let shape = try AttributesSchema(json: Self.value(Sample.shape))
        let value = try Self.sample(with: member, as: json)
        let isDecoded = (try? shape.decode(value, path: "state", now: Self.now)) != nil
        #expect(try isDecoded == Self.foundation(value))
    }

    @Test(
        "a mismatch says the coding path, what was expected and what was found",
        arguments: [
            ("count", #""1""#, "state.count: expected an integer (integer), got a string"),
            ("driver", #"{"name":7}"#, "state.driver.name: expected a string, got a number"),
            ("driver", "{}", "state.driver.name: expected a string, got no such key"),
            ("tags", #"["a",2]"#, "state.tags[1]: expected a string, got a number"),
            (
                "endsAt", #""2025""#,
                "state.endsAt: expected a date as a number of seconds since 2001-01-01 00:00 UTC, got a string"
            ),
            ("phase", #""flying""#, #"state.phase: expected one of riding, parked, got "flying""#),
            ("blob", #""!""#, "state.blob: expected data as a base64 string, got a string that is not base64"),
            ("small", "300", "state.small: expected an integer (uint8), got the number 300.0"),
        ]
    )
    func mismatch(member: String, json: String, message: String) throws {
        let shape = try AttributesSchema(json: Self.value(Sample.shape))
        let value = try Self.sample(with: member, as: json)
        let mismatch = #expect(throws: AttributesSchema.Mismatch.self) {
            try shape.decode(value, path: "state", now: Self.now)
        }
        #expect(mismatch?.message == message)
    }

    @Test("a date that was written as seconds since 1970 is decoded, with a hint")
    func epochHint() throws {
        let shape = AttributesSchema.object(["endsAt": .init(.date)])
        let wrong = try shape.decode(["endsAt": 1_760_003_600], path: "state", now: Self.now)
        #expect(wrong.count == 1)
        #expect(wrong.first?.hasPrefix("state.endsAt is 2056-") == true)
        #expect(try shape.decode(["endsAt": 781_696_400], path: "state", now: Self.now).isEmpty)
    }

    @Test(
        "a document that is no shape is refused with its path",
        arguments: [
            ("[]", "shape"), ("{}", "shape.type"), (#"{"type":"text"}"#, "shape.type"),
            (#"{"type":"array"}"#, "shape.items"), (#"{"type":"string","items":{}}"#, "shape.items"),
            (#"{"type":"object","properties":{"a":{"type":"enum"}}}"#, "shape.properties.a.cases"),
            (#"{"type":"object","properties":{"a":{"type":"date","optional":1}}}"#, "shape.properties.a.optional"),
            (#"{"type":"enum","cases":["a",1]}"#, "shape.cases[1]"),
            (#"{"type":"object","properties":3}"#, "shape.properties"),
        ]
    )
    func refused(json: String, field: String) throws {
        let value = try Self.value(json)
        let failure = #expect(throws: InvalidValueError.self) { try AttributesSchema(json: value) }
        #expect(failure?.field == field)
    }

    @Test("a shape that is nested too deep is refused and not followed")
    func tooDeep() throws {
        var shape: JSONValue = ["type": "string"]
        for _ in 0..<100 { shape = ["type": "array", "items": shape] }
        #expect(throws: InvalidValueError.self) { try AttributesSchema(json: shape) }
    }
}
