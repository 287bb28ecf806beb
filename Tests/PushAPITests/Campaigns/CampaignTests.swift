// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Campaigns over HTTP", .timeLimit(.minutes(20)))
struct CampaignTests {
    private static let path = "/v1/apps/\(TestAPI.app)/campaigns"
    private static let message = #""message":{"default":{"notification":{"body":"Hello {{tags.name|there}}"}}}"#

    private func create(_ api: TestAPI, more: String = "") async throws -> String {
        let body = #"{"audience":{"all":true},\#(Self.message)\#(more)}"#
        let answer = try await api.call(.post, Self.path, body)
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.json["id"]?.text)
    }

    @Test("a campaign is created, shown and listed as it was asked for", arguments: TestStoreBackend.allCases)
    func created(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let body = """
                {"name":"Sale","audience":{"and":[{"topic":"news"},{"not":{"locale":"de"}}]},
                 "message":{"pushType":"alert","priority":5,"timeToLiveSeconds":60,"collapseID":"sale",
                    "default":{"payload":{"aps":{"alert":"Sale"}}},"variants":{"DE_at":{"notification":{"body":"Los"}}}},
                 "start":{"local":{"time":"2036-03-20T09:00","fallbackZone":"Europe/Vienna","sendIfPassed":false}},
                 "ratePerSecond":100,"expiresAt":"2036-04-01T00:00:00Z"}
                """
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 201)
            let id = try #require(answer.json["id"]?.text)
            #expect(answer.headers[.location] == "\(Self.path)/\(id)")
            let shown = try await api.call(.get, "\(Self.path)/\(id)")
            #expect(shown.json == answer.json)
            #expect(shown.json["progress"]?["state"] == "scheduled")
            #expect(shown.json["message"]?["variants"]?.members.keys.sorted() == ["de-at"])
            #expect(shown.json["start"]?["local"]?["time"] == "2036-03-20T09:00")
            let listed = try await api.call(.get, Self.path)
            #expect(listed.json["campaigns"]?.elements.compactMap { $0["id"]?.text } == [id])
            let campaign = try await api.store.campaign(try #require(CampaignID(id)))?.campaign
            #expect(campaign?.audience == .and([.topic("news"), .not(.locale(LocaleRange("de")))]))
            // Its notification is there under the same id.
            let notification = try await api.call(.get, "/v1/apps/\(TestAPI.app)/notifications/\(id)")
            #expect(notification.json["state"] == "accepted")
        }
    }

    @Test(
        "what is wrong with a campaign is named by its path, and nothing is stored",
        arguments: [
            (#"{}"#, ["audience", "message"]),
            (#"{"audience":{"weather":1},\#(message)}"#, ["audience.weather"]),
            (#"{"audience":{"and":[{"topic":1}]},\#(message)}"#, ["audience.and[0].topic"]),
            (#"{"audience":{"all":true},"message":{}}"#, ["message.default"]),
            (#"{"audience":{"all":true},"message":{"default":{}}}"#, ["message.default"]),
            (
                #"{"audience":{"all":true},"message":{"default":{"payload":{"a":"{{x}}"}}}}"#,
                ["message.default.payload"]
            ),
            (
                #"{"audience":{"all":true},"message":{"default":{"payload":{}},"variants":{"de":{"payload":{},"notification":{"body":"x"}}}}}"#,
                ["message.variants.de"]
            ),
            (
                #"{"audience":{"all":true},"message":{"default":{"payload":{}},"variants":{"de":{"payload":{}},"DE":{"payload":{}}}}}"#,
                ["message.variants.DE"]
            ),
            (
                #"{"audience":{"all":true},"message":{"pushType":"background","priority":10,"default":{"payload":{}}}}"#,
                ["message.priority"]
            ),
            (#"{"audience":{"all":true},\#(message),"ratePerSecond":0}"#, ["ratePerSecond"]),
            (#"{"audience":{"all":true},\#(message),"start":{}}"#, ["start"]),
            (#"{"audience":{"all":true},\#(message),"start":{"at":"soon"}}"#, ["start.at"]),
            (
                #"{"audience":{"all":true},\#(message),"start":{"local":{"time":"9:00","fallbackZone":"Mars"}}}"#,
                ["start.local.time", "start.local.fallbackZone"]
            ),
            (
                #"{"audience":{"all":true},\#(message),"start":{"local":{"time":"2036-03-20T09:00","fallbackZone":"GMT+2"}}}"#,
                ["start.local.fallbackZone"]
            ),
            (#"{"audience":{"all":true},\#(message),"expiresAt":"2001-01-01T00:00:00Z"}"#, ["expiresAt"]),
            (#"{"audience":{"all":true},\#(message),"startPaused":1}"#, ["startPaused"]),
            (#"{"audience":{"all":true},\#(message),"colour":"red"}"#, ["colour"]),
        ]
    )
    func refused(body: String, fields: [String]) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 422)
            #expect(answer.fields == fields, "\(answer.text)")
            #expect(try await api.store.campaigns(of: TestAPI.app, after: nil, limit: 10).elements.isEmpty)
        }
    }

    @Test("a payload that can never fit is refused with its size")
    func tooLarge() async throws {
        try await withAPI { api async throws in
            let text = String(repeating: "x", count: 4100)
            let body = #"{"audience":{"all":true},"message":{"default":{"payload":{"a":"\#(text){{tags.x|}}"}}}}"#
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.code == "payload_too_large")
            #expect(answer.fields == ["message.default.payload"])
        }
    }

    @Test("an audience is counted without its dead devices")
    func estimate() async throws {
        try await withAPI { api async throws in
            try await api.register("one", token: 1, more: #","locale":"de-AT""#)
            try await api.register("two", token: 2, more: #","locale":"fr""#)
            let answer = try await api.call(.post, "\(Self.path):estimate", #"{"audience":{"locale":"de"}}"#)
            #expect(answer.status == 200)
            #expect(answer.json == ["count": 1])
            let bad = try await api.call(.post, "\(Self.path):estimate", #"{"audience":{"locale":7}}"#)
            #expect(bad.fields == ["audience.locale"])
        }
    }

    @Test(
        "a campaign is paused, resumed and cancelled, each as often as one likes, and then no more",
        arguments: TestStoreBackend.allCases
    )
    func steered(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let id = try await self.create(api)
            func steer(_ verb: String) async throws -> Answer {
                try await api.call(.post, "\(Self.path)/\(id):\(verb)")
            }
            for (verb, state) in [
                ("pause", "paused"), ("pause", "paused"), ("resume", "scheduled"), ("resume", "scheduled"),
                ("cancel", "cancelled"), ("cancel", "cancelled"),
            ] {
                let answer = try await steer(verb)
                #expect(answer.status == 200, "\(verb): \(answer.text)")
                #expect(answer.json["progress"]?["state"]?.text == state)
            }
            #expect(try await steer("resume").code == "campaign_completed")
            #expect(try await steer("pause").code == "campaign_completed")
        }
    }

    @Test("a campaign of another app, and one that is none, is not found")
    func unknown() async throws {
        try await withAPI { api async throws in
            let id = try await self.create(api)
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            for path in ["\(Self.path)/none", "/v1/apps/com.example.other/campaigns/\(id)"] {
                #expect(try await api.call(.get, path).code == "campaign_not_found")
                #expect(try await api.call(.get, "\(path)/progress").code == "campaign_not_found")
                #expect(try await api.call(.post, "\(path):pause").code == "campaign_not_found")
            }
        }
    }

    @Test("a key needs the scope to steer, and may only look with the scope to read")
    func scopes() async throws {
        try await withAPI { api async throws in
            let id = try await self.create(api)
            let reader = try await api.key(scopes: [.read]).text
            let sender = try await api.key(scopes: [.send]).text
            #expect(try await api.call(.get, "\(Self.path)/\(id)", key: reader).status == 200)
            #expect(try await api.call(.post, "\(Self.path)/\(id):cancel", key: reader).code == "insufficient_scope")
            #expect(try await api.call(.get, "\(Self.path)/\(id)", key: sender).code == "insufficient_scope")
            let steerer = try await api.key(scopes: [.campaigns]).text
            #expect(try await api.call(.post, "\(Self.path)/\(id):cancel", key: steerer).status == 200)
        }
    }

    @Test("a test is sent to the devices that are named, each with its own words")
    func tested() async throws {
        try await withAPI { api async throws in
            try await api.register("one", token: 1, more: #","tags":{"name":"Anna"},"userID":"anna""#)
            try await api.register("two", token: 2)
            let id = try await self.create(api, more: #","start":{"at":"2036-01-01T00:00:00Z"}"#)
            let answer = try await api.call(.post, "\(Self.path)/\(id):test", #"{"devices":["one","two","none"]}"#)
            #expect(answer.status == 202)
            #expect(answer.json["targetCount"] == 2)
            #expect(answer.json["skipped"]?["count"] == 1)
            #expect(answer.json["skipped"]?["devices"] == ["none"])
            let delivery = FakeDelivery(store: api.store)
            var texts: [String] = []
            while let claimed = try await delivery.claim(.urgent) {
                texts += (0..<claimed.batch.targets.count).map { claimed.batch.payload[$0].text }
                try await delivery.settle(claimed)
            }
            #expect(
                texts.sorted() == [
                    #"{"aps":{"alert":"Hello Anna"}}"#, #"{"aps":{"alert":"Hello there"}}"#,
                ]
            )
            let users = try await api.call(.post, "\(Self.path)/\(id):test", #"{"users":["anna"]}"#)
            #expect(users.json["targetCount"] == 1)
            #expect(users.json["skipped"] == nil)
            let some = try await api.call(.post, "\(Self.path)/\(id):test", #"{"users":["ben","anna"]}"#)
            #expect(some.json["targetCount"] == 1)
            #expect(some.json["skipped"]?["users"] == ["ben"])
            let none = try await api.call(.post, "\(Self.path)/\(id):test", #"{"users":["ben"]}"#)
            #expect(none.code == "no_reachable_targets")
            let both = try await api.call(.post, "\(Self.path)/\(id):test", #"{"users":["ben"],"devices":["one"]}"#)
            #expect(both.code == "invalid_request")
        }
    }

    @Test("a test that is waited for tells what became of each device, and who was skipped")
    func waitedTest() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        try await withAPI(setup) { api async throws in
            try await api.register("one", token: 1, more: #","tags":{"name":"Anna"},"userID":"anna""#)
            try await api.register("two", token: 2)
            let id = try await self.create(api, more: #","start":{"at":"2036-01-01T00:00:00Z"}"#)
            let delivery = FakeDelivery(store: api.store)
            let bad = try #require(try await api.store.device("two", of: TestAPI.app)).target
            async let batch = delivery.settleNext { _, target in
                target == bad ? .rejected(Rejection(.badDeviceToken)) : .delivered
            }
            let path = "\(Self.path)/\(id):test?wait=true"
            let answer = try await api.call(.post, path, #"{"devices":["one","two","none"]}"#)
            _ = try await batch
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["remaining"] == 0)
            #expect(answer.json["counts"]?["delivered"] == 1)
            #expect(answer.json["skipped"]?["devices"] == ["none"])
            let outcomes = answer.json["outcomes"]?.elements ?? []
            #expect(outcomes.map { $0["device"]?.text } == ["one", "two"])
            #expect(outcomes.map { $0["state"]?.text } == ["delivered", "rejected"])
            #expect(outcomes.compactMap { $0["reason"]?.text } == ["BadDeviceToken"])

            async let only = delivery.settleNext { _, _ in .delivered }
            let user = try await api.call(.post, path, #"{"users":["anna"]}"#)
            _ = try await only
            #expect(user.status == 200)
            #expect(user.json["outcomes"]?.elements.map { $0["user"]?.text } == ["anna"])
        }
    }

    @Test("a test tells for which devices the message cannot be made")
    func testFails() async throws {
        try await withAPI { api async throws in
            try await api.register("one", token: 1, more: #","userID":"anna""#)
            try await api.register("two", token: 2, more: #","tags":{"name":"Anna"},"userID":"anna""#)
            try await api.register("three", token: 3)
            let body = #"{"audience":{"all":true},"message":{"default":{"payload":{"a":"{{tags.name}}"}}}}"#
            let id = try #require(try await api.call(.post, Self.path, body).json["id"]?.text)
            let path = "\(Self.path)/\(id):test"
            let answer = try await api.call(.post, path, #"{"devices":["one","two","none","three"]}"#)
            #expect(answer.fields == ["devices[0]", "devices[3]"])
            #expect(answer.text.contains("missing_value for 'one'"))
            #expect(answer.text.contains("missing_value for 'three'"))
            let users = try await api.call(.post, path, #"{"users":["ben","anna"]}"#)
            #expect(users.fields == ["users[1]"])
            #expect(users.text.contains("missing_value for 'anna'"))
        }
    }

    @Test("progress is told once as JSON, and until the end as events")
    func progress() async throws {
        try await withAPI { api async throws in
            let id = try await self.create(api)
            let once = try await api.call(.get, "\(Self.path)/\(id)/progress")
            #expect(once.json["state"] == "scheduled")
            #expect(once.json["isCompleted"] == false)
            _ = try await api.call(.post, "\(Self.path)/\(id):cancel")
            let events = try await api.call(
                .get,
                "\(Self.path)/\(id)/progress",
                headers: [.accept: "text/event-stream"]
            )
            #expect(events.headers[.contentType] == "text/event-stream")
            #expect(events.text.hasPrefix("event: progress\ndata: {"))
            #expect(events.text.contains(#""state":"cancelled""#))
            #expect(events.text.hasSuffix("event: end\ndata: {}\n\n"))
        }
    }
}
