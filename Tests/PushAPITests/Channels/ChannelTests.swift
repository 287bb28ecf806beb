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

@Suite("Broadcast channels", .timeLimit(.minutes(20)))
struct ChannelTests {
    private static let path = "/v1/apps/\(TestAPI.app)/channels"

    @Test("are made, shown, listed and deleted as the document says", arguments: TestStoreBackend.allCases)
    func life(on store: TestStoreBackend) async throws {
        let shelf = ChannelShelf()
        try await withAPI(TestSetup(store: store, channels: shelf)) { api async throws in
            let made = try await api.call(.post, Self.path, #"{"name":"the final"}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.headers[.location] == "\(Self.path)/the%20final")
            #expect(made.json["environment"] == "sandbox")
            #expect(made.json["messageStoragePolicy"] == "most_recent")
            #expect(made.json["existsAtAPNs"] == true)
            let shown = try await api.call(.get, "\(Self.path)/the%20final")
            #expect(shown.json["id"] == made.json["id"])
            #expect(shown.json["existsAtAPNs"] == nil)
            shelf.add(try APNsChannelID("Zm9yZWlnbg=="), .noMessage, in: .production)
            let production = try await api.call(.get, "\(Self.path)?environment=production")
            #expect(production.json["channels"] == [])
            #expect(production.json["unmanaged"] == ["Zm9yZWlnbg=="])
            let adopted = try await api.call(
                .post,
                Self.path,
                #"{"name":"adopted","environment":"production","id":"Zm9yZWlnbg==","messageStoragePolicy":"none"}"#
            )
            #expect(adopted.status == 201, "\(adopted.text)")
            let listed = try await api.call(.get, Self.path)
            #expect(listed.json["channels"]?.elements.compactMap { $0["name"]?.text } == ["the final"])
            #expect(listed.json["unmanaged"] == [])
            #expect(try await api.call(.delete, "\(Self.path)/the%20final").status == 204)
            #expect(try await api.call(.delete, "\(Self.path)/the%20final").code == "channel_not_found")
            #expect(try await shelf.list(for: TestAPI.app, in: .sandbox) == [])
        }
    }

    @Test(
        "are refused with the field that is wrong",
        arguments: [
            ("{}", "name"), (#"{"name":""}"#, "name"), (#"{"name":"a","environment":"test"}"#, "environment"),
            (#"{"name":"a","messageStoragePolicy":"all"}"#, "messageStoragePolicy"), (#"{"name":"a","id":"?"}"#, "id"),
            (#"{"name":"a","id":"Zm9yZWlnbg==","messageStoragePolicy":"most_recent"}"#, "messageStoragePolicy"),
        ]
    )
    func bad(body: String, field: String) async throws {
        let shelf = ChannelShelf()
        shelf.add(try APNsChannelID("Zm9yZWlnbg=="), .noMessage, in: .sandbox)
        try await withAPI(TestSetup(channels: shelf)) { api async throws in
            let answer = try await api.call(.post, Self.path, body)
            #expect(answer.code == "invalid_request")
            #expect(answer.json["errors"]?.elements.compactMap { $0["field"]?.text } == [field])
            #expect(try await api.store.channels(of: TestAPI.app, in: .sandbox) == [])
            for query in ["environment=none", "name=a"] {
                #expect(try await api.call(.get, "\(Self.path)?\(query)").code == "invalid_request")
            }
            #expect(try await api.call(.get, "\(Self.path)/a?verify=1").code == "invalid_request")
        }
    }

    @Test("that APNs has dropped take no activity until they are made anew", arguments: TestStoreBackend.allCases)
    func dropped(on store: TestStoreBackend) async throws {
        let shelf = ChannelShelf()
        try await withAPI(TestSetup(store: store, channels: shelf)) { api async throws in
            let activities = "/v1/apps/\(TestAPI.app)/activities"
            func begin(_ name: String) async throws -> Answer {
                let body = #"{"id":"\#(name)","attributesType":"Match","contentState":{"n":0},"channel":"final"}"#
                return try await api.call(.post, activities, body)
            }
            let made = try await api.call(.post, Self.path, #"{"name":"final"}"#)
            #expect(try await begin("a").status == 201)
            try await shelf.delete(
                try APNsChannelID(try #require(made.json["id"]?.text)),
                for: TestAPI.app,
                in: .sandbox
            )
            let refused = try await begin("b")
            #expect(refused.status == 409)
            #expect(refused.code == "channel_deleted")
            // What APNs does not say keeps nobody from beginning.
            shelf.fail(.unreachable)
            #expect(try await begin("c").status == 201)
            #expect(try await api.call(.delete, "\(Self.path)/final").code == "channel_in_use")
            for name in ["a", "c"] {
                #expect(try await api.call(.patch, "\(activities)/\(name)", #"{"end":{}}"#).status == 202)
            }
            #expect(try await api.call(.delete, "\(Self.path)/final").status == 204)
            let anew = try await api.call(.post, Self.path, #"{"name":"final"}"#)
            #expect(anew.status == 201)
            #expect(anew.json["id"] != made.json["id"])
            #expect(try await begin("d").status == 201)
        }
    }

    @Test(
        "come to the problem that tells what APNs did, and keep what it may have done",
        arguments: [
            (ChannelManagementError.Code.noCredential, "credential_required", 0), (.unreachable, "apns_unavailable", 0),
            (.lost, "apns_unavailable", 1),
            (.rejected(Rejection(.cannotCreateChannelConfig)), "channel_limit_exceeded", 0),
            (.rejected(Rejection(.featureNotEnabled)), "broadcast_disabled", 0),
            (.rejected(Rejection(.tooManyRequests)), "apns_unavailable", 0),
            (.rejected(Rejection(.shutdown)), "apns_unavailable", 0),
            (.rejected(Rejection(.topicMismatch)), "apns_rejected", 0),
            (.rejected(Rejection(status: 418, reason: .unknown)), "apns_rejected", 0),
        ]
    )
    func failures(failure: ChannelManagementError.Code, code: String, kept: Int) async throws {
        let shelf = ChannelShelf()
        try await withAPI(TestSetup(channels: shelf)) { api async throws in
            shelf.fail(failure)
            let answer = try await api.call(.post, Self.path, #"{"name":"a"}"#)
            #expect(answer.code == code)
            let channels = try await api.store.channels(of: TestAPI.app, in: .sandbox)
            #expect(channels.count == kept)
            #expect(channels.allSatisfy { $0.state == .creating })
            shelf.fail(failure)
            let listed = try await api.call(.get, Self.path)
            #expect(listed.status == 200)
            #expect(listed.json["apnsError"]?["code"]?.text == code)
            #expect(try await api.call(.post, Self.path, #"{"name":"a"}"#).status == 201)
            shelf.fail(failure)
            #expect(try await api.call(.get, "\(Self.path)/a?verify=true").code == code)
            shelf.fail(failure)
            #expect(try await api.call(.delete, "\(Self.path)/a").code == code)
            #expect(try await api.call(.get, "\(Self.path)/a").json["state"] == "deleting")
            #expect(try await api.call(.post, Self.path, #"{"name":"a"}"#).code == "channel_exists")
            #expect(try await api.call(.delete, "\(Self.path)/a").status == 204)
        }
    }

    @Test("cannot be managed where nobody asks APNs, and are not for keys that stand in apps")
    func access() async throws {
        try await withAPI { api async throws in
            #expect(try await api.call(.post, Self.path, #"{"name":"a"}"#).code == "apns_unavailable")
            #expect(try await api.call(.get, Self.path).json["apnsError"]?["code"] == "apns_unavailable")
            let client = try await api.key(scopes: [.client]).text
            #expect(try await api.call(.get, Self.path, key: client).code == "insufficient_scope")
            let reader = try await api.key(scopes: [.read]).text
            #expect(try await api.call(.delete, "\(Self.path)/a", key: reader).code == "insufficient_scope")
        }
    }

    @Test("take activities, which are shown with them", arguments: TestStoreBackend.allCases)
    func activities(on store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store, channels: ChannelShelf())) { api async throws in
            let activities = "/v1/apps/\(TestAPI.app)/activities"
            let id = try await api.call(.post, Self.path, #"{"name":"final","messageStoragePolicy":"none"}"#).json["id"]
            let start = #""attributesType":"Match","contentState":{"score":0}"#
            let made = try await api.call(.post, activities, #"{"id":"m",\#(start),"channel":"final"}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(made.json["state"] == "active")
            let shown = try await api.call(.get, "\(activities)/m")
            #expect(shown.json["channel"]?["id"] == id)
            #expect(shown.json["channel"]?["delivery"] == "automatic")
            let told = try await api.call(.put, "\(activities)/m/tokens/phone", #"{"token":"ab"}"#)
            #expect(told.status == 200)
            let changed = try await api.call(.patch, "\(activities)/m", #"{"patch":{"score":1}}"#)
            #expect(changed.json["sent"]?.number == 2)
            let listed = try await api.call(.get, "\(activities)/m/participants").json["participants"]?.elements ?? []
            #expect(listed.map { $0["channel"]?.text } == ["final", nil])
            #expect(listed.map { $0["device"]?.text } == [nil, "phone"])
            #expect(listed.map { $0["origin"]?.text } == [nil, "app"])
            #expect(try await api.call(.delete, "\(Self.path)/final").code == "channel_in_use")
            let strict = #"{"id":"n",\#(start),"delivery":"channel"}"#
            let bad = try await api.call(.post, activities, strict)
            #expect(bad.json["errors"]?.elements.first?["field"] == "channel")
            let token = #"{"token":"abcd","channels":true}"#
            let startToken = "/v1/apps/\(TestAPI.app)/devices/phone/start-tokens/Match"
            #expect(try await api.call(.put, startToken, token).status == 204)
            let kept = try await api.store.pushToStartTokens(of: "Match", app: TestAPI.app, installations: ["phone"])
            #expect(kept["phone"]?.supportsChannels == true)
        }
    }
}
