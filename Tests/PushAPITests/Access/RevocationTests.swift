// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("A request that lasts, when its key is revoked", .timeLimit(.minutes(20)))
struct RevocationTests {
    /// A server that looks at keys and outcomes all the time, and believes no key for long: as one does that is told of a
    /// revocation by the store alone.
    private static var watchful: TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        setup.configuration.recheckInterval = .milliseconds(5)
        setup.configuration.progressInterval = .milliseconds(5)
        setup.configuration.keyLifetime = .zero
        // A client on a loaded machine is given the time to end its request.
        setup.configuration.stream.closingTime = .seconds(240)
        return setup
    }

    @Test("a stream ends, keeps what was acknowledged, and takes nothing more")
    func stream() async throws {
        try await withAPI(Self.watchful) { api async throws in
            let key = try await api.key(scopes: [.send])
            let client = try await RawClient.stream(api, query: "?stream=a", key: key.text)
            try await client.send(streamLine(1) + "\n")
            _ = await client.read(until: "acceptedThrough")
            #expect(try await api.store.revokeKey(key.id, now: TestTime.start))
            let end = await client.read(until: "\r\n0\r\n\r\n")
            #expect(end.contains(#""reason":"revoked_api_key""#))
            #expect(end.contains(#""code":"revoked_api_key""#))
            #expect(end.contains(#""accepted":1,"#) && end.contains(#""pending":1,"#))
            try await client.send(streamLine(2) + "\n")
            try await client.write("0\r\n\r\n")
            // The next request on the connection is answered after all of this one was read.
            try await client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await client.read(until: #""status":"ok""#).contains("200 OK"))
            #expect(try await api.store.acceptedLines(of: "a", app: TestAPI.app) == 1)
            try await client.channel.close()
        }
    }

    @Test("a stream whose client has ended it tells no more outcomes")
    func outcomes() async throws {
        try await withAPI(Self.watchful) { api async throws in
            let key = try await api.key(scopes: [.send])
            let client = try await RawClient.stream(api, query: "", key: key.text)
            try await client.send(streamLine(1) + "\n")
            try await client.write("0\r\n\r\n")
            _ = await client.read(until: "acceptedThrough")
            #expect(try await api.store.revokeKey(key.id, now: TestTime.start))
            #expect(await client.read(until: "\r\n0\r\n\r\n").contains(#""reason":"revoked_api_key""#))
            try await client.channel.close()
        }
    }

    @Test("a stream whose key expires ends as well")
    func expired() async throws {
        let setup = Self.watchful
        try await withAPI(setup) { api async throws in
            let key = try await api.key(scopes: [.send], expiresAt: TestTime.start.addingTimeInterval(60))
            let client = try await RawClient.stream(api, query: "", key: key.text)
            try await client.send(streamLine(1) + "\n")
            _ = await client.read(until: "acceptedThrough")
            setup.time.advance(by: 61)
            #expect(await client.read(until: "\r\n0\r\n\r\n").contains(#""reason":"expired_api_key""#))
            try await client.channel.close()
        }
    }

    @Test("an import of devices ends, and takes nothing more")
    func imported() async throws {
        try await withAPI(Self.watchful) { api async throws in
            let key = try await api.key(scopes: [.devices])
            let client = try await RawClient(api)
            try await client.begin(
                "POST /v1/apps/\(TestAPI.app)/devices:import",
                "Authorization: Bearer \(key.text)",
                "Content-Type: application/x-ndjson",
                "Transfer-Encoding: chunked"
            )
            #expect(await client.read(until: "\r\n\r\n").contains("200 OK"))
            #expect(try await api.store.revokeKey(key.id, now: TestTime.start))
            #expect(await client.read(until: "\r\n0\r\n\r\n").contains("revoked_api_key"))
            try await client.channel.close()
        }
    }

    @Test("the progress of a campaign is told no more")
    func progress() async throws {
        try await withAPI(Self.watchful) { api async throws in
            let key = try await api.key(scopes: [.campaigns])
            let path = "/v1/apps/\(TestAPI.app)/campaigns"
            let body = #"{"audience":{"all":true},"message":{"default":{"payload":{}}},"startPaused":true}"#
            let id = try #require(try await api.call(.post, path, body).json["id"]?.text)
            let port = try #require(api.client.port)
            try await withHTTPClient { client in
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)/\(id)/progress")
                request.headers.add(name: "authorization", value: "Bearer \(key.text)")
                request.headers.add(name: "accept", value: "text/event-stream")
                let response = try await client.execute(request, deadline: .distantFuture)
                var parts = response.body.makeAsyncIterator()
                #expect(try #require(try await parts.next()).readableBytes > 0)
                #expect(try await api.store.revokeKey(key.id, now: TestTime.start))
                var last = ""
                while let part = try await parts.next() { last = String(buffer: part) }
                #expect(!last.contains("event: end"))
            }
        }
    }
}
