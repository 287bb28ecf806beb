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

@Suite("Topics", .timeLimit(.minutes(20)))
struct TopicTests {
    private static let path = "/v1/apps/\(TestAPI.app)/topics"

    @Test("are made, shown, changed, listed by pages and deleted", arguments: TestStoreBackend.allCases)
    func life(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let made = try await api.call(
                .put,
                "\(Self.path)/news",
                #"{"displayName":"寿司","tags":{"team":"a","empty":""}}"#
            )
            #expect(made.status == 201, "\(made.text)")
            #expect(made.headers[.location] == "\(Self.path)/news")
            #expect(made.json["displayName"] == "寿司")
            #expect(made.json["tags"] == ["team": "a", "empty": ""])
            let again = try await api.call(.put, "\(Self.path)/news")
            #expect(again.status == 200, "\(again.text)")
            #expect(again.json["displayName"] == nil)
            #expect(again.json["tags"] == [:])
            #expect(again.json["createdAt"] == made.json["createdAt"])
            for name in ["alpha", "zulu"] { #expect(try await api.call(.put, "\(Self.path)/\(name)").status == 201) }
            let first = try await api.call(.get, "\(Self.path)?limit=2")
            #expect(first.json["topics"]?.elements.compactMap { $0["name"]?.text } == ["alpha", "news"])
            let second = try await api.call(.get, "\(Self.path)?limit=2&cursor=\(first.json["nextCursor"]?.text ?? "")")
            #expect(second.json["topics"]?.elements.compactMap { $0["name"]?.text } == ["zulu"])
            #expect(second.json["nextCursor"] == nil)
            #expect(try await api.call(.get, "\(Self.path)/news").json["subscriptions"] == ["count": 0])
            #expect(try await api.call(.delete, "\(Self.path)/news").status == 204)
            for method in [HTTPRequest.Method.get, .delete] {
                #expect(try await api.call(method, "\(Self.path)/news").code == "topic_not_found")
            }
        }
    }

