// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Quarantine over HTTP", .timeLimit(.minutes(20)))
struct QuarantineTests {
    private static let path = "/v1/quarantine"
    private static let app = "/v1/apps/\(TestAPI.app)"
    private static let uuid = "019c2a1e-55c0-7a3b-9d8e-4f2a6b7c8d9e"

    /// A store that cannot cancel campaigns.
    private struct FailingCampaignStore: StoreDecorator {
        let base: any PushStore & SQLBacked

        func cancelCampaign(_ id: CampaignID, now: Date) async throws -> CampaignStatus? {
            throw StoreError(code: .unavailable, message: "the connection broke")
        }
    }

    /// Creates a paused campaign, as the quarantine leaves it.
    private static func pausedCampaign(_ api: TestAPI) async throws -> String {
        let message = #""message":{"default":{"notification":{"body":"Hello"}}}"#
        let created = try await api.call(.post, "\(Self.app)/campaigns", #"{"audience":{"all":true},\#(message)}"#)
        let id = try #require(created.json["id"]?.text)
        #expect(try await api.call(.post, "\(Self.app)/campaigns/\(id):pause").status == 200)
        return id
    }

    private static func numbers(_ answer: Answer) -> [Int] {
        answer.json["items"]?.elements.compactMap { $0["number"]?.number } ?? []
    }

    @Test("the list has every item, the latest first, in pages and by app and kind")
    func list() async throws {
        try await withAPIAndDatabase { api, database async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            #expect(try await api.call(.get, Self.path).json == ["items": []])
            let webhook = try await database.quarantine(.webhook, "wh_1")
            let other = try await database.quarantine(.webhook, "wh_2", app: "com.example.other")
            let delivery = try await database.quarantine(.topicDelivery, "7", app: nil)
            let campaign = try await database.quarantine(.campaign, Self.uuid, reason: .unreadable)

            let all = try await api.call(.get, Self.path)
            #expect(Self.numbers(all) == [campaign, delivery, other, webhook])
            #expect(all.json["nextCursor"] == nil)
            let first: JSONValue = [
                "number": .integer(Int64(campaign)), "type": "campaign", "item": .string(Self.uuid),
                "app": .string(TestAPI.app.rawValue), "reason": "unreadable", "time": "2026-02-02T02:40:00.000Z",
            ]
            #expect(all.json["items"]?.elements.first == first)
            #expect(all.json["items"]?.elements[1]["app"] == nil)

            let page = try await api.call(.get, "\(Self.path)?limit=3")
            #expect(Self.numbers(page) == [campaign, delivery, other])
            let next = try #require(page.json["nextCursor"]?.text)
            let last = try await api.call(.get, "\(Self.path)?limit=3&cursor=\(next)")
            #expect(Self.numbers(last) == [webhook])
            #expect(last.json["nextCursor"] == nil)

            #expect(Self.numbers(try await api.call(.get, "\(Self.path)?type=webhook")) == [other, webhook])
            let ofApp = try await api.call(.get, "\(Self.path)?app=\(TestAPI.app)")
            #expect(Self.numbers(ofApp) == [campaign, webhook])
            let both = try await api.call(.get, "\(Self.path)?app=com.example.other&type=webhook")
            #expect(Self.numbers(both) == [other])
            #expect(Self.numbers(try await api.call(.get, "\(Self.path)?app=com.example.none")) == [])
        }
    }

    @Test(
        "a wrong parameter is named",
        arguments: [
            ("app=a%20b", "query.app"), ("type=none", "query.type"), ("cursor=x", "query.cursor"),
            ("limit=0", "query.limit"), ("page=2", "query.page"),
        ]
    )
    func badParameters(query: String, field: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.get, "\(Self.path)?\(query)")
            #expect(answer.status == 422)
            #expect(answer.fields == [field])
        }
    }

    @Test("a key that is bound to an app lists, repeats and removes items of that app only")
    func bound() async throws {
        try await withAPIAndDatabase { api, database async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let own = try await database.quarantine(.topicDelivery, "1")
            let others = [
                try await database.quarantine(.topicDelivery, "2", app: "com.example.other"),
                try await database.quarantine(.topicDelivery, "3", app: nil),
            ]
            let reader = try await api.key(scopes: [.read], app: TestAPI.app).text
            #expect(Self.numbers(try await api.call(.get, Self.path, key: reader)) == [own])
            let named = try await api.call(.get, "\(Self.path)?app=\(TestAPI.app)", key: reader)
            #expect(Self.numbers(named) == [own])
            let other = try await api.call(.get, "\(Self.path)?app=com.example.other", key: reader)
            #expect(other.code == "api_key_app_mismatch")
            #expect(try await api.call(.delete, "\(Self.path)/\(own)", key: reader).code == "insufficient_scope")

            let admin = try await api.key(scopes: [.admin], app: TestAPI.app).text
            for number in others {
                let repeated = try await api.call(.post, "\(Self.path)/\(number):repeat", key: admin)
                #expect(repeated.code == "quarantined_item_not_found")
                let removed = try await api.call(.delete, "\(Self.path)/\(number)", key: admin)
                #expect(removed.code == "quarantined_item_not_found")
            }
            #expect(try await api.call(.post, "\(Self.path)/\(own):repeat", key: admin).status == 200)
            #expect(Self.numbers(try await api.call(.get, Self.path)).count == 2)
        }
    }

    @Test(
        "an item is repeated or removed once",
        arguments: [
            (WorkKind.rollout, Self.uuid), (WorkKind.jobRun, Self.uuid), (WorkKind.topicDelivery, "7"),
            (WorkKind.endpointEvent, "7"),
        ]
    )
    func once(kind: WorkKind, item: String) async throws {
        try await withAPIAndDatabase { api, database async throws in
            let number = try await database.quarantine(kind, item)
            let repeated = try await api.call(.post, "\(Self.path)/\(number):repeat")
            #expect(repeated.status == 200)
            #expect(repeated.json["type"]?.text == kind.rawValue)
            #expect(repeated.json["item"]?.text == item)
            let again = try await api.call(.post, "\(Self.path)/\(number):repeat")
            #expect(again.code == "quarantined_item_not_found")

            let next = try await database.quarantine(kind, item)
            #expect(try await api.call(.delete, "\(Self.path)/\(next)").status == 204)
            #expect(try await api.call(.delete, "\(Self.path)/\(next)").code == "quarantined_item_not_found")
            #expect(try await api.call(.get, Self.path).json == ["items": []])
            #expect(try await api.call(.delete, "\(Self.path)/none").code == "quarantined_item_not_found")
        }
    }

    @Test("repeating a campaign resumes it, and removing one cancels it")
    func campaign() async throws {
        try await withAPIAndDatabase { api, database async throws in
            let id = try await Self.pausedCampaign(api)
            func state() async throws -> String? {
                try await api.call(.get, "\(Self.app)/campaigns/\(id)/progress").json["state"]?.text
            }
            let first = try await database.quarantine(.campaign, id)
            #expect(try await api.call(.post, "\(Self.path)/\(first):repeat").status == 200)
            #expect(try await state() == "scheduled")
            let second = try await database.quarantine(.campaign, id)
            #expect(try await api.call(.delete, "\(Self.path)/\(second)").status == 204)
            #expect(try await state() == "cancelled")
            // One that is gone, or whose ID cannot be read, is only removed from the list.
            for item in [Self.uuid, "none"] {
                let number = try await database.quarantine(.campaign, item, reason: .unreadable)
                #expect(try await api.call(.delete, "\(Self.path)/\(number)").status == 204)
            }
        }
    }

    @Test("removing a rollout stops it")
    func rollout() async throws {
        try await withAPIAndDatabase { api, database async throws in
            let content = #""attributesType":"Match","attributes":{},"contentState":{"n":1}"#
            let alert = #""alert":{"title":"Match","body":"Kick-off"}"#
            let body = #"{"id":"final",\#(content),\#(alert),"audience":{"all":true}}"#
            let started = try await api.call(.post, "\(Self.app)/activities", body)
            let id = try #require(started.json["rollout"]?["id"]?.text, "\(started.text)")
            let number = try await database.quarantine(.rollout, id)
            #expect(try await api.call(.delete, "\(Self.path)/\(number)").status == 204)
            let rollouts = try await api.call(.get, "\(Self.app)/activities/final").json["rollouts"]?.elements
            #expect(rollouts?.first?["state"] == "stopped")
            #expect(rollouts?.first?["reason"] == "removed from quarantine")
        }
    }

    @Test("repeating a webhook enables it")
    func webhook() async throws {
        try await withAPIAndDatabase { api, database async throws in
            let created = try await api.call(.post, "\(Self.app)/webhooks", #"{"url":"https://hooks.example.com"}"#)
            let id = try #require(created.json["id"]?.text)
            let single = "\(Self.app)/webhooks/\(id)"
            #expect(try await api.call(.patch, single, #"{"state":"paused"}"#).json["state"] == "paused")
            let number = try await database.quarantine(.webhook, id)
            #expect(try await api.call(.post, "\(Self.path)/\(number):repeat").status == 200)
            #expect(try await api.call(.get, single).json["state"] == "active")
        }
    }

    @Test("repeating a batch is rejected with the notification to send again, and its entry can be removed")
    func batch() async throws {
        try await withAPIAndDatabase { api, database async throws in
            let body = #"{"targets":{"tokens":["\#(TestToken.hex(1))"]},"payload":{"n":1}}"#
            let sent = try await api.call(.post, "\(Self.app)/notifications", body)
            let notification = try #require(sent.json["id"]?.text)
            let claimed = try #require(try await FakeDelivery(store: api.store).claim(.urgent))
            let number = try await database.quarantine(.batch, claimed.batch.id.description)
            let repeated = try await api.call(.post, "\(Self.path)/\(number):repeat")
            #expect(repeated.status == 409)
            #expect(repeated.code == "batch_not_repeatable")
            #expect(repeated.json["detail"]?.text?.contains(notification) == true)
            #expect(Self.numbers(try await api.call(.get, Self.path)) == [number])
            #expect(try await api.call(.delete, "\(Self.path)/\(number)").status == 204)
            let unknown = try await database.quarantine(.batch, "none")
            #expect(try await api.call(.post, "\(Self.path)/\(unknown):repeat").code == "batch_not_repeatable")
        }
    }

    @Test("an item stays in the list if the store fails before it is removed")
    func failure() async throws {
        var setup = TestSetup()
        setup.wrap = { FailingCampaignStore(base: $0) }
        try await withAPIAndDatabase(setup) { api, database async throws in
            let id = try await Self.pausedCampaign(api)
            let number = try await database.quarantine(.campaign, id)
            #expect(try await api.call(.delete, "\(Self.path)/\(number)").code == "store_unavailable")
            #expect(Self.numbers(try await api.call(.get, Self.path)) == [number])
        }
    }
}
