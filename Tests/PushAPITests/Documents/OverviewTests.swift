// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import PushAPI
import Testing

@Suite("The overview at /", .timeLimit(.minutes(20)))
struct OverviewTests {
    @Test("needs no key, and names the program, its version and paths that there are", arguments: ["/", "/sns"])
    func overview(snsPath: String) async throws {
        var setup = TestSetup()
        setup.configuration.version = "1.2.3"
        setup.configuration.sns.path = snsPath
        try await withAPI(setup) { api async throws in
            let answer = try await api.call(.get, "/", key: "")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(
                answer.json == [
                    "name": "Apus", "version": "1.2.3", "documentation": "/openapi.yaml", "health": "/healthz",
                    "readiness": "/readyz",
                ]
            )
            #expect(OpenAPISpecification.shared.faults(of: answer, to: "GET", path: "/").isEmpty)
            for member in ["documentation", "health", "readiness"] {
                let path = try #require(answer.json[member]?.text)
                #expect(try await api.call(.get, path, key: "").status == 200)
            }
            #expect(try await api.call(.get, "/?x=1", key: "").fields == ["query.x"])
            #expect(try await api.call(.delete, "/", key: "").code == "method_not_allowed")
        }
    }

    @Test("leaves requests with an action to the SNS endpoint, and is there without one")
    func sns() async throws {
        try await withAPI { api async throws in
            let path = "/?Version=2010-03-31&Action=ListTopics"
            let answer = try await api.client.answer(to: .get, path, headers: [:], body: nil)
            #expect(answer.status == 403)
            #expect(answer.text.contains("MissingAuthenticationToken"))
        }
        var setup = TestSetup()
        setup.masterKey = nil
        try await withAPI(setup) { api async throws in
            #expect(try await api.call(.get, "/", key: "").json["name"] == "Apus")
            #expect(try await api.call(.get, "/?Action=ListTopics", key: "").fields == ["query.Action"])
        }
    }
}
