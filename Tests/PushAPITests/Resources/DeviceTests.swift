// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushModel
import PushStore
import Testing

@Suite("Devices", .timeLimit(.minutes(20)))
struct DeviceTests {
    private static let path = "/v1/apps/\(TestAPI.app)/devices"

    @Test("are registered with everything that the app tells, and shown with it")
    func registered() async throws {
        try await withAPI { api async throws in
            let body = """
                {"token":"\(TestToken.hex(0xAB).uppercased())","platform":"iOS","appVersion":"2.1",
                 "systemVersion":"18.1","locale":"ja-JP","timeZone":"Asia/Tokyo","userID":"u1",
                 "tags":{"plan":"gold"},"topics":["news","alerts"]}
                """
            let answer = try await api.call(.put, "\(Self.path)/phone", body)
            #expect(answer.status == 201)
            #expect(answer.json["token"]?.text == TestToken.hex(0xAB))
            #expect(answer.json["environment"]?.text == "sandbox")
            #expect(answer.json["platform"]?.text == "ios")
            #expect(answer.json["systemVersion"]?.text == "18.1")
            #expect(answer.json["tags"] == ["plan": "gold"])
            #expect(answer.json["topics"] == ["alerts", "news"])
            #expect(answer.json["status"] == ["state": "active"])
            #expect(try await api.call(.get, "\(Self.path)/phone").json == answer.json)
        }
    }

    @Test("are found by a token or a user; a search names exactly one of them")
    func search() async throws {
        try await withAPI { api async throws in
            try await api.register("phone", token: 1, more: #","userID":"u1""#)
            try await api.register("pad", token: 2, more: #","userID":"u1""#)
            let search = "\(Self.path):search"
            let byToken = try await api.call(.post, search, #"{"token":"\#(TestToken.hex(2))"}"#)
            #expect(byToken.json["devices"]?.elements.map { $0["device"]?.text } == ["pad"])
            let byUser = try await api.call(.post, search, #"{"userID":"u1"}"#)
            #expect(byUser.json["devices"]?.elements.map { $0["device"]?.text } == ["phone", "pad"])
            #expect(try await api.call(.post, search, #"{"userID":"u2"}"#).json["devices"]?.elements.isEmpty == true)
            for wrong in ["{}", #"{"userID":"u1","token":"ab"}"#, #"{"userID":""}"#, #"{"device":"pad"}"#] {
                #expect(try await api.call(.post, search, wrong).code?.hasPrefix("invalid") == true, "\(wrong)")
            }
        }
    }

    @Test("that register again are updated, and forget what they do not repeat")
    func updated() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            try await api.register("phone", token: 1, more: #","userID":"u1""#)
            setup.time.advance(by: 10)
            let body = #"{"token":"\#(TestToken.hex(2))","environment":"production"}"#
            let answer = try await api.call(.put, "\(Self.path)/phone", body)
            #expect(answer.status == 200)
            #expect(answer.json["token"]?.text == TestToken.hex(2))
            #expect(answer.json["environment"]?.text == "production")
            #expect(answer.json["userID"] == nil)
            #expect(answer.json["registeredAt"]?.text == "2026-02-02T02:40:10.000Z")
            #expect(answer.json["createdAt"]?.text == "2026-02-02T02:40:00.000Z")
        }
    }

    @Test("are refused with a time zone that is none, and taken with an alias of one")
    func timeZones() async throws {
        try await withAPI { api async throws in
            let path = "\(Self.path)/phone"
            let refused = try await api.call(.put, path, #"{"token":"ab","timeZone":"Mars/Olympus"}"#)
            #expect(refused.status == 422)
            #expect(refused.fields == ["timeZone"])
            #expect(refused.text.contains("the IANA name of a time zone, such as 'Europe/Zurich'"))
            #expect(refused.text.contains("'Mars/Olympus'"))
            #expect(try await api.call(.get, path).status == 404)
            let taken = try await api.call(.put, path, #"{"token":"ab","timeZone":"Asia/Calcutta"}"#)
            #expect(taken.status == 201)
            #expect(taken.json["timeZone"]?.text == "Asia/Calcutta")
        }
    }

    @Test("may have any id that fits into a path, percent-encoded")
    func encodedID() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.put, "\(Self.path)/a%2Fb%20%E3%81%82", #"{"token":"ab"}"#)
            #expect(answer.status == 201)
            #expect(answer.json["device"]?.text == "a/b あ")
            #expect(try await api.store.device("a/b あ", of: TestAPI.app) != nil)
        }
    }

    @Test("are listed in pages in the order of their registration")
    func pages() async throws {
        try await withAPI { api async throws in
            for (index, name) in ["c", "a", "b"].enumerated() { try await api.register(name, token: UInt8(index)) }
            let first = try await api.call(.get, "\(Self.path)?limit=2")
            #expect(first.json["devices"]?.elements.compactMap { $0["device"]?.text } == ["c", "a"])
            let next = try #require(first.json["nextCursor"]?.text)
            let second = try await api.call(.get, "\(Self.path)?limit=2&cursor=\(next)")
            #expect(second.json["devices"]?.elements.compactMap { $0["device"]?.text } == ["b"])
            #expect(second.json["nextCursor"] == nil)
        }
    }

    @Test("are forgotten on demand")
    func removed() async throws {
        try await withAPI { api async throws in
            try await api.register("phone", token: 1)
            #expect(try await api.call(.delete, "\(Self.path)/phone").status == 204)
            for method in [.get, .delete] as [HTTPRequest.Method] {
                let answer = try await api.call(method, "\(Self.path)/phone")
                #expect(answer.status == 404)
                #expect(answer.code == "device_not_found")
            }
        }
    }

    @Test("show what APNs said of them, and are listed by it")
    func status() async throws {
        try await withAPI { api async throws in
            try await api.register("gone", token: 1)
            try await api.register("odd", token: 2)
            let delivery = FakeDelivery(store: api.store)
            let body = #"{"targets":{"devices":["gone","odd"]},"payload":{"aps":{}}}"#
            _ = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", body)
            let since = (TestTime.start + 5).millisecondsSince1970
            try await delivery.settleNext { index, _ in
                .rejected(index == 0 ? Rejection(.unregistered, inactiveSince: since) : Rejection(.badDeviceToken))
            }
            let gone = try await api.call(.get, "\(Self.path)/gone")
            #expect(gone.json["status"]?["state"]?.text == "invalid")
            #expect(gone.json["status"]?["reason"]?.text == "Unregistered")
            #expect(gone.json["status"]?["since"]?.text == "2026-02-02T02:40:05.000Z")
            let odd = try await api.call(.get, "\(Self.path)/odd")
            #expect(odd.json["status"]?["state"]?.text == "suspect")
            #expect(odd.json["status"]?["reason"]?.text == "BadDeviceToken")
            let listed: [(state: String, devices: [JSONValue])] = [
                ("active", []), ("suspect", [odd.json]), ("invalid", [gone.json]),
            ]
            for (state, devices) in listed {
                let list = try await api.call(.get, "\(Self.path)?status=\(state)")
                #expect(list.json["devices"]?.elements == devices, "\(state)")
            }
            let refused = try await api.call(.get, "\(Self.path)?status=dead")
            #expect(refused.status == 422)
            #expect(refused.code == "invalid_request")
        }
    }
}
