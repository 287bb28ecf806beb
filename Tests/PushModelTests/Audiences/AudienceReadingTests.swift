// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Reading audiences")
struct AudienceReadingTests {
    private func audience(_ json: String) throws -> Audience {
        try Audience(json: JSONValue(json: Array(json.utf8)))
    }

    private func faults(_ json: String) throws -> [String] {
        let value = try JSONValue(json: Array(json.utf8))
        do {
            _ = try Audience(json: value)
            return []
        } catch {
            return error.failures.map(\.field)
        }
    }

    @Test(
        "every form is read, and written as it was",
        arguments: [
            #"{"all":true}"#,
            #"{"topic":"news"}"#,
            #"{"tag":{"name":"city"}}"#,
            #"{"tag":{"equals":"Wien","name":"city"}}"#,
            #"{"tag":{"contains":"ie","name":"city"}}"#,
            #"{"locale":"de-at"}"#,
            #"{"timeZone":"Europe/Vienna"}"#,
            #"{"platform":"ios"}"#,
            #"{"appVersion":{"atLeast":"2.10","below":"3"}}"#,
            #"{"users":["anna","ben"]}"#,
            #"{"environment":"sandbox"}"#,
            #"{"seen":{"after":"2026-01-01T00:00:00.000Z"}}"#,
            #"{"registered":{"after":"2026-01-01T00:00:00.123Z","before":"2026-02-01T00:00:00.000Z"}}"#,
            #"{"and":[{"all":true},{"not":{"or":[{"topic":"a"},{"locale":"fr"}]}}]}"#,
        ]
    )
    func roundTrip(json: String) throws {
        let audience = try self.audience(json)
        #expect(String(decoding: try audience.json.json(), as: UTF8.self) == json)
        let encoded = try JSONEncoder().encode(audience)
        #expect(try JSONDecoder().decode(Audience.self, from: encoded) == audience)
    }

    @Test(
        "what is wrong is named by its path",
        arguments: [
            (#"[]"#, ["audience"]),
            (#"{}"#, ["audience"]),
            (#"{"topic":"a","locale":"de"}"#, ["audience"]),
            (#"{"weather":"fine"}"#, ["audience.weather"]),
            (#"{"all":false}"#, ["audience.all"]),
            (#"{"topic":""}"#, ["audience.topic"]),
            (#"{"tag":{"equals":"x"}}"#, ["audience.tag.name"]),
            (#"{"tag":{"name":"x","equals":"a","contains":"b"}}"#, ["audience.tag"]),
            (#"{"tag":{"name":"x","colour":"a"}}"#, ["audience.tag.colour"]),
            (#"{"appVersion":{}}"#, ["audience.appVersion"]),
            (#"{"appVersion":{"below":"beta"}}"#, ["audience.appVersion.below"]),
            (#"{"seen":{"after":"yesterday"}}"#, ["audience.seen.after"]),
            (#"{"environment":"test"}"#, ["audience.environment"]),
            (#"{"users":["a",7,""]}"#, ["audience.users[1]", "audience.users[2]"]),
            (#"{"and":[]}"#, ["audience.and"]),
            (
                #"{"and":[{"all":true},{"not":{"topic":1}},{"or":[{"locale":2}]}]}"#,
                ["audience.and[1].not.topic", "audience.and[2].or[0].locale"]
            ),
        ]
    )
    func badValues(json: String, fields: [String]) throws {
        #expect(try self.faults(json) == fields)
    }

    @Test("a member that is null counts as absent")
    func null() throws {
        let audience = try self.audience(#"{"topic":null,"tag":{"name":"x","equals":null}}"#)
        #expect(audience == .tag(TagCondition(name: "x")))
    }

    @Test("expressions nest 16 deep and no deeper")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"not":"#, count: depth - 1) + #"{"all":true}"#
                + String(repeating: "}", count: depth - 1)
        }
        #expect(try self.faults(nested(16)).isEmpty)
        #expect(try self.faults(nested(17)).count == 1)
    }

    @Test("there are 200 expressions in all and no more, which is told once")
    func nodes() throws {
        func many(_ count: Int) -> String {
            #"{"or":["# + Array(repeating: #"{"all":true}"#, count: count - 1).joined(separator: ",") + "]}"
        }
        #expect(try self.faults(many(200)).isEmpty)
        #expect(try self.faults(many(500)) == ["audience.or[199]"])
    }

    @Test("10,000 users are named in all and no more")
    func users() throws {
        func many(_ count: Int) -> String {
            let users = (0..<count).map { "\"u\($0)\"" }.joined(separator: ",")
            return #"{"or":[{"users":["first"]},{"users":["# + users + "]}]}"
        }
        #expect(try self.faults(many(9999)).isEmpty)
        #expect(try self.faults(many(10_000)) == ["audience.or[1].users"])
    }
}
