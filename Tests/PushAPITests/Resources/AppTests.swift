// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import PushModel
import Testing

@Suite("Apps", .timeLimit(.minutes(20)))
struct AppTests {
    @Test("are created, shown, listed and deleted")
    func life() async throws {
        try await withAPI { api async throws in
            let body = #"{"id":"com.example.shop","name":"Shop","defaultEnvironment":"sandbox"}"#
            let created = try await api.call(.post, "/v1/apps", body)
            #expect(created.status == 201)
            #expect(created.headers[.location] == "/v1/apps/com.example.shop")
            #expect(created.json["name"]?.text == "Shop")
            #expect(created.json["defaultEnvironment"]?.text == "sandbox")
            #expect(created.json["createdAt"]?.text == "2026-02-02T02:40:00.000Z")
            #expect(try await api.call(.get, "/v1/apps/com.example.shop").json == created.json)
            #expect(try await api.call(.delete, "/v1/apps/com.example.shop").status == 204)
            #expect(try await api.call(.get, "/v1/apps/com.example.shop").code == "app_not_found")
        }
    }

    @Test("have a name and an environment unless they are given")
    func defaults() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, "/v1/apps", #"{"id":"com.example.shop","name":null}"#)
            #expect(answer.json["name"]?.text == "com.example.shop")
            #expect(answer.json["defaultEnvironment"]?.text == "production")
        }
    }

    @Test("of the same id are refused")
    func conflict() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, "/v1/apps", #"{"id":"\#(TestAPI.app)"}"#)
            #expect(answer.status == 409)
            #expect(answer.code == "app_exists")
        }
    }

    @Test("are listed in pages that follow one another")
    func pages() async throws {
        try await withAPI { api async throws in
            for name in ["a", "b", "d", "e"] { _ = try await api.call(.post, "/v1/apps", #"{"id":"\#(name)"}"#) }
            var ids: [String] = []
            var path = "/v1/apps?limit=2"
            var next: String?
            repeat {
                let answer = try await api.call(.get, path)
                ids += answer.json["apps"]?.elements.compactMap { $0["id"]?.text } ?? []
                next = answer.json["nextCursor"]?.text
                path = "/v1/apps?limit=2&cursor=\(next ?? "")"
            } while next != nil
            #expect(ids == ["a", "b", "com.example.app", "d", "e"])
        }
    }
}