    @Test(
        "have devices and users subscribed, once each, with the filter that was told last",
        arguments: TestStoreBackend.allCases
    )
    func subscribing(on store: TestStoreBackend) async throws {
        let setup = TestSetup(store: store)
        try await withAPI(setup) { api async throws in
            try await api.register("phone", token: 1)
            try await api.call(.put, "\(Self.path)/news")
            let list = "\(Self.path)/news/subscriptions"
            let made = try await api.call(.post, list, #"{"device":"phone","filter":{"kind":["goal"]}}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.json["device"] == "phone")
            #expect(made.json["filter"] == ["kind": ["goal"]])
            #expect(made.json["filterScope"] == "attributes")
            let location = try #require(made.headers[.location])
            #expect(try await api.call(.get, location).json == made.json)
            let changed = try await api.call(
                .post,
                list,
                #"{"device":"phone","filter":{"kind":["card"]},"filterScope":"payload"}"#
            )
            #expect(changed.status == 200)
            #expect(changed.json["id"] == made.json["id"])
            #expect(changed.json["filterScope"] == "payload")
            let all = try await api.call(.post, list, #"{"device":"phone","filter":{}}"#)
            #expect(all.json["filter"] == nil)
            setup.time.advance(by: 1)
            let user = try await api.call(.post, list, #"{"user":"anna"}"#)
            #expect(user.status == 201)
            #expect(try await api.call(.get, "\(Self.path)/news").json["subscriptions"] == ["count": 2])
            let page = try await api.call(.get, "\(list)?limit=1")
            #expect(page.json["subscriptions"]?.elements.compactMap { $0["device"]?.text } == ["phone"])
            let rest = try await api.call(.get, "\(list)?cursor=\(page.json["nextCursor"]?.text ?? "")")
            #expect(rest.json["subscriptions"]?.elements.compactMap { $0["user"]?.text } == ["anna"])
            let everywhere = try await api.call(.get, "/v1/apps/\(TestAPI.app)/subscriptions")
            #expect(everywhere.json["subscriptions"]?.elements.count == 2)
            #expect(try await api.call(.delete, location).status == 204)
            #expect(try await api.call(.delete, location).code == "subscription_not_found")
            #expect(try await api.call(.delete, "/v1/apps/\(TestAPI.app)/devices/phone").status == 204)
            #expect(try await api.call(.post, list, #"{"device":"phone"}"#).code == "device_not_found")
        }
    }

    @Test(
        "are refused with the field that is wrong",
        arguments: [
            ("{}", ""), (#"{"device":"a","user":"b"}"#, ""), (#"{"device":1}"#, "device"),
            (#"{"user":""}"#, "user"), (#"{"user":"a","filter":[]}"#, "filter"),
            (#"{"user":"a","filter":{"a":"b"}}"#, "filter"), (#"{"user":"a","filter":{"a":[{"like":"b"}]}}"#, "filter"),
            (#"{"user":"a","filterScope":"payload"}"#, "filterScope"),
            (#"{"user":"a","filter":{},"filterScope":"body"}"#, "filterScope"), (#"{"user":"a","x":1}"#, "x"),
        ]
    )
    func bad(body: String, field: String) async throws {
        try await withAPI { api async throws in
            try await api.call(.put, "\(Self.path)/news")
            let answer = try await api.call(.post, "\(Self.path)/news/subscriptions", body)
            #expect(answer.code == "invalid_request", "\(answer.text)")
            #expect(answer.fields.contains(field.isEmpty ? "body" : field), "\(answer.text)")
            let found = try await api.store.subscriptions(to: nil, of: nil, after: nil, limit: 10)
            #expect(found.elements == [])
        }
    }

    @Test("have names, tags and names to show that keep the rules")
    func names() async throws {
        try await withAPI { api async throws in
            for name in ["a%20b", "a.b", String(repeating: "a", count: 257), "%E5%AF%BF"] {
                let answer = try await api.call(.put, "\(Self.path)/\(name)")
                #expect(answer.fields == ["path.topic"], "\(answer.text)")
            }
            #expect(try await api.call(.put, "\(Self.path)/a.fifo").status == 201)
            let tags = (0..<51).map { "\"\($0)\":\"x\"" }.joined(separator: ",")
            for (body, field) in [
                ("{\"tags\":{\(tags)}}", "tags"), (#"{"displayName":""}"#, "displayName"),
                (#"{"tags":{"a":1}}"#, "tags.a"),
                (#"{"other":1}"#, "other"),
            ] {
                #expect(try await api.call(.put, "\(Self.path)/news", body).fields == [field])
            }
            #expect(try await api.call(.get, "\(Self.path)/news").code == "topic_not_found")
        }
    }

    @Test("belong to all apps, each of which sees its own subscribers, and keys of one app change none of others")
    func apps() async throws {
        try await withAPI { api async throws in
            let other: AppID = "com.example.other"
            try await api.store.createApp(App(id: other, createdAt: TestTime.start))
            let bound = try await api.key(scopes: [.devices], app: TestAPI.app).text
            let path = "\(Self.path)/news"
            #expect(try await api.call(.put, path, #"{"displayName":"a"}"#, key: bound).status == 201)
            #expect(try await api.call(.put, path, #"{"displayName":"b"}"#, key: bound).status == 200)
            let shared = "/v1/apps/\(other)/topics/news"
            #expect(try await api.call(.get, shared).code == "topic_not_found")
            #expect(try await api.call(.put, shared, #"{"displayName":"b"}"#).status == 201)
            #expect(try await api.call(.post, "\(shared)/subscriptions", #"{"user":"ben"}"#).status == 201)
            let refused = try await api.call(.put, path, #"{"displayName":"c"}"#, key: bound)
            #expect(refused.code == "topic_shared_with_other_apps")
            #expect(try await api.call(.put, path, #"{"displayName":"b"}"#, key: bound).status == 200)
            #expect(try await api.call(.get, path).json["subscriptions"] == ["count": 0])
            #expect(try await api.call(.delete, path, key: bound).status == 204)
            #expect(try await api.call(.get, shared).json["subscriptions"] == ["count": 1])
            #expect(try await api.call(.get, shared, key: bound).code == "api_key_app_mismatch")
        }
    }
}
