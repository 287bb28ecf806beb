// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTPTypes
import PushAPI
import PushModel
import Testing

@Suite("The metrics", .timeLimit(.minutes(20)))
struct MetricsRouteTests {
    @Test("are served without a key where they are public, as the format's type")
    func served() async throws {
        var setup = TestSetup()
        setup.metricsText = { "# TYPE x gauge\nx 1\n" }
        setup.configuration.metricsAreUnauthenticated = true
        try await withAPI(setup) { api async throws in
            let answer = try await api.call(.get, "/metrics", key: "")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.text == "# TYPE x gauge\nx 1\n")
        }
    }

    @Test("ask for a key that may read, of no app, where they are not public")
    func access() async throws {
        var setup = TestSetup()
        setup.metricsText = { "" }
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.get, "/metrics", key: "").code == "missing_api_key")
            let sender = try await api.key(scopes: [.send])
            #expect(try await api.call(.get, "/metrics", key: sender.text).code == "insufficient_scope")
            let bound = try await api.key(scopes: [.read], app: TestAPI.app)
            #expect(try await api.call(.get, "/metrics", key: bound.text).code == "api_key_app_mismatch")
            let reader = try await api.key(scopes: [.read])
            #expect(try await api.call(.get, "/metrics", key: reader.text).status == 200)
        }
    }

    @Test("are not there where nobody keeps any")
    func none() async throws {
        try await withAPI { api async throws in
            #expect(try await api.call(.get, "/metrics").code == "route_not_found")
        }
    }
}
