// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import PushModel
import Testing

@Suite("Rotation and expiry of keys", .timeLimit(.minutes(20)))
struct KeyRotationTests {
    private static let devices = "/v1/apps/\(TestAPI.app)/devices"

    @Test("the successor has the rights of the key, and both work until the overlap ends")
    func overlap() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            let body = #"{"name":"backend","scopes":["read"],"app":"\#(TestAPI.app)","accessKey":true}"#
            let created = try await api.call(.post, "/v1/keys", body)
            #expect(created.json["createdBy"]?.text == api.admin.id.rawValue)
            let id = try #require(created.json["id"]?.text)
            let old = try #require(created.json["key"]?.text)
            let rotated = try await api.call(.post, "/v1/keys/\(id):rotate", #"{"overlapSeconds":3600}"#)
            #expect(rotated.status == 201)
            let successor = try #require(rotated.json["key"])
            for member in ["name", "scopes", "app", "expiresAt"] {
                #expect(successor[member] == created.json[member], "\(member)")
            }
            #expect(successor["createdBy"]?.text == api.admin.id.rawValue)
            #expect(successor["secretAccessKey"]?.text != nil)
            #expect(successor["accessKeyID"] != created.json["accessKeyID"])
            #expect(rotated.json["replaced"]?["expiresAt"]?.text == "2026-02-02T03:40:00.000Z")
            #expect(rotated.json["replaced"]?["replacedBy"] == successor["id"])
            #expect(rotated.json["replaced"]?["key"] == nil)
            let new = try #require(successor["key"]?.text)
            for key in [old, new] { #expect(try await api.call(.get, Self.devices, key: key).status == 200) }
            setup.time.advance(by: 3600)
            #expect(try await api.call(.get, Self.devices, key: old).code == "expired_api_key")
            #expect(try await api.call(.get, Self.devices, key: new).status == 200)
        }
    }

    @Test("without a body the overlap is a day, and 0 ends the key at once")
    func defaults() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.read])
            let day = try await api.call(.post, "/v1/keys/\(key.id):rotate")
            #expect(day.json["replaced"]?["expiresAt"]?.text == "2026-02-03T02:40:00.000Z")
            let now = #"{"overlapSeconds":0,"expiresAt":"2030-01-01T00:00:00Z"}"#
            let ended = try await api.call(.post, "/v1/keys/\(key.id):rotate", now)
            #expect(ended.json["key"]?["expiresAt"]?.text == "2030-01-01T00:00:00.000Z")
            #expect(try await api.call(.get, Self.devices, key: key.text).code == "expired_api_key")
        }
    }

    @Test("only a valid key can be rotated, by a key with the scope admin")
    func refused() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.read])
            let revoked = try await api.key(scopes: [.read], revokedAt: TestTime.start)
            let path = "/v1/keys/\(key.id):rotate"
            #expect(try await api.call(.post, "/v1/keys/\(revoked.id):rotate").code == "key_not_rotatable")
            #expect(try await api.call(.post, "/v1/keys/0000000000000000:rotate").code == "key_not_found")
            #expect(try await api.call(.post, path, key: key.text).code == "insufficient_scope")
            let past = #"{"expiresAt":"2020-01-01T00:00:00Z"}"#
            for body in [#"{"overlapSeconds":-1}"#, #"{"overlapSeconds":7776001}"#, past] {
                #expect(try await api.call(.post, path, body).status == 422, "\(body)")
            }
        }
    }

    @Test("responses name the end of a key in its last 14 days, and the log has it once a day")
    func warning() async throws {
        let clock = TestClock()
        var setup = TestSetup()
        setup.clock = clock
        let time = setup.time
        try await withAPI(setup) { api async throws in
            let day: TimeInterval = 24 * 3600
            let key = try await api.key(scopes: [.read], expiresAt: TestTime.start + 15 * day)
            let header = try #require(HTTPField.Name("Apus-Key-Expires"))
            func expiry() async throws -> String? {
                try await api.call(.get, Self.devices, key: key.text).headers[header]
            }
            func warnings() -> Int {
                api.logs.entries.count { $0.message == "An API key in use expires soon; rotate it" }
            }
            func passMinute() async throws {
                try await clock.timer(dueIn: .seconds(60), count: 2)
                clock.advance(by: .seconds(60))
                try await clock.timer(dueIn: .seconds(60), count: 2)
            }
            #expect(try await expiry() == nil)
            #expect(try await api.call(.get, Self.devices).headers[header] == nil)
            try await passMinute()
            #expect(warnings() == 0)
            time.advance(by: day)
            #expect(try await expiry() == "2026-02-17T02:40:00.000Z")
            try await passMinute()
            time.advance(by: 60)
            #expect(try await expiry() != nil)
            try await passMinute()
            #expect(warnings() == 1)
            time.advance(by: day)
            #expect(try await expiry() != nil)
            try await passMinute()
            #expect(warnings() == 2)
        }
    }
}
