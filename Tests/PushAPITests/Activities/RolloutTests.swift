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

@Suite("Activities for a topic or an audience at the API", .timeLimit(.minutes(20)))
struct RolloutTests {
    private static let path = "/v1/apps/\(TestAPI.app)/activities"
    private static let startable =
        #""attributesType":"Match","attributes":{},"contentState":{"n":1},"alert":{"title":"Match","body":"Kick-off"}"#

    private func start(_ api: TestAPI, _ more: String, id: String = "final", query: String = "") async throws -> Answer
    {
        try await api.call(.post, Self.path + query, #"{"id":"\#(id)",\#(Self.startable),\#(more)}"#)
    }

    @Test(
        "are stored, answered and shown, and start nowhere before a scheduler goes on",
        arguments: TestStoreBackend.allCases
    )
    func start(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let started = try await self.start(api, #""topic":"football","ratePerSecond":500"#)
            #expect(started.status == 201, "\(started.text)")
            #expect(started.json["sent"]?.number == 0)
            #expect(started.json["notification"] == nil)
            let rollout = try #require(started.json["rollout"])
            #expect(rollout["state"] == "running")
            #expect(rollout["audience"] == ["topic": "football"])
            #expect(rollout["ratePerSecond"]?.number == 500)
            #expect(rollout["startsSent"]?.number == 0)
            #expect(try await FakeDelivery(store: api.store).claim(.bulk) == nil)
            let shown = try await api.call(.get, "\(Self.path)/final")
            #expect(shown.json["rollouts"]?.elements.map { $0["id"] } == [rollout["id"]])
            #expect(try await api.call(.get, Self.path).json["activities"]?.elements.first?["rollouts"] == nil)
            let id = try #require(rollout["id"]?.text)
            let notification = try await api.call(.get, "/v1/apps/\(TestAPI.app)/notifications/\(id)")
            #expect(notification.status == 200, "\(notification.text)")

            let audience = #"{"and":[{"topic":"football"},{"not":{"locale":"de"}}]}"#
            let more = try await api.call(.post, "\(Self.path)/final:start", #"{"audience":\#(audience)}"#)
            #expect(more.status == 202, "\(more.text)")
            #expect(more.json["rollout"]?["ratePerSecond"] == nil)
            let both = try await api.call(.get, "\(Self.path)/final")
            #expect(both.json["rollouts"]?.elements.count == 2)
        }
    }

    @Test("tell how far they have come", arguments: TestStoreBackend.allCases)
    func progress(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let token = #"{"token":"\#(TestToken.hex(7))"}"#
            let kept = try await api.call(.put, "/v1/apps/\(TestAPI.app)/devices/phone-1/start-tokens/Match", token)
            #expect(kept.status == 200 || kept.status == 204, "\(kept.text)")
            _ = try await self.start(api, #""audience":{"all":true},"users":["nobody"]"#)
            let claimed = try await api.store.claimRollouts(
                planner: "planner",
                limit: 1,
                leaseDuration: .seconds(15),
                now: TestTime.start
            )
            var shard = RolloutPage(of: try #require(claimed.first).rollout)
            shard.installations = ["phone-1"]
            shard.withoutToken = 4
            shard.place = 5
            shard.lastPlace = 9
            shard.expected = 9
            let rollout = try await api.store.rollOut(
                shard,
                planner: "planner",
                leaseDuration: .seconds(15),
                now: TestTime.start
            )
            let shown = try await api.call(.get, "\(Self.path)/final").json["rollouts"]?.elements.first
            #expect(shown?["startsSent"]?.number == 1)
            #expect(shown?["total"]?.number == 9)
            #expect(shown?["remaining"]?.number == 4)
            let none: JSONValue = ["alreadyParticipating": 0, "otherEnvironment": 0, "withoutToken": 4]
            #expect(shown?["skipped"] == none)
            var last = RolloutPage(of: rollout)
            last.isLast = true
            _ = try await api.store.rollOut(
                last,
                planner: "planner",
                leaseDuration: .seconds(15),
                now: TestTime.start
            )
            let done = try await api.call(.get, "\(Self.path)/final").json["rollouts"]?.elements.first
            #expect(done?["state"] == "completed")
            #expect(done?["remaining"]?.number == 0)
            #expect(done?["endedAt"]?.text != nil)
            let story = try await api.call(.get, "\(Self.path)/final/timeline").json["entries"]?.elements
            #expect(story?.last?["type"] == "rollout_completed")
            #expect(story?.last?["detail"] == "1 started, 4 without a token")
        }
    }

    @Test("happen once under one key")
    func once() async throws {
        try await withAPI { api async throws in
            let body = #"{"id":"final",\#(Self.startable),"topic":"football"}"#
            var headers: HTTPFields = [:]
            headers[try #require(HTTPField.Name("Idempotency-Key"))] = "final"
            let first = try await api.call(.post, Self.path, body, headers: headers)
            #expect(first.status == 201, "\(first.text)")
            let second = try await api.call(.post, Self.path, body, headers: headers)
            #expect(second.status == 201)
            #expect(second.text == first.text)
            #expect(try await api.store.rollouts(of: "final", app: TestAPI.app).count == 1)
        }
    }

    @Test(
        "are refused by field and rule",
        arguments: [
            (#""topic":"""#, ["topic"]), (#""topic":7"#, ["topic"]),
            (#""audience":{"and":[{"tag":{}}]}"#, ["audience.and[0].tag.name"]),
            (#""audience":{"nobody":true}"#, ["audience.nobody"]),
            (#""audience":[]"#, ["audience"]),
            (#""topic":"a","audience":{"all":true}"#, ["body"]),
            (#""ratePerSecond":10"#, ["ratePerSecond"]),
            (#""topic":"a","ratePerSecond":0"#, ["ratePerSecond"]),
            (#""devices":["a"],"users":["b"],"topic":"a""#, ["body"]),
        ]
    )
    func refused(members: String, fields: [String]) async throws {
        try await withAPI { api async throws in
            let start = try await self.start(api, members)
            #expect(start.status == 422, "\(start.text)")
            #expect(start.fields == fields, "\(start.text)")
            _ = try await self.start(api, #""topic":"a""#)
            let later = try await api.call(.post, "\(Self.path)/final:start", "{\(members)}")
            #expect(later.status == 422)
            #expect(later.fields == fields, "\(later.text)")
        }
    }

    @Test("are refused where they could not begin, or nobody could wait for them")
    func impossible() async throws {
        try await withAPI { api async throws in
            let plain = #"{"id":"final","attributesType":"Match","contentState":{"n":1},"topic":"a"}"#
            #expect(try await api.call(.post, Self.path, plain).code == "activity_not_startable")
            let waiting = try await self.start(api, #""topic":"a""#, query: "?wait=true")
            #expect(waiting.fields == ["query.wait"], "\(waiting.text)")
            #expect(try await self.start(api, #""topic":"a""#).status == 201)
            let body = #"{"topic":"a"}"#
            let waits = try await api.call(.post, "\(Self.path)/final:start?wait=true", body)
            #expect(waits.fields == ["query.wait"], "\(waits.text)")
            for _ in 1..<ActivityLimit.rollouts {
                #expect(try await api.call(.post, "\(Self.path)/final:start", body).status == 202)
            }
            let full = try await api.call(.post, "\(Self.path)/final:start", body)
            #expect(full.code == "activity_limit_exceeded", "\(full.text)")
            _ = try await api.call(.patch, "\(Self.path)/final", #"{"end":{}}"#)
            #expect(try await api.call(.post, "\(Self.path)/final:start", body).code == "activity_ended")
        }
    }
}
