// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("API keys", .timeLimit(.minutes(20)))
struct KeyAccessTests {
    @Test("without a key nothing but probes and documents is served")
    func missing() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.get, "/v1/apps", key: "")
            #expect(answer.status == 401)
            #expect(answer.code == "missing_api_key")
            #expect(answer.headers[.wwwAuthenticate] == "Bearer realm=\"apus\"")
            for path in ["/", "/healthz", "/readyz", "/openapi.yaml", "/problems/missing_api_key"] {
                #expect(try await api.call(.get, path, key: "").status == 200)
            }
        }
    }

    @Test(
        "what is no key of this server is refused",
        arguments: [
            "Basic YTpi", "Bearer", "Bearer ", "Bearer x", "apus_0_0", "Bearer apus__",
            "Bearer apus_0123456789abcdef_\(String(repeating: "0", count: 64))",
            "Bearer apus_0123456789abcdef_\(String(repeating: "0", count: 63))",
        ]
    )
    func foreign(_ header: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.get, "/v1/apps", key: "", headers: [.authorization: header])
            #expect(answer.status == 401)
            #expect(answer.code == "invalid_api_key")
        }
    }

    @Test("the right id with a wrong secret is refused, and the answer holds neither")
    func wrongSecret() async throws {
        try await withAPI { api async throws in
            let wrong = String(api.admin.text.dropLast(8)) + "00000000"
            let answer = try await api.call(.get, "/v1/apps", key: wrong)
            #expect(answer.status == 401)
            #expect(answer.code == "invalid_api_key")
            #expect(!answer.text.contains(api.admin.id.rawValue))
            #expect(!api.logs.entries.contains { $0.message.contains(wrong) || "\($0.metadata)".contains(wrong) })
        }
    }

    @Test("the scheme may be spelled in any case")
    func scheme() async throws {
        try await withAPI { api async throws in
            let headers: HTTPFields = [.authorization: "bEARER \(api.admin.text)"]
            #expect(try await api.call(.get, "/v1/apps", key: "", headers: headers).status == 200)
        }
    }

    @Test("a key works until its end and not from then on")
    func expired() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            let key = try await api.key(scopes: [.read], expiresAt: TestTime.start + 60)
            #expect(try await api.call(.get, "/v1/apps", key: key.text).status == 200)
            setup.time.advance(by: 60)
            let answer = try await api.call(.get, "/v1/apps", key: key.text)
            #expect(answer.status == 401)
            #expect(answer.code == "expired_api_key")
        }
    }

    @Test("a key that is revoked here is refused at once")
    func revokedHere() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.read])
            #expect(try await api.call(.get, "/v1/apps", key: key.text).status == 200)
            #expect(try await api.call(.delete, "/v1/keys/\(key.id)").status == 204)
            let answer = try await api.call(.get, "/v1/apps", key: key.text)
            #expect(answer.status == 401)
            #expect(answer.code == "revoked_api_key")
        }
    }

    @Test("a key that another process revokes is refused within a second")
    func revokedElsewhere() async throws {
        let setup = TestSetup()
        try await withAPI(setup) { api async throws in
            let key = try await api.key(scopes: [.read])
            #expect(try await api.call(.get, "/v1/apps", key: key.text).status == 200)
            try await api.store.revokeKey(key.id, now: setup.time.now)
            setup.time.advance(by: 1)
            #expect(try await api.call(.get, "/v1/apps", key: key.text).code == "revoked_api_key")
        }
    }

    @Test("a key that is bound to an app works below that app and nowhere else")
    func bound() async throws {
        try await withAPI { api async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let key = try await api.key(scopes: [.admin], app: TestAPI.app).text
            #expect(try await api.call(.get, "/v1/apps/\(TestAPI.app)", key: key).status == 200)
            #expect(try await api.call(.get, "/v1/apps/\(TestAPI.app)/devices", key: key).status == 200)
            for path in ["/v1/apps/com.example.other", "/v1/apps/no.such.app/devices", "/v1/apps", "/v1/keys"] {
                let answer = try await api.call(.get, path, key: key)
                #expect(answer.status == 403)
                #expect(answer.code == "api_key_app_mismatch")
            }
        }
    }

    @Test("deleting an app ends the keys that were bound to it at once")
    func deletedApp() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.admin], app: TestAPI.app).text
            #expect(try await api.call(.get, "/v1/apps/\(TestAPI.app)", key: key).status == 200)
            #expect(try await api.call(.delete, "/v1/apps/\(TestAPI.app)").status == 204)
            #expect(try await api.call(.get, "/v1/apps/\(TestAPI.app)", key: key).status == 401)
        }
    }
}
