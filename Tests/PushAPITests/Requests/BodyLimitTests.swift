// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore
import PushAPI
import Testing

@Suite("Bodies and their limits", .timeLimit(.minutes(5)))
struct BodyLimitTests {
    @Test("a body over the limit is refused with the limit, and the route below it still works")
    func tooLarge() async throws {
        try await withAPI { api async throws in
            let body = #"{"id":"a.b","name":"\#(String(repeating: "a", count: 65_536))"}"#
            let answer = try await api.call(.post, "/v1/apps", body)
            #expect(answer.status == 413)
            #expect(answer.code == "body_too_large")
            #expect(answer.json["errors"]?.elements.first?["rule"]?.text == "at most 65536 bytes")
            #expect(try await api.call(.post, "/v1/apps", #"{"id":"a.b"}"#).status == 201)
        }
    }

    @Test("a request to send has a limit of its own, which the configuration sets")
    func notification() async throws {
        var setup = TestSetup()
        setup.configuration.maximumNotificationBodyBytes = 1000
        try await withAPI(setup) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/notifications"
            let padding = String(repeating: " ", count: 1000)
            let answer = try await api.call(.post, path, #"{"targets":{"tokens":["ab"]},"payload":{}}\#(padding)"#)
            #expect(answer.status == 413)
            #expect(answer.code == "body_too_large")
            #expect(try await api.call(.post, path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#).status == 202)
        }
    }

    @Test(
        "a body that is not announced as JSON is refused",
        arguments: [
            "application/x-www-form-urlencoded", "text/plain", "application/jsonp", "",
        ]
    )
    func mediaType(_ type: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, "/v1/apps", #"{"id":"a.b"}"#, headers: [.contentType: type])
            #expect(answer.status == 415)
            #expect(answer.code == "unsupported_media_type")
        }
    }

    @Test(
        "a body that is announced as JSON in any spelling is taken",
        arguments: [
            "application/json", "Application/JSON; charset=utf-8", "application/json;charset=UTF-8",
        ]
    )
    func spelling(_ type: String) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, "/v1/apps", #"{"id":"a.b"}"#, headers: [.contentType: type])
            #expect(answer.status == 201)
        }
    }
}
