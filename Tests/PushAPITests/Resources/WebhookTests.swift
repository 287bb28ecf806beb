// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import Synchronization
import Testing

@Suite("Webhooks", .timeLimit(.minutes(20)))
struct WebhookTests {
    private static let path = "/v1/apps/\(TestAPI.app)/webhooks"
    private static let body = #"{"url":"https://hooks.example.com/apus","eventTypes":["device.invalidated"]}"#

    @Test("one is created with a secret that is told once, listed, shown and deleted")
    func life() async throws {
        try await withAPI { api async throws in
            let created = try await api.call(.post, Self.path, Self.body)
            #expect(created.status == 201)
            let id = try #require(created.json["id"]?.text)
            let secret = try #require(created.json["secret"]?.text)
            #expect(secret.hasPrefix("whsec_"))
            #expect(created.headers[.location] == "\(Self.path)/\(id)")
            let shown = try await api.call(.get, "\(Self.path)/\(id)")
            #expect(shown.json["state"] == "active")
            #expect(shown.json["eventTypes"] == ["device.invalidated"])
            #expect(shown.json["secret"] == nil)
            let list = try await api.call(.get, Self.path)
            #expect(list.json["webhooks"] == .array([shown.json]))
            #expect(!api.logs.entries.contains { "\($0)".contains(secret) })
            #expect(try await api.call(.get, "\(Self.path)/\(id)/deliveries").json["deliveries"] == [])
            #expect(try await api.call(.delete, "\(Self.path)/\(id)").status == 204)
            #expect(try await api.call(.get, "\(Self.path)/\(id)").code == "webhook_not_found")
            #expect(try await api.call(.delete, "\(Self.path)/\(id)").code == "webhook_not_found")
        }
    }

    @Test("it begins with what happens after its creation")
    func beginning() async throws {
        try await withAPI { api async throws in
            try await api.append(0..<3)
            let cursor = try await api.call(.get, "/v1/apps/\(TestAPI.app)/events").json["cursor"]
            #expect(try await api.call(.post, Self.path, Self.body).json["cursor"] == cursor)
        }
    }

    @Test("it is changed, paused, activated and enabled")
    func changes() async throws {
        try await withAPI { api async throws in
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            let single = "\(Self.path)/\(id)"
            let patch = #"{"url":"https://other.example.com","allEventTypes":true,"state":"paused"}"#
            let paused = try await api.call(.patch, single, patch)
            #expect(paused.json["url"] == "https://other.example.com")
            #expect(paused.json["eventTypes"] == nil)
            #expect(paused.json["state"] == "paused")
            #expect(try await api.call(.post, "\(single):enable").json["state"] == "active")
            #expect(try await api.call(.patch, single, #"{"state":"paused"}"#).json["state"] == "paused")
            #expect(try await api.call(.patch, single, #"{"state":"active"}"#).json["state"] == "active")
            #expect(try await api.call(.get, "\(single):enable").code == "method_not_allowed")
            #expect(try await api.call(.get, "\(single):enable").headers[.allow] == "POST")
            #expect(try await api.call(.post, "\(single):other").code == "method_not_allowed")
        }
    }

