// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import ApusKit

@Suite("The schema of a type")
struct ContentSchemaTests {
    enum Phase: String, Codable, CaseIterable { case active, ending }

    struct State: Codable, Hashable {
        struct Place: Codable, Hashable { var name: String; var distance: Double }
        var phase: Phase
        var endTime: Date
        var count: Int
        var isLate: Bool?
        var room: String?
        var place: Place
        var stops: [String]
    }

    static let state = State(
        phase: .active,
        endTime: Date(timeIntervalSinceReferenceDate: 0),
        count: 1,
        isLate: nil,
        room: nil,
        place: .init(name: "a", distance: 1),
        stops: ["a"]
    )

    @Test("names every member with its type, and which may be absent")
    func members() throws {
        let schema = try ContentSchema(contentState: Self.state)
        let expected = """
            {"contentState":{"type":"object","additionalProperties":false,
             "required":["count","endTime","phase","place","stops"],
             "properties":{"phase":{"enum":["active","ending"]},"endTime":{"type":"number","format":"swift-date"},
              "count":{"type":"integer"},"isLate":{"type":["boolean","null"]},"room":{"type":["string","null"]},
              "place":{"type":"object","additionalProperties":false,"required":["distance","name"],
               "properties":{"name":{"type":"string"},"distance":{"type":"number"}}},
              "stops":{"type":"array","items":{"type":"string"}}}}}
            """
        let decoder = JSONDecoder()
        #expect(
            try decoder.decode(PushValue.self, from: schema.json)
                == decoder.decode(PushValue.self, from: Data(expected.utf8))
        )
    }

    enum Weather: Codable, Hashable { case dry, rain(millimetres: Int) }
    enum Lane: String, Codable { case left, right }

    struct Wide: Codable, Hashable {
        var fees: [String: Int]
        var places: [Int: State.Place]
        var empty: [String: String]
        var byID: [UUID: Int]
        var mixed: [Int?]
        var weather: Weather
        var lane: Lane
        var level: Int8
        var size: UInt32
        var ratio: Float?
        var since: Date?
        var small: UInt16?
    }

    static let wide = Wide(
        fees: ["a": 1, "b": 2],
        places: [1: .init(name: "a", distance: 1)],
        empty: [:],
        byID: [:],
        mixed: [1, nil],
        weather: .rain(millimetres: 3),
        lane: .left,
        level: 1,
        size: 1,
        ratio: nil,
        since: nil,
        small: nil
    )

    @Test("takes every key of a dictionary and every case of an enumeration, and knows the numbers that fit")
    func wide() throws {
        let schema = try ContentSchema(contentState: Self.wide)
        let expected = """
            {"contentState":{"type":"object","additionalProperties":false,
             "required":["byID","empty","fees","lane","level","mixed","places","size","weather"],
             "properties":{"fees":{"type":"object","additionalProperties":{"type":"integer"}},
              "places":{"type":"object","additionalProperties":{"type":"object","additionalProperties":false,
               "required":["distance","name"],
               "properties":{"name":{"type":"string"},"distance":{"type":"number"}}}},
              "empty":{"type":"object","additionalProperties":true},"byID":{"type":"array"},
              "mixed":{"type":"array","items":{"anyOf":[{"type":["integer","null"]},{}]}},
              "weather":{"type":"object"},"lane":{"type":"string"},
              "level":{"type":"integer","minimum":-128,"maximum":127},
              "size":{"type":"integer","minimum":0,"maximum":4294967295},
              "ratio":{"type":["number","null"]},"since":{"type":["number","null"],"format":"swift-date"},
              "small":{"type":["integer","null"],"minimum":0,"maximum":65535}}}}
            """
        let decoder = JSONDecoder()
        let made = try decoder.decode(PushValue.self, from: schema.json)
        #expect(made == (try decoder.decode(PushValue.self, from: Data(expected.utf8))), "\(made)")
    }
}
