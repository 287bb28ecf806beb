// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Logging
import PushModel
import PushStore
import SQLiteStore
import StoreTesting
import Testing

@Suite("A store that fails", .timeLimit(.minutes(20)))
struct StoreFailureTests {
    private static let send = "/v1/apps/\(TestAPI.app)/notifications"

    private static func failing(_ error: any Error & Sendable) -> TestSetup {
        var setup = TestSetup()
        setup.wrap = { ProbedStore($0, StoreProbe(before: { if $0 != "key(_:)" { throw error } })) }
        return setup
    }

    @Test(
        "is told to the caller by code, status and time to wait, and to the log in full",
        arguments: [
            (StoreError.Code.unavailable, 503, "store_unavailable", "5"), (.locked, 503, "store_locked", "1"),
            (.readOnly, 503, "store_read_only", "30"), (.full, 507, "store_full", "60"),
            (.corrupt, 503, "store_corrupt", "300"),
        ]
    )
    func codes(_ code: StoreError.Code, _ status: Int, _ problem: String, _ wait: String) async throws {
        let error = StoreError(code: code, message: "the file /secret/place says no")
        try await withAPI(Self.failing(error)) { api async throws in
            for (method, path, body) in [
                (HTTPRequest.Method.get, "/v1/apps", nil), (.get, "/readyz", nil),
                (.post, "/v1/apps", #"{"id":"a.b"}"#),
                (.post, Self.send, #"{"targets":{"tokens":["ab"]},"payload":{}}"#),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await api.call(method, path, body)
                #expect(answer.status == status)
                #expect(answer.code == problem)
                #expect(answer.headers[.retryAfter] == wait)
                #expect(!answer.text.contains("/secret/place"))
            }
            // What works by itself tells of the failure as well, outside of any request.
            let errors = api.logs.entries.filter { $0.level == .error && $0.metadata["hb.request.id"] != nil }
            #expect(errors.count == 4)
            #expect(errors.allSatisfy { "\($0)".contains("/secret/place") })
        }
    }

    @Test("does not concern the question whether the process is alive")
    func alive() async throws {
        try await withAPI(Self.failing(StoreError(code: .corrupt, message: "x"))) { api async throws in
            #expect(try await api.call(.get, "/healthz").status == 200)
            #expect(try await api.call(.get, "/readyz").status == 503)
        }
    }

    @Test("an unexpected store error returns 500 with the request ID that is logged")
    func unforeseen() async throws {
        struct Surprise: Error {}
        try await withAPI(Self.failing(Surprise())) { api async throws in
            let answer = try await api.call(.get, "/v1/apps")
            #expect(answer.status == 500)
            #expect(answer.code == "internal_error")
            #expect(!answer.text.contains("Surprise"))
            let id = try #require(answer.json["requestID"]?.text)
            #expect(answer.requestID == id)
            let errors = api.logs.entries.filter { $0.level == .error }
            let entry = try #require(errors.first { $0.metadata["hb.request.id"]?.description == id })
            #expect("\(entry)".contains("Surprise"))
        }
    }

    @Test("for lack of room acknowledges nothing that it did not store")
    func full() async throws {
        var setup = TestSetup()
        setup.maximumStoreBytes = 600_000
        try await withAPI(setup) { api async throws in
            let tokens = (0..<2000).map { _ in "\"\(TestToken.hex(1))\"" }.joined(separator: ",")
            let body = #"{"targets":{"tokens":[\#(tokens)]},"payload":{},"lane":"bulk"}"#
            var accepted = 0
            var answer = try await api.call(.post, Self.send, body)
            while answer.status == 202, accepted < 100 {
                accepted += 1
                answer = try await api.call(.post, Self.send, body)
            }
            #expect(answer.status == 507)
            #expect(answer.code == "store_full")
            let claimed = try await api.store.claim(
                lane: .bulk,
                limit: 1000,
                worker: "w",
                leaseDuration: .seconds(1),
                now: TestTime.start
            )
            #expect(claimed.count == accepted)
        }
    }
}
