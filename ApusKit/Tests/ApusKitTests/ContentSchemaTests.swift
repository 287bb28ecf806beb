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
}
