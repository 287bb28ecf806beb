// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("A client that waits to be told to send its body", .timeLimit(.minutes(20)))
struct ExpectationTests {
    private static let go = "HTTP/1.1 100 Continue\r\n\r\n"
    private static let expectation = "Expect: 100-continue"

    private static var live: TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        return setup
    }

    @Test(
        "is told so, and is then answered; the connection serves the next request",
        arguments: ["100-continue", "100-Continue"]
    )
    func body(value: String) async throws {
        try await withAPI(Self.live) { api async throws in
            let client = try await RawClient(api)
            for number in 1...2 {
                let body = #"{"id":"com.example.number\#(number)"}"#
                try await client.begin(
                    "POST /v1/apps",
                    "Authorization: Bearer \(api.admin.text)",
                    "Content-Type: application/json",
                    "Content-Length: \(body.utf8.count)",
                    "Expect: \(value)"
                )
                #expect(await client.read(until: Self.go).hasSuffix(Self.go))
                try await client.write(body)
                #expect(await client.read(until: "com.example.number\(number)").hasPrefix("HTTP/1.1 201"))
            }
            try await client.channel.close()
        }
    }

    @Test("is told so before a stream or an import is answered", arguments: ["notifications:stream", "devices:import"])
    func lines(operation: String) async throws {
        try await withAPI(Self.live) { api async throws in
            let client = try await RawClient(api)
            try await client.begin(
                "POST /v1/apps/\(TestAPI.app)/\(operation)",
                "Authorization: Bearer \(api.admin.text)",
                "Content-Type: application/x-ndjson",
                "Transfer-Encoding: chunked",
                Self.expectation
            )
            let head = await client.read(until: "200 OK")
            #expect(head.hasPrefix(Self.go + "HTTP/1.1 200 OK"))
            try await client.write("0\r\n\r\n")
            #expect((head + (await client.read(until: "\r\n0\r\n\r\n"))).contains(#""reason":"completed""#))
            try await client.channel.close()
        }
    }

    @Test(
        "is told nothing but why where the body is not going to be read",
        arguments: [("apus_none", 10, "401"), (nil, 1 << 30, "413")] as [(String?, Int, String)]
    )
    func refused(key: String?, length: Int, status: String) async throws {
        try await withAPI(Self.live) { api async throws in
            let client = try await RawClient(api)
            try await client.begin(
                "POST /v1/apps",
                "Authorization: Bearer \(key ?? api.admin.text)",
                "Content-Length: \(length)",
                Self.expectation
            )
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
            try? await client.channel.close()
        }
    }

    @Test("is not told so for another expectation, which is passed over")
    func other() async throws {
        try await withAPI(Self.live) { api async throws in
            let client = try await RawClient(api)
            let body = #"{"id":"com.example.other"}"#
            try await client.begin(
                "POST /v1/apps",
                "Authorization: Bearer \(api.admin.text)",
                "Content-Length: \(body.utf8.count)",
                "Expect: a-miracle"
            )
            try await client.write(body)
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 201"))
            try await client.channel.close()
        }
    }
}
