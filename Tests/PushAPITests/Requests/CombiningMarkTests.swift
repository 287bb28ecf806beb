// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// Comparing such a text takes time that is quadratic in its length: minutes for those of these tests.
@Suite(.timeLimit(.minutes(20))) struct CombiningMarkTests {
    private static func marks(bytes: Int) -> String {
        // Marks of two classes in the wrong order, so that each of the latter is moved before all of the former.
        "a" + String(repeating: "\u{301}", count: bytes / 4) + String(repeating: "\u{316}", count: bytes / 4)
    }

    @Test(
        arguments: [
            (
                HTTPRequest.Method.post, "notifications",
                #"{"targets":{"devices":["a"]},"pushType":"MARKS","payload":{}}"#
            ),
            (.post, "notifications", #"{"targets":{"devices":["a"]},"lane":"MARKS","payload":{}}"#),
            (.post, "notifications", #"{"targets":{"devices":["MARKS"]},"payload":{}}"#),
            (
                .post, "campaigns",
                #"{"start":{"local":{"time":"2036-03-20T09:00","fallbackZone":"MARKS"}}}"#
            ),
            (.put, "jobs/a", #"{"schedule":{"cron":"MARKS","timeZone":"MARKS"}}"#),
        ]
    ) func `a request with a long run of combining marks is rejected at once`(
        method: HTTPRequest.Method,
        resource: String,
        body: String
    ) async throws {
        try await withAPI { api async throws in
            let marks = Self.marks(bytes: method == .put ? 20_000 : 1 << 20)
            let body = body.replacingOccurrences(of: "MARKS", with: marks)
            let answer = try await api.call(method, "/v1/apps/\(TestAPI.app)/\(resource)", body)
            #expect(answer.status == 422)
            #expect(answer.text.contains("at most 30 combining marks in a row"), "\(answer.text.prefix(400))")
        }
    }

    @Test func `a registration whose topics have long runs of combining marks is rejected at once`() async throws {
        try await withAPI { api async throws in
            let topics = [1, 2, 3].map { _ in #""\#(Self.marks(bytes: 1 << 14))""# }.joined(separator: ",")
            let body = #"{"token":"\#(TestToken.hex(1))","topics":[\#(topics)]}"#
            let answer = try await api.call(.put, "/v1/apps/\(TestAPI.app)/devices/phone", body)
            #expect(answer.status == 422)
            #expect(answer.text.contains("topics[0]"), "\(answer.text.prefix(400))")
        }
    }

    @Test func `the header of a CSV file with a long name is rejected at once`() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(
                .post,
                "/v1/apps/\(TestAPI.app)/devices:import",
                bytes: ByteBuffer(string: "device,token,\(Self.marks(bytes: 60_000))\n"),
                headers: [.contentType: "text/csv"]
            )
            #expect(answer.text.contains("header, column 3"), "\(answer.text.prefix(400))")
        }
    }

    @Test func `items of a batch with long headers are rejected at once`() async throws {
        try await withAPI { api async throws in
            let marks = Self.marks(bytes: 1 << 20)
            let items = #"{"token":"\#(TestToken.hex(1))","payload":{},"collapseID":"\#(marks)"}"#
            let answer = try await api.call(
                .post,
                "/v1/apps/\(TestAPI.app)/notifications:batch",
                #"{"notifications":[\#(items),\#(items)]}"#
            )
            #expect(answer.status >= 400, "\(answer.text.prefix(400))")
        }
    }

    @Test func `an alert may have any combining marks`() async throws {
        try await withAPI { api async throws in
            try await api.register("phone", token: 1)
            let body =
                #"{"targets":{"devices":["phone"]},"notification":{"body":"\#(Self.marks(bytes: 400))"}}"#
            let answer = try await api.call(.post, "/v1/apps/\(TestAPI.app)/notifications", body)
            #expect(answer.status == 202, "\(answer.text)")
        }
    }
}
