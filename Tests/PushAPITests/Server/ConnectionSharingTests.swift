// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import NIOCore
import PushAPI
import PushModel
import Testing

@Suite("Connections that keys share", .timeLimit(.minutes(20)))
struct ConnectionSharingTests {
    /// Of 16 connections, 14 can be protected.
    private static var setup: TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        setup.configuration.connections.maximum = 16
        setup.configuration.connections.slowBody = .seconds(300)
        return setup
    }

    @Test("with one key, however many and busy, keep neither other keys nor probes out")
    func busy() async throws {
        try await withAPI(Self.setup) { api async throws in
            let shared = try await api.key(scopes: [.client], app: TestAPI.app)
            let reader = try await api.key(scopes: [.read])
            let administrator = try await RawClient(api)
            #expect(try await Self.isAnswered(administrator, api.admin))
            var clients: [RawClient] = []
            for _ in 0..<20 { clients.append(try await Self.beginRegistration(api, shared)) }
            let other = try await RawClient(api)
            #expect(try await Self.isAnswered(other, reader))
            for _ in 0..<20 { clients.append(try await Self.beginRegistration(api, shared)) }
            #expect(try await api.call(.get, "/healthz", key: "").status == 200)
            #expect(try await api.call(.get, "/readyz", key: "").status == 200)
            #expect(try await Self.isAnswered(other, reader))
            #expect(try await Self.isAnswered(administrator, api.admin))
            for client in clients + [other, administrator] { try? await client.channel.close() }
        }
    }

    @Test("give way to another key in the order in which they became idle")
    func idle() async throws {
        try await withAPI(Self.setup) { api async throws in
            let shared = try await api.key(scopes: [.read])
            let reader = try await api.key(scopes: [.read])
            var clients: [RawClient] = []
            for _ in 0..<14 {
                let client = try await RawClient(api)
                #expect(try await Self.isAnswered(client, shared))
                clients.append(client)
            }
            #expect(try await Self.isAnswered(clients[0], shared))
            let other = try await RawClient(api)
            #expect(try await Self.isAnswered(other, reader))
            // The last connection closes the one that is no longer protected.
            let last = try await RawClient(api)
            #expect(!(await clients[1].read(until: "never")).contains("never"))
            for client in clients[...0] + clients[2...] { #expect(try await Self.isAnswered(client, shared)) }
            #expect(try await Self.isAnswered(other, reader))
            for client in clients + [other, last] { try? await client.channel.close() }
        }
    }

    /// Sends a request that is answered at once.
    private static func isAnswered(_ client: RawClient, _ key: APIKeySecret) async throws -> Bool {
        try await client.begin("GET /v1/apps/\(TestAPI.app)/devices", "Authorization: Bearer \(key.text)")
        return await client.read(until: "\r\n\r\n").contains("HTTP/1.1 200 ")
    }

    /// Opens a connection and begins a request on it: its key is accepted, and its body does not come.
    private static func beginRegistration(_ api: TestAPI, _ key: APIKeySecret) async throws -> RawClient {
        let client = try await RawClient(api)
        try await client.begin(
            "PUT /v1/apps/\(TestAPI.app)/devices/one",
            "Authorization: Bearer \(key.text)",
            "Content-Length: 1000",
            "Expect: 100-continue"
        )
        #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        return client
    }
}