    @Test(
        "what is no receiver, no kind or no change is refused",
        arguments: [
            (#"{}"#, "url"), (#"{"url":"http://hooks.example.com"}"#, "url"), (#"{"url":"ftp://example.com"}"#, "url"),
            (#"{"url":"https://"}"#, "url"), (#"{"url":"https://user@example.com"}"#, "url"),
            (#"{"url":"https://example.com/#a"}"#, "url"), (#"{"url":"https://example.com:0"}"#, "url"),
            (#"{"url":"https://exa mple.com"}"#, "url"), (#"{"url":"https://example.com\\@127.0.0.1/"}"#, "url"),
            (#"{"url":"https://example.com","eventTypes":[]}"#, "eventTypes"),
            (#"{"url":"https://example.com","eventTypes":["A"]}"#, "eventTypes[0]"),
            (#"{"url":"https://example.com","eventTypes":["device.suspected","device.suspect"]}"#, "eventTypes[1]"),
            (#"{"url":"https://example.com","eventTypes":["webhook.test"]}"#, "eventTypes[0]"),
            (#"{"url":"https://example.com","secret":"x"}"#, "secret"),
        ]
    )
    func badRequests(body: String, field: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 422)
            #expect(answer.fields == [field])
            #expect(try await api.store.webhooks(of: TestAPI.app).isEmpty)
        }
    }

    @Test(
        "a change of nothing, and one that contradicts itself, are refused",
        arguments: [
            "{}", #"{"eventTypes":["device.suspected"],"allEventTypes":true}"#, #"{"eventTypes":["device.suspect"]}"#,
        ]
    )
    func badChanges(body: String) async throws {
        try await withAPI { api async throws in
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            #expect(try await api.call(.patch, "\(Self.path)/\(id)", body).status == 422)
        }
    }

    @Test("every kind of the feed is taken, and the one of a webhook that is there for jobs alone")
    func kinds() async throws {
        try await withAPI { api async throws in
            let kinds = (EventType.known + [.jobTriggered]).map { "\"\($0)\"" }.joined(separator: ",")
            let body = #"{"url":"https://hooks.example.com/apus","eventTypes":[\#(kinds)]}"#
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.status == 201)
            #expect(answer.json["eventTypes"]?.elements.count == EventType.known.count + 1)
        }
    }

    @Test("http is taken where the server allows it")
    func insecure() async throws {
        var setup = TestSetup()
        setup.configuration.allowsInsecureWebhooks = true
        try await withAPI(setup) { api async throws in
            let answer = try await api.call(.post, Self.path, #"{"url":"http://hooks.example.com:8080/a"}"#)
            #expect(answer.status == 201)
        }
    }

    @Test(
        "a private address is refused with the key that allows it, and taken where the server allows it",
        arguments: [
            "https://127.0.0.1/", "https://10.0.0.7:8443/a", "https://169.254.169.254/", "https://[::1]/",
            "https://168.63.129.16/", "https://[::ffff:10.0.0.1]/", "https://[fe80::1]/", "https://2130706433/",
        ]
    )
    func privateAddress(url: String) async throws {
        let body = #"{"url":"\#(url)"}"#
        try await withAPI { api async throws in
            let refused = try await api.call(.post, Self.path, body)
            #expect(refused.status == 422)
            #expect(refused.fields == ["url"])
            #expect(refused.text.contains("webhooks.allowPrivateNetworks"))
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            let changed = try await api.call(.patch, "\(Self.path)/\(id)", body)
            #expect(changed.status == 422)
            #expect(changed.fields == ["url"])
            #expect(try await api.store.webhooks(of: TestAPI.app).map(\.url.host) == ["hooks.example.com"])
        }
        var setup = TestSetup()
        setup.configuration.allowsPrivateNetworks = true
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.post, Self.path, body).status == 201)
        }
    }

    @Test("a private address by http is refused for both reasons, and a name is not resolved")
    func privateName() async throws {
        try await withAPI { api async throws in
            let refused = try await api.call(.post, Self.path, #"{"url":"http://192.168.0.1/"}"#)
            #expect(refused.json["errorCount"] == 2)
            #expect(try await api.call(.post, Self.path, #"{"url":"https://localhost/"}"#).status == 201)
        }
    }

    @Test("without a master key none is created")
    func noMasterKey() async throws {
        var setup = TestSetup()
        setup.masterKey = nil
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.post, Self.path, Self.body).code == "master_key_missing")
        }
    }

    @Test("an app has at most 20")
    func limit() async throws {
        try await withAPI { api async throws in
            for _ in 0..<20 { #expect(try await api.call(.post, Self.path, Self.body).status == 201) }
            #expect(try await api.call(.post, Self.path, Self.body).code == "too_many_webhooks")
        }
    }

    @Test("the webhook of another app is not found")
    func otherApp() async throws {
        try await withAPI { api async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            let other = "/v1/apps/com.example.other/webhooks/\(id)"
            #expect(try await api.call(.get, other).code == "webhook_not_found")
            #expect(try await api.call(.delete, other).code == "webhook_not_found")
            #expect(try await api.call(.post, "\(other):test").code == "webhook_not_found")
            #expect(try await api.call(.get, "\(Self.path)/\(id)").status == 200)
        }
    }

    @Test("a test tells what the receiver said, and without a tester that nothing was posted")
    func test() async throws {
        var setup = TestSetup()
        setup.tester = FixedTester(answer: WebhookAttemptResult(status: 502, excerpt: "no", duration: .milliseconds(7)))
        try await withAPI(setup) { api async throws in
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            let answer = try await api.call(.post, "\(Self.path)/\(id):test")
            #expect(answer.json == ["success": false, "status": 502, "bodyExcerpt": "no", "durationMilliseconds": 7])
        }
        try await withAPI { api async throws in
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            let answer = try await api.call(.post, "\(Self.path)/\(id):test")
            #expect(answer.json["error"] == "unavailable")
        }
    }

    @Test("a duration of more milliseconds than a number holds is told as the greatest number")
    func longTest() async throws {
        var setup = TestSetup()
        setup.tester = FixedTester(answer: WebhookAttemptResult(status: 200, duration: .seconds(Int64.max)))
        try await withAPI(setup) { api async throws in
            let id = try #require(try await api.call(.post, Self.path, Self.body).json["id"]?.text)
            let answer = try await api.call(.post, "\(Self.path)/\(id):test")
            #expect(answer.text.contains("\"durationMilliseconds\":\(Int.max)"))
        }
    }

    @Test("the last requests are listed with their answers")
    func deliveries() async throws {
        try await withAPI { api async throws in
            let created = try await api.call(.post, Self.path, Self.body)
            let id = try #require(created.json["id"]?.text.flatMap(WebhookID.init(rawValue:)))
            try await api.append([1])
            _ = try await api.store.claimWebhooks(
                limit: 1,
                worker: "w",
                leaseDuration: .seconds(60),
                now: TestTime.start
            )
            let end = try await api.store.latestEvent(of: TestAPI.app)
            let delivery = WebhookDeliveryAttempt(
                message: "msg_1",
                time: TestTime.start,
                first: end,
                last: end,
                count: 1,
                attempt: 1,
                response: WebhookAttemptResult(failure: .tls, excerpt: "expired", duration: .seconds(1))
            )
            let settlement = WebhookDeliveryUpdate(
                webhook: id,
                worker: "w",
                result: .advanced(to: end),
                delivery: delivery
            )
            _ = try await api.store.settleWebhook(settlement, now: TestTime.start)
            let answer = try await api.call(.get, "\(Self.path)/\(id)/deliveries")
            let listed = try #require(answer.json["deliveries"]?.elements.first)
            #expect(listed["id"] == "msg_1")
            #expect(
                listed["response"]
                    == ["success": false, "error": "tls", "bodyExcerpt": "expired", "durationMilliseconds": 1000]
            )
        }
    }
}

/// Posts nothing, and says what it was told.
struct FixedTester: WebhookTester {
    let answer: WebhookAttemptResult

    func test(_ webhook: Webhook) async -> WebhookAttemptResult { self.answer }
}
