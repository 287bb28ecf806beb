// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Live Activities", .timeLimit(.minutes(20)))
struct ActivityTests {
    private static let path = "/v1/apps/\(TestAPI.app)/activities"
    private static let alert = #""alert":{"title":"Lesson","body":{"key":"BEGINS","arguments":["5"]}}"#

    /// A lesson that apps start, and the phones that show it.
    private func lesson(_ api: TestAPI, phones: [UInt8] = [1]) async throws {
        let body = """
            {"id":"lesson 1","attributesType":"LessonAttributes","contentState":{"status":"active"},
             "instants":{"endsAt":"2026-02-02T03:40:00Z"}}
            """
        let answer = try await api.call(.post, Self.path, body)
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer.headers[.location] == "\(Self.path)/lesson%201")
        for phone in phones {
            let upload = #"{"token":"\#(TestToken.hex(phone))"}"#
            let told = try await api.call(.put, "\(Self.path)/lesson%201/tokens/phone-\(phone)", upload)
            #expect(told.status == 200, "\(told.text)")
        }
    }

    /// The texts of what can be sent now.
    private func payloads(_ api: TestAPI) async throws -> [String] {
        let claimed = try await api.store.claim(
            lane: .urgent,
            limit: 10,
            worker: "test",
            leaseDuration: .seconds(60),
            now: TestTime.start
        )
        return claimed.flatMap { claimed in claimed.batch.targets.indices.map { claimed.batch.payload[$0].text } }
    }

    @Test(
        "activities are created, updated, ended and returned in their latest state",
        arguments: TestStoreBackend.allCases
    )
    func life(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await self.lesson(api)
            let change = #"{"patch":{"status":"ending"},"staleAfterSeconds":60,"priority":5,"relevanceScore":7}"#
            let changed = try await api.call(.patch, "\(Self.path)/lesson%201", change)
            #expect(changed.status == 202)
            #expect(changed.json["version"]?.number == 2)
            #expect(changed.json["sent"]?.number == 1)
            let sent = try await self.payloads(api)
            #expect(sent.count == 1)
            #expect(sent.first?.contains(#""content-state":{"status":"ending"},"stale-date":"#) == true)
            let shown = try await api.call(.get, "\(Self.path)/lesson%201")
            #expect(shown.json["contentState"] == ["status": "ending"])
            #expect(shown.json["state"] == "active")
            #expect(shown.json["instants"] == ["endsAt": "2026-02-02T03:40:00.000Z"])
            let end = try await api.call(.patch, "\(Self.path)/lesson%201", #"{"end":{"dismissal":"immediate"}}"#)
            #expect(end.json["state"] == "ended")
            #expect(end.json["pending"]?.number == 1)
            let late = try await api.call(.patch, "\(Self.path)/lesson%201", #"{"contentState":{}}"#)
            #expect(late.status == 409)
            #expect(late.code == "activity_ended")
            let story = try await api.call(.get, "\(Self.path)/lesson%201/timeline")
            let kinds = story.json["entries"]?.elements.compactMap { $0["type"]?.text }
            #expect(kinds == ["registered", "token_received", "updated", "ended"])
            let phones = try await api.call(.get, "\(Self.path)/lesson%201/participants")
            #expect(phones.json["participants"]?.elements.compactMap { $0["device"]?.text } == ["phone-1"])
            let running = try await api.call(.get, "\(Self.path)?ended=false")
            #expect(running.json["activities"] == [])
        }
    }

    @Test("are started by a push on the devices of users, and say which of these cannot be reached")
    func started() async throws {
        try await withAPI { api async throws in
            for (index, name) in ["phone", "tablet"].enumerated() {
                try await api.register(name, token: UInt8(index), more: #","userID":"u1""#)
            }
            let key = try await api.key(scopes: [.client])
            let told = try await api.call(
                .put,
                "/v1/apps/\(TestAPI.app)/devices/phone/start-tokens/LessonAttributes",
                #"{"token":"\#(TestToken.hex(9))","issuedAt":"2026-02-02T02:00:00Z"}"#,
                key: key.text
            )
            #expect(told.status == 204)
            let body = """
                {"id":"l","attributesType":"LessonAttributes","attributes":{"child":1},"contentState":{"n":1},
                 \(Self.alert),"users":["u1"]}
                """
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["sent"]?.number == 1)
            #expect(answer.json["notStartable"] == ["tablet"])
            let sent = try await self.payloads(api)
            #expect(sent.first?.contains(#""event":"start""#) == true)
            #expect(sent.first?.contains(#"{"loc-key":"BEGINS","loc-args":["5"]}"#) == true)
            let again = try await api.call(.post, Self.path, body)
            #expect(again.code == "activity_exists")
            let more = try await api.call(.post, "\(Self.path)/l:start", #"{"devices":["phone","tablet"]}"#)
            #expect(more.json["sent"]?.number == 0)
            #expect(more.json["alreadyParticipating"]?.number == 1)
            // The way out where the phone has dropped the start.
            let left = try await api.call(.delete, "\(Self.path)/l/tokens/phone?reason=ended")
            #expect(left.status == 204, "\(left.text)")
            let repeated = try await api.call(.post, "\(Self.path)/l:start", #"{"devices":["phone"]}"#)
            #expect(repeated.json["sent"]?.number == 1, "\(repeated.text)")
        }
    }

    @Test("may be told of first by the app, with a key that can do nothing else")
    func told() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.client])
            let path = "\(Self.path)/ride/tokens/phone"
            let unknown = try await api.call(.put, path, #"{"token":"ab"}"#, key: key.text)
            #expect(unknown.code == "activity_not_found")
            let body = #"{"token":"ab","attributesType":"RidingAttributes","contentState":{"fee":400}}"#
            for _ in 0..<2 {
                let answer = try await api.call(.put, path, body, key: key.text)
                #expect(answer.status == 200)
                #expect(answer.json["state"] == "active")
            }
            #expect(try await api.call(.get, "\(Self.path)/ride", key: key.text).status == 403)
        }
    }

    @Test("have phones that leave, by word of the app", arguments: TestStoreBackend.allCases)
    func left(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            try await self.lesson(api, phones: [1, 2])
            let key = try await api.key(scopes: [.client])
            let path = "\(Self.path)/lesson%201/tokens"
            let faulty = try await api.call(.delete, "\(path)/phone-1?reason=bored&at=noon", key: key.text)
            #expect(faulty.status == 422)
            #expect(faulty.json["errors"]?.elements.count == 2, "\(faulty.text)")
            for query in ["?reason=ended&at=2026-02-02T03:00:00Z", ""] {
                let left = try await api.call(.delete, "\(path)/phone-1\(query)", key: key.text)
                #expect(left.status == 204, "\(left.text)")
            }
            let stranger = try await api.call(.delete, "\(Self.path)/other/tokens/phone-1", key: key.text)
            #expect(stranger.status == 204)
            let phones = try await api.call(.get, "\(Self.path)/lesson%201/participants")
            #expect(phones.json["participants"]?.elements.map { $0["state"]?.text } == ["ended", "active"])
            #expect(phones.json["participants"]?.elements.map { $0["reason"]?.text } == ["ended", nil])
            let changed = try await api.call(.patch, "\(Self.path)/lesson%201", #"{"patch":{"n":1}}"#)
            #expect(changed.json["sent"]?.number == 1)
        }
    }

    @Test("are changed many at a time, each with an answer of its own")
    func many() async throws {
        try await withAPI { api async throws in
            try await self.lesson(api)
            let body = #"{"changes":[{"activity":"lesson 1","patch":{"n":1}},{"activity":"x","patch":{}}]}"#
            let answer = try await api.call(.post, "\(Self.path):batchUpdate", body)
            #expect(answer.status == 202)
            #expect(answer.json["changed"]?.number == 1)
            let results = try #require(answer.json["results"]?.elements)
            #expect(results.first?["result"]?["sent"]?.number == 1)
            #expect(results.last?["code"] == "activity_not_found")
        }
    }

    @Test("are told with what is planned of them, all of it or nothing")
    func planned() async throws {
        try await withAPI { api async throws in
            func body(_ id: String, _ transitions: String) -> String {
                #"{"id":"\#(id)","attributesType":"T","contentState":{"status":"active"},"#
                    + #""instants":{"endsAt":"2026-02-02T03:40:00Z"},"transitions":\#(transitions)}"#
            }
            let plan =
                #"{"ending":{"instant":"endsAt","offsetSeconds":-900,"patch":{"status":"ending"}},"#
                + #""over":{"instant":"endsAt","end":{"afterSeconds":300}}}"#
            let created = try await api.call(.post, Self.path, body("match", plan))
            #expect(created.status == 201, "\(created.text)")
            let listed = try await api.call(.get, "\(Self.path)/match/transitions")
            let times = listed.json["transitions"]?.elements.compactMap { $0["dueAt"]?.text }
            #expect(times == ["2026-02-02T03:25:00.000Z", "2026-02-02T03:40:00.000Z"])
            let many = (0...100).map { #""t\#($0)":{"at":"2026-02-02T03:40:00Z","end":{}}"# }.joined(separator: ",")
            let tooMany = try await api.call(.post, Self.path, body("other", "{\(many)}"))
            #expect(tooMany.code == "activity_limit_exceeded", "\(tooMany.text)")
            #expect(try await api.call(.get, "\(Self.path)/other").status == 404)
        }
    }

    @Test("have transitions that are planned, listed and taken back")
    func transitions() async throws {
        try await withAPI { api async throws in
            try await self.lesson(api)
            let path = "\(Self.path)/lesson%201/transitions"
            let body = #"{"instant":"endsAt","offsetSeconds":-900,"patch":{"status":"ending"},"misfire":"skip"}"#
            let planned = try await api.call(.put, "\(path)/ending", body)
            #expect(planned.status == 200, "\(planned.text)")
            #expect(planned.json["dueAt"] == "2026-02-02T03:25:00.000Z")
            let moved = #"{"instants":{"endsAt":"2026-02-02T04:40:00Z"}}"#
            try await api.call(.patch, "\(Self.path)/lesson%201", moved)
            let listed = try await api.call(.get, path)
            #expect(listed.json["transitions"]?.elements.first?["dueAt"] == "2026-02-02T04:25:00.000Z")
            #expect(try await api.call(.delete, "\(path)/ending").status == 204)
            #expect(try await api.call(.delete, "\(path)/ending").code == "transition_not_found")
        }
    }

    @Test(
        "name what is wrong by its path, and nothing is sent",
        arguments: [
            (#"{}"#, ["id", "attributesType"]),
            (#"{"id":"","attributesType":"T"}"#, ["id"]),
            (#"{"id":"a","attributesType":"T","contentState":[]}"#, ["contentState"]),
            (#"{"id":"a","attributesType":"T","alert":{"title":"x"}}"#, ["alert.body"]),
            (#"{"id":"a","attributesType":"T","instants":{"endsAt":5}}"#, ["instants.endsAt"]),
            (#"{"id":"a","attributesType":"T","priority":7}"#, ["priority"]),
            (#"{"id":"a","attributesType":"T","devices":["x"],"users":["y"]}"#, ["body"]),
            (
                #"{"id":"a","attributesType":"T","transitions":"#
                    + #"{"x":{"at":"now","end":{}},"y":{"offsetSeconds":5,"end":{}}}}"#,
                ["transitions.x.at", "transitions.y"]
            ),
        ] as [(String, [String])]
    )
    func faults(body: String, fields: [String]) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?.elements.compactMap { $0["field"]?.text } == fields)
            #expect(try await api.call(.get, Self.path).json["activities"] == [])
        }
    }

    @Test(
        "say why Apple would not take them",
        arguments: [
            (#"{"id":"a","attributesType":"T","devices":["x"]}"#, "activity_not_startable"),
            (
                #"{"id":"a","attributesType":"T","contentState":{"t":"\#(String(repeating: "x", count: 4096))"}}"#,
                "payload_too_large"
            ),
        ]
    )
    func refused(body: String, code: String) async throws {
        try await withAPI { api async throws in
            #expect(try await api.call(.post, Self.path, body).code == code)
        }
    }
}
