// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("What is told of a Live Activity", .timeLimit(.minutes(20)))
struct ActivityStoryTests {
    private static let path = "/v1/apps/\(TestAPI.app)/activities"
    private static let single = "\(Self.path)/lesson"

    /// A lesson that one phone shows.
    private static func prepare(_ api: TestAPI, phones: Int = 1) async throws {
        let body = """
            {"id":"lesson","attributesType":"Lesson","contentState":{"status":"active"},
             "instants":{"endsAt":"2026-02-02T03:40:00Z"}}
            """
        #expect(try await api.call(.post, Self.path, body).status == 201)
        for number in 0..<phones {
            let upload = #"{"token":"\#(TestToken.hex(UInt8(number)))"}"#
            #expect(try await api.call(.put, "\(Self.single)/tokens/phone-\(number)", upload).status == 200)
        }
    }

    private static func entries(_ api: TestAPI) async throws -> [JSONValue] {
        let answer = try await api.call(.get, "\(Self.single)/timeline?limit=1000")
        return answer.json["entries"]?.elements ?? []
    }

    @Test("says what was changed and what is planned, as it was told", arguments: TestStoreBackend.allCases)
    func changes(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await Self.prepare(api)
            let alert = #"{"title":"Soon","body":{"key":"ENDS","arguments":["5"]},"sound":"default"}"#
            let told =
                #"{"patch":{"名":"\"寿司\""},"alert":\#(alert),"staleAfterSeconds":60,"relevanceScore":2.5,"priority":5}"#
            #expect(try await api.call(.patch, Self.single, told).status == 202)
            let plan =
                #"{"instant":"endsAt","contentState":{"status":"over"},"budget":"reject","end":{"afterSeconds":300}}"#
            let planned = try await api.call(.put, "\(Self.single)/transitions/over", plan)
            let change: JSONValue = [
                "contentState": ["status": "over"], "budget": "reject", "end": ["afterSeconds": 300], "priority": 10,
            ]
            #expect(planned.json["change"] == change)
            let listed = try await api.call(.get, "\(Self.single)/transitions")
            #expect(listed.json["transitions"]?.elements.map { $0["change"] } == [change])
            _ = try await api.store.carryOutTransitions(limit: 10, now: TestTime.start.addingTimeInterval(3601))
            let entries = try await Self.entries(api)
            let kinds = entries.compactMap { $0["type"]?.text }
            #expect(kinds == ["registered", "token_received", "updated", "transition_scheduled", "ended"])
            #expect(entries.first?["changes"] == [["contentState": ["status": "active"], "priority": 10]])
            let updated = try #require(entries.first { $0["type"] == "updated" })
            #expect(updated["event"] == "update")
            #expect(try updated["changes"] == [JSONValue(json: Array(told.utf8))])
            let ended = try #require(entries.last)
            #expect(ended["event"] == "end")
            #expect(ended["changes"] == [change])
            #expect(entries.first { $0["type"] == "token_received" }?["event"] == nil)
        }
    }

    @Test("leaves out what is long, and says how long")
    func long() async throws {
        try await withAPI { api async throws in
            try await Self.prepare(api)
            let text = String(repeating: "x", count: 2000)
            let state = #"{"t":"\#(text)"}"#
            let alert = #"{"title":"Soon","body":"It ends"}"#
            try await api.call(.patch, Self.single, #"{"contentState":\#(state),"alert":\#(alert)}"#)
            try await api.call(.patch, Self.single, #"{"contentState":{},"alert":{"title":"\#(text)","body":"b"}}"#)
            let changes = try await Self.entries(api).compactMap { $0["changes"]?.elements.first }
            #expect(changes[1]["contentState"] == nil)
            #expect(changes[1]["alert"]?["body"] == "It ends")
            #expect(changes[1]["omittedBytes"]?.number == state.utf8.count)
            #expect(changes[2]["alert"] == nil)
            #expect((changes[2]["omittedBytes"]?.number ?? 0) > 2000)
        }
    }

    @Test(
        "names the first 100 phones that tell their tokens, and counts the others",
        arguments: TestStoreBackend.allCases
    )
    func manyPhones(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await Self.prepare(api, phones: 120)
            // Another token of one that joined late, and one that is behind and is brought up to date.
            try await api.call(.put, "\(Self.single)/tokens/phone-110", #"{"token":"\#(TestToken.hex(200))"}"#)
            try await api.call(.patch, Self.single, #"{"patch":{"n":1}}"#)
            let late = try await api.call(.put, "\(Self.single)/tokens/late", #"{"token":"\#(TestToken.hex(201))"}"#)
            #expect(late.json["sent"]?.number == 1)
            let kinds = try await Self.entries(api).compactMap { $0["type"]?.text }
            #expect(kinds == ["registered"] + Array(repeating: "token_received", count: 100) + ["updated"])
            let shown = try await api.call(.get, "\(Self.single)?include=participantCounts")
            #expect(shown.json["participantCounts"]?["active"]?.number == 121)
        }
    }

    @Test(
        "says whether a phone may have frequent updates, as its app told it last",
        arguments: TestStoreBackend.allCases
    )
    func frequentUpdates(store: TestStoreBackend) async throws {
        var setup = TestSetup(store: store)
        setup.configuration.activityLimits = PushBudget.Limits(hourly: 1, frequentHourly: 4)
        try await withAPI(setup) { api async throws in
            try await Self.prepare(api)
            func remaining() async throws -> Int? {
                let dry = try await api.call(.patch, "\(Self.single)?dryRun=true", #"{"patch":{"n":1}}"#)
                return dry.json["budget"]?["remaining"]?.number
            }
            #expect(try await remaining() == 0)
            for (flag, room) in [(true, 3), (false, 0), (true, 3)] {
                // The token is known; the person has switched it in the system's settings.
                let upload = #"{"token":"\#(TestToken.hex(0))","frequentUpdates":\#(flag)}"#
                try await api.call(.put, "\(Self.single)/tokens/phone-0", upload)
                let phones = try await api.call(.get, "\(Self.single)/participants")
                #expect(phones.json["participants"]?.elements.first?["frequentUpdates"] == .bool(flag))
                #expect(try await remaining() == room)
            }
            let story = try await Self.entries(api).compactMap { $0["type"]?.text }
            #expect(story == ["registered", "token_received"])
        }
    }

    @Test(
        "is no dismissal later than the system takes the activity off the Lock Screen",
        arguments: [
            (#"{"end":{"afterSeconds":14401}}"#, "end.afterSeconds"),
            (#"{"end":{"at":"2026-02-02T06:41:01Z"}}"#, "end.at"),
        ]
    )
    func dismissal(body: String, field: String) async throws {
        try await withAPI { api async throws in
            try await Self.prepare(api)
            let faulty = try await api.call(.patch, Self.single, body)
            #expect(faulty.status == 422, "\(faulty.text)")
            #expect(faulty.json["errors"]?.elements.compactMap { $0["field"]?.text } == [field])
            let many = #"{"changes":[{"activity":"lesson","patch":{}},{"activity":"lesson",\#(body.dropFirst())]}"#
            let refused = try await api.call(.post, "\(Self.path):batchUpdate", many)
            #expect(refused.json["errors"]?.elements.compactMap { $0["field"]?.text } == ["changes[1].\(field)"])
            // What is planned for an instant is held to that.
            let plan = #"{"instant":"endsAt","offsetSeconds":-3600,\#(body.dropFirst())"#
            let planned = try await api.call(.put, "\(Self.single)/transitions/over", plan)
            #expect(planned.json["errors"]?.elements.compactMap { $0["field"]?.text } == [field])
            let new =
                #"{"id":"b","attributesType":"T","transitions":{"over":{"at":"2026-02-02T02:40:00Z",\#(body.dropFirst())}}"#
            let created = try await api.call(.post, Self.path, new)
            #expect(created.json["errors"]?.elements.compactMap { $0["field"]?.text } == ["transitions.over.\(field)"])
            #expect(try await api.call(.get, Self.single).json["version"]?.number == 1)
        }
    }

    @Test("is the latest dismissal that there is, also where an instant moves what was planned for it")
    func latestDismissal() async throws {
        try await withAPI { api async throws in
            try await Self.prepare(api)
            let plan = #"{"instant":"endsAt","end":{"at":"2026-02-02T07:40:00Z"}}"#
            #expect(try await api.call(.put, "\(Self.single)/transitions/over", plan).status == 200)
            let earlier = #"{"instants":{"endsAt":"2026-02-02T02:40:00Z"}}"#
            #expect(try await api.call(.patch, Self.single, earlier).status == 202)
            _ = try await api.store.carryOutTransitions(limit: 10, now: TestTime.start)
            let lesson = try #require(try await api.store.activity("lesson", of: TestAPI.app))
            #expect(lesson.lifecycle.state == .ended)
            #expect(lesson.lifecycle.dismissalDate == TestTime.start.secondsSince1970 + 4 * 3600)
        }
    }
}
