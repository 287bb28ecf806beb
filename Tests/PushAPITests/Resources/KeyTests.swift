// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import HTTPTypes
import PushModel
import Testing

@Suite("Keys as a resource", .timeLimit(.minutes(20)))
struct KeyTests {
    @Test("show their secret once, and work from then on")
    func created() async throws {
        try await withAPI { api async throws in
            let body =
                #"{"name":"backend","scopes":["send","devices"],"app":"\#(TestAPI.app)","expiresAt":"2030-01-01T00:00:00Z"}"#
            let answer = try await api.call(.post, "/v1/keys", body)
            #expect(answer.status == 201)
            #expect(answer.json["scopes"] == ["devices", "send"])
            #expect(answer.json["expiresAt"]?.text == "2030-01-01T00:00:00.000Z")
            let key = try #require(answer.json["key"]?.text)
            let id = try #require(answer.json["id"]?.text)
            #expect(try await api.call(.get, "/v1/apps/\(TestAPI.app)/devices", key: key).status == 200)

            let list = try await api.call(.get, "/v1/keys")
            let shown = list.json["keys"]?.elements.first { $0["id"]?.text == id }
            #expect(shown?["name"]?.text == "backend")
            #expect(shown?["key"] == nil)
            #expect(!list.text.contains(key))
        }
    }

    @Test(
        "end in a year of four digits",
        arguments: [
            ("9999-12-31T23:59:59.999Z", 201), ("10000-01-01T00:00:00Z", 422), ("506713-12-31T00:00:00Z", 422),
            ("9999999999-01-01T00:00:00Z", 422), ("2030-01-01T2147483647:00:00Z", 422),
        ]
    )
    func years(_ end: String, _ status: Int) async throws {
        try await withAPI { api async throws in
            let body = #"{"name":"backend","scopes":["send"],"expiresAt":"\#(end)"}"#
            let answer = try await api.call(.post, "/v1/keys", body)
            #expect(answer.status == status)
            #expect(answer.fields == (status == 201 ? [] : ["expiresAt"]))
        }
    }

    @Test("show when they were last used, which is stored once a minute and not by the request")
    func lastUse() async throws {
        let clock = TestClock()
        var setup = TestSetup()
        setup.clock = clock
        let time = setup.time
        try await withAPI(setup) { api async throws in
            func lastUse(of id: APIKeyID) async throws -> String? {
                let list = try await api.call(.get, "/v1/keys")
                return list.json["keys"]?.elements.first { $0["id"]?.text == id.rawValue }?["lastUsedAt"]?.text
            }
            let key = try await api.key(scopes: [.read])
            let unused = try await api.key(scopes: [.read])
            #expect(try await api.call(.get, "/v1/apps", key: key.text).status == 200)
            time.advance(by: 1)
            // A key that lacks the scope was still used, and a wrong secret is no use of the key.
            #expect(try await api.call(.get, "/v1/keys", key: key.text).status == 403)
            let wrong = String(unused.text.dropLast(8)) + "00000000"
            #expect(try await api.call(.get, "/v1/apps", key: wrong).status == 401)
            #expect(try await lastUse(of: key.id) == nil)

            // The other timer of a minute removes events.
            try await clock.timer(dueIn: .seconds(60), count: 2)
            clock.advance(by: .seconds(60))
            try await clock.timer(dueIn: .seconds(60), count: 2)
            #expect(try await lastUse(of: key.id) == "2026-02-02T02:40:01.000Z")
            #expect(try await lastUse(of: unused.id) == nil)
        }
    }

    @Test("are revoked once and stay in the list")
    func revoked() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.read])
            #expect(try await api.call(.delete, "/v1/keys/\(key.id)").status == 204)
            #expect(try await api.call(.delete, "/v1/keys/\(key.id)").status == 204)
            let list = try await api.call(.get, "/v1/keys")
            let shown = list.json["keys"]?.elements.first { $0["id"]?.text == key.id.rawValue }
            #expect(shown?["revokedAt"]?.text != nil)
        }
    }

    @Test("that do not exist cannot be revoked", arguments: ["0000000000000000", "NOT-AN-ID"])
    func unknown(_ id: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.delete, "/v1/keys/\(id)")
            #expect(answer.status == 404)
            #expect(answer.code == "key_not_found")
        }
    }
}
