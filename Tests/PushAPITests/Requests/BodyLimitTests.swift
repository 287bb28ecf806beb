// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import NIOCore
import PushAPI
import Testing

@Suite("Bodies and their limits", .timeLimit(.minutes(20)))
struct BodyLimitTests {
    @Test("a body over the limit is refused with the limit, and the route below it still works")
    func tooLarge() async throws {
        try await withAPI { api async throws in
            let body = #"{"id":"a.b","name":"\#(String(repeating: "a", count: 65_536))"}"#
            let answer = try await api.call(.post, "/v1/apps", body)
            #expect(answer.status == 413)
            #expect(answer.code == "body_too_large")
            #expect(answer.json["errors"]?.elements.first?["expected"]?.text == "at most 65536 bytes")
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
        "a compressed body is refused by the header's name, whatever takes it",
        arguments: ["gzip", "identity, br", "GZIP"]
    )
    func compressed(_ coding: String) async throws {
        try await withAPI { api async throws in
            let app = "/v1/apps/\(TestAPI.app)"
            let types = [
                ("/v1/apps", "application/json"), ("\(app)/notifications", "application/json"),
                ("\(app)/devices:import", "text/csv"), ("\(app)/notifications:stream", "application/x-ndjson"),
            ]
            for (path, type) in types {
                let headers: HTTPFields = [.contentType: type, .contentEncoding: coding]
                let answer = try await api.call(.post, path, "\u{1F}\u{8B}", headers: headers)
                #expect(answer.status == 415)
                #expect(answer.code == "unsupported_media_type")
                #expect(answer.fields == ["Content-Encoding"])
                #expect(answer.json["detail"]?.text?.contains(coding) == true)
            }
        }
    }

    @Test("a body that is announced as not compressed is taken", arguments: ["identity", "Identity", ""])
    func identity(_ coding: String) async throws {
        try await withAPI { api async throws in
            let headers: HTTPFields = [.contentEncoding: coding]
            #expect(try await api.call(.post, "/v1/apps", #"{"id":"a.b"}"#, headers: headers).status == 201)
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
