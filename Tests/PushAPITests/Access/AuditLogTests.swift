// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("The audit log", .timeLimit(.minutes(20)))
struct AuditLogTests {
    private static let path = "/v1/audit-log"

    private static func entries(_ api: TestAPI, _ query: String = "", key: String? = nil) async throws -> [JSONValue] {
        let answer = try await api.call(.get, self.path + query, key: key)
        #expect(answer.status == 200)
        return answer.json["entries"]?.elements ?? []
    }

    @Test("names the key, its address and the states of a change", arguments: TestStoreBackend.chosen)
    func entry(store: TestStoreBackend) async throws {
        var setup = TestSetup(store: store)
        setup.hasSocket = true
        try await withAPI(setup) { api async throws in
            let body = #"{"name":"backend","scopes":["send"],"expiresAt":"2030-01-01T00:00:00Z"}"#
            let created = try await api.call(.post, "/v1/keys", body)
            let id = try #require(created.json["id"]?.text)
            #expect(try await api.call(.delete, "/v1/keys/\(id)").status == 204)
            let entries = try await Self.entries(api, "?resource=\(id)")
            #expect(entries.map { $0["action"]?.text } == ["api_key.revoked", "api_key.created"])
            let entry = try #require(entries.last)
            #expect(entry["actor"]?["type"]?.text == "api_key")
            #expect(entry["actor"]?["id"]?.text == api.admin.id.rawValue)
            #expect(entry["actor"]?["name"]?.text == "test")
            #expect(entry["address"]?.text == "127.0.0.1")
            #expect(entry["time"]?.text == "2026-02-02T02:40:00.000Z")
            #expect(entry["before"] == nil)
            #expect(entry["after"]?["expiresAt"]?.text == "2030-01-01T00:00:00.000Z")
            #expect(entries.first?["before"]?["revokedAt"] == .null)
            let text = try await api.call(.get, Self.path).text
            #expect(!text.contains(try #require(created.json["key"]?.text)))
        }
    }

