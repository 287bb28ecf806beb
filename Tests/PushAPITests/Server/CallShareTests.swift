// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import NIOCore
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import PushAPI

@Suite("The share of an API key", .timeLimit(.minutes(20)))
struct CallShareTests {
    private static func shares(total: Int, perKey: Int) -> CallShares {
        var configuration = PushAPIConfiguration()
        configuration.exports = CallLimits(total: total, perKey: perKey)
        return CallShares(configuration)
    }

    @Test("is a number of calls, and the last quarter of all calls is for keys that have none")
    func quarter() throws {
        let shares = Self.shares(total: 8, perKey: 5)
        var held: [CallShares.Share] = []
        func take(_ key: APIKeyID, _ count: Int) throws {
            for _ in 0..<count { held.append(try shares.take(.export, for: key)) }
        }
        func refusal(_ key: APIKeyID) -> ProblemCode? {
            do {
                _ = try shares.take(.export, for: key)
                return nil
            } catch {
                return error.code
            }
        }
        try take("a", 5)
        #expect(refusal("a") == .tooManyCalls)
        try take("b", 1)
        #expect(refusal("b") == .tooManyCalls, "six of eight are taken")
        try take("c", 1)
        try take("d", 1)
        #expect(refusal("e") == .tooManyCalls)
        #expect(throws: Never.self) { try shares.take(.feed, for: "a") }
        held.removeFirst()
        #expect(refusal("a") == .tooManyCalls, "seven are taken")
        #expect(refusal("e") == nil)
        held.removeAll()
        try take("a", 5)
    }

    @Test("bounds its live feeds, with a response that says when to try again")
    func feeds() async throws {
        var setup = TestSetup()
        setup.hasSocket = true
        setup.configuration.feeds = CallLimits(total: 8, perKey: 2)
        // A reader that is gone is noticed by the next heartbeat.
        setup.configuration.heartbeatInterval = .milliseconds(50)
        try await withAPI(setup) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/events"
            func open(_ key: String) async throws -> RawClient {
                let client = try await RawClient(api)
                try await client.begin("GET \(path)", "Authorization: Bearer \(key)", "Accept: application/x-ndjson")
                #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
                return client
            }
            let first = try await open(api.admin.text)
            let second = try await open(api.admin.text)
            let refused = try await api.call(.get, path, headers: [.accept: "application/x-ndjson"])
            #expect(refused.status == 429)
            #expect(refused.code == "too_many_calls")
            #expect(refused.headers[.retryAfter] == "2")
            #expect(try await api.call(.get, path).status == 200, "pages have no limit")
            let other = try await open(try await api.key(scopes: [.read]).text)
            try await first.channel.close()
            try await waitUntil {
                guard let client = try? await RawClient(api) else { return false }
                try? await client.begin(
                    "GET \(path)",
                    "Authorization: Bearer \(api.admin.text)",
                    "Accept: application/x-ndjson"
                )
                let isOpen = await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ")
                try? await client.channel.close()
                return isOpen
            }
            for client in [second, other] { try await client.channel.close() }
        }
    }

    @Test("bounds its streams, and leaves others to other keys")
    func streams() async throws {
        var setup = TestSetup()
        setup.hasSocket = true
        setup.configuration.stream.maximumStreams = 8
        setup.configuration.stream.maximumStreamsPerKey = 2
        try await withAPI(setup) { api async throws in
            var clients: [RawClient] = []
            for key in [api.admin, api.admin, try await api.key(scopes: [.send])] {
                let client = try await RawClient.stream(api, query: "", key: key.text)
                #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
                clients.append(client)
            }
            let refused = try await RawClient.stream(api, query: "")
            #expect(await refused.read(until: "too_many_calls").hasPrefix("HTTP/1.1 429 "))
            // The server has closed the refused one.
            for client in clients + [refused] { try? await client.channel.close() }
        }
    }

    @Test("bounds its estimates, which end at their deadline")
    func estimates() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (beginnings, began) = AsyncStream.makeStream(of: Void.self)
        var setup = TestSetup()
        setup.configuration.estimates = CallLimits(total: 8, perKey: 1, deadline: .seconds(1))
        setup.wrap = { store in
            ProbedStore(
                store,
                StoreProbe(before: { operation in
                    guard operation.hasPrefix("count(of") || operation.hasPrefix("select") else { return }
                    began.yield()
                    for await _ in gate {}
                    try Task.checkCancellation()
                })
            )
        }
        try await withAPI(setup) { api async throws in
            let path = "/v1/apps/\(TestAPI.app)/campaigns:estimate"
            let body = #"{"audience":{"all":true}}"#
            async let first = api.call(.post, path, body)
            for await _ in beginnings { break }
            #expect(try await api.call(.post, path, body).code == "too_many_calls")
            #expect(try await first.code == "call_timeout")
            open.finish()
            #expect(try await api.call(.post, path, body).json["count"]?.number == 0)
        }
    }

    @Test("is a number of requests per second, but not for keys with the scope admin")
    func rate() async throws {
        let rates = KeyRates(perSecond: 10)
        func key(_ id: APIKeyID, _ scope: Scope) -> APIKey {
            APIKey(id: id, name: "", scopes: [scope], secretHash: [], createdAt: TestTime.start)
        }
        let now = ContinuousClock.now
        func admitted(_ key: APIKey, after delay: Duration) -> Int {
            (0..<100).count { _ in (try? rates.count(key, now: now + delay)) != nil }
        }
        #expect(admitted(key("a", .send), after: .zero) == 10)
        #expect(admitted(key("b", .send), after: .zero) == 10)
        #expect(admitted(key("a", .send), after: .milliseconds(500)) == 5)
        #expect(admitted(key("c", .admin), after: .zero) == 100)
        var setup = TestSetup()
        setup.configuration.keyRequestsPerSecond = 1
        try await withAPI(setup) { api async throws in
            let key = try await api.key(scopes: [.read]).text
            var codes: [String?] = []
            for _ in 0..<3 { codes.append(try await api.call(.get, "/v1/apps/\(TestAPI.app)", key: key).code) }
            #expect(codes.contains("rate_limited"))
            for _ in 0..<3 { #expect(try await api.call(.get, "/v1/apps/\(TestAPI.app)").status == 200) }
        }
    }
}