    @Test("has every change through the API with its caller, and no registration and no send")
    func callers() async throws {
        try await withAPI { api async throws in
            let app = "/v1/apps/\(TestAPI.app)"
            try await api.register("phone-1", token: 1)
            let send = #"{"targets":{"tokens":["ab"]},"payload":{}}"#
            #expect(try await api.call(.post, "\(app)/notifications", send).status == 202)
            let backend = try await api.key(scopes: [.devices])
            try await api.register("phone-2", token: 2)
            #expect(try await api.call(.delete, "\(app)/devices/phone-2", key: backend.text).status == 204)
            #expect(try await api.call(.delete, "\(app)/devices/phone-1").status == 204)
            let campaign = #"{"audience":{"all":true},"message":{"default":{"payload":{}}},"startPaused":true}"#
            for (method, path, body) in [
                (HTTPRequest.Method.post, "/v1/apps", #"{"id":"com.example.new","name":"New"}"#),
                (.put, "\(app)/topics/news", nil), (.delete, "\(app)/topics/news", nil),
                (.post, "\(app)/webhooks", #"{"url":"https://hooks.example.com/secret"}"#),
                (.post, "\(app)/campaigns", campaign), (.delete, "/v1/apps/com.example.new", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await api.call(method, path, body)
                #expect((200..<300).contains(answer.status), "\(method) \(path): \(answer.text)")
            }
            let entries = try await Self.entries(api)
            let own = entries.filter { $0["actor"]?["type"]?.text == "api_key" }
            let expected = [
                "device.deleted", "app.created", "topic.created", "topic.deleted", "webhook.created",
                "campaign.created", "app.deleted",
            ]
            #expect(own.reversed().map { $0["action"]?.text } == expected)
            #expect(own.allSatisfy { $0["actor"]?["id"]?.text == api.admin.id.rawValue })
            // The fixtures of the test.
            let others = entries.filter { $0["actor"]?["type"]?.text != "api_key" }
            #expect(Set(others.map { $0["action"]?.text }) == ["api_key.created", "app.created"])
        }
    }

    @Test("names the key that signed a request to the SNS endpoint")
    func sns() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            #expect(try await client.call("CreateTopic", ["Name": "news"]).status == 200)
            let entry = try #require(try await Self.entries(api, "?action=topic").first)
            #expect(entry["resource"]?.text == "news")
            let id = try #require(APIKeyID(accessKeyID: client.accessKeyID))
            #expect(entry["actor"]?["id"]?.text == id.rawValue)
        }
    }

    @Test("names the session of a browser that signed in to the console")
    func console() async throws {
        var setup = TestSetup()
        setup.configuration.console = .all
        let masterKey = try #require(setup.masterKey)
        try await withAPI(setup) { api async throws in
            let session = ConsoleSession(key: api.admin.id, startedAt: TestTime.start)
            let cookie = try #require(session.text(masterKey: masterKey))
            var headers: HTTPFields = [
                .cookie: "__Host-apus-console=\(cookie); apus-console=\(cookie)", .contentType: "application/json",
            ]
            for (name, value) in [("Sec-Fetch-Site", "same-origin"), ("X-Apus-Console", "1")] {
                headers[try #require(HTTPField.Name(name))] = value
            }
            let body = ByteBuffer(string: #"{"id":"com.example.new","name":"New"}"#)
            let answer = try await api.client.answer(to: .post, "/v1/apps", headers: headers, body: body)
            #expect(answer.status == 201)
            let entry = try #require(try await Self.entries(api, "?action=app.created").first)
            #expect(entry["actor"]?["type"]?.text == "console_session")
            #expect(entry["actor"]?["id"]?.text == api.admin.id.rawValue)
        }
    }

    @Test("shows a key that is bound to an app only the changes of that app")
    func bound() async throws {
        try await withAPI { api async throws in
            let app = "/v1/apps/\(TestAPI.app)"
            #expect(try await api.call(.post, "/v1/apps", #"{"id":"com.example.new","name":"New"}"#).status == 201)
            #expect(try await api.call(.put, "\(app)/topics/news").status == 201)
            let bound = try await api.key(scopes: [.admin], app: TestAPI.app)
            let seen = try await Self.entries(api, key: bound.text)
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { $0["app"]?.text == TestAPI.app.rawValue })
            let other = try await api.call(.get, "\(Self.path)?app=com.example.new", key: bound.text)
            #expect(other.code == "api_key_app_mismatch")
            let reader = try await api.key(scopes: [.read])
            #expect(try await api.call(.get, Self.path, key: reader.text).code == "insufficient_scope")
        }
    }

    @Test("is filtered and paged, and rejects unknown filters")
    func filters() async throws {
        try await withAPI { api async throws in
            for number in 1...3 {
                #expect(try await api.call(.put, "/v1/apps/\(TestAPI.app)/topics/t\(number)").status == 201)
            }
            let first = try await api.call(.get, "\(Self.path)?action=topic.created&limit=2")
            #expect(first.json["entries"]?.elements.map { $0["resource"]?.text } == ["t3", "t2"])
            let cursor = try #require(first.json["nextCursor"]?.text)
            let second = try await Self.entries(api, "?action=topic.created&limit=2&cursor=\(cursor)")
            #expect(second.map { $0["resource"]?.text } == ["t1"])
            #expect(try await Self.entries(api, "?from=2026-01-01T00:00:00Z").isEmpty == false)
            #expect(try await Self.entries(api, "?actor=\(api.admin.id)&until=2026-01-01T00:00:00Z").isEmpty)
            let unknown = [
                "action=topic.eaten", "action=", "from=yesterday", "app=%20", "cursor=x", "actor=", "other=1",
            ]
            for query in unknown {
                #expect(try await api.call(.get, "\(Self.path)?\(query)").status == 422, "\(query)")
            }
        }
    }
}
