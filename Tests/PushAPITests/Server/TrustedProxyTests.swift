// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import HTTPTypes
import Logging
import NIOCore
import PushModel
import Testing

@testable import PushAPI

@Suite("Proxies before the API", .timeLimit(.minutes(20)))
struct TrustedProxyTests {
    private static func proxies(_ ranges: String..., sendProxyHeader: Bool = false) throws -> TrustedProxies {
        var proxies = TrustedProxies()
        proxies.ranges = try ranges.map { try AddressRange(validating: $0) }
        proxies.sendProxyHeader = sendProxyHeader
        return proxies
    }

    private static func setup(_ proxies: TrustedProxies) -> TestSetup {
        var setup = TestSetup()
        setup.hasSocket = true
        setup.configuration.connections.proxies = proxies
        return setup
    }

    @Test(
        "tell the client by the last address that is not theirs",
        arguments: [
            ("203.0.113.9", "203.0.113.9"), ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
            ("203.0.113.9, 10.1.1.1 ,10.2.2.2", "203.0.113.9"), ("10.1.1.1", "10.1.1.1"),
            ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
            ("::ffff:10.1.1.1", "::ffff:10.1.1.1"), ("", "10.0.0.1"), ("unknown", "10.0.0.1"),
            ("203.0.113.9, nonsense", "10.0.0.1"), ("203.0.113.9, nonsense, 10.3.3.3", "10.3.3.3"), (",", "10.0.0.1"),
            (String(repeating: "10.4.4.4,", count: 1000) + "10.5.5.5", "10.4.4.4"),
        ]
    )
    func forwardedFor(_ header: String, _ client: String) throws {
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        let proxies = try Self.proxies("10.0.0.0/8")
        let proxy = try #require(NetworkAddress("10.0.0.1"))
        #expect(proxies.client(of: [name: header], from: proxy) == NetworkAddress(client))
        let stranger = try #require(NetworkAddress("192.0.2.1"))
        #expect(proxies.client(of: [name: header], from: stranger) == stranger)
        #expect(TrustedProxies().client(of: [name: header], from: proxy) == proxy)
    }

    @Test("tell the address that the log has, unless they are not trusted", arguments: [true, false])
    func log(isTrusted: Bool) async throws {
        let proxies = try isTrusted ? Self.proxies("127.0.0.0/8") : Self.proxies("10.0.0.0/8")
        try await withAPI(Self.setup(proxies)) { api async throws in
            let client = try await RawClient(api)
            let key = "Authorization: Bearer \(APIKeySecret.generate().text)"
            try await client.begin("GET /v1/apps", key, "X-Forwarded-For: 203.0.113.9")
            #expect(await client.read(until: "invalid_api_key").hasPrefix("HTTP/1.1 401"))
            let logged = try #require(api.logs.entries.first { $0.message.contains("without a valid key") })
            #expect(logged.metadata["address"] == (isTrusted ? "203.0.113.9" : "127.0.0.1"))
            try await client.channel.close()
        }
    }

    @Test("give each of their clients the look-ups of one address")
    func throttle() async throws {
        try await withAPI(Self.setup(try Self.proxies("127.0.0.1"))) { api async throws in
            func status(_ address: String) async throws -> Int {
                let name = try #require(HTTPField.Name("X-Forwarded-For"))
                let key = APIKeySecret.generate().text
                return try await api.call(.get, "/v1/apps", key: key, headers: [name: address]).status
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<120 { group.addTask { try await status("203.0.113.9") } }
                let statuses = try await group.reduce(into: Set()) { $0.insert($1) }
                #expect(statuses == [401, 429])
            }
            #expect(try await status("203.0.113.10") == 401)
        }
    }

    @Test(
        "tell the client of a connection by a header of the PROXY protocol",
        arguments: [
            "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n", "PROXY TCP6 2001:db8::9 2001:db8::1 4711 443\r\n",
            "PROXY UNKNOWN\r\n",
        ]
    )
    func header(_ header: String) async throws {
        let proxies = try Self.proxies("127.0.0.1", sendProxyHeader: true)
        try await withAPI(Self.setup(proxies)) { api async throws in
            let client = try await RawClient(api)
            // Byte by byte up to the request.
            for byte in header { try await client.write(String(byte)) }
            try await client.begin("GET /v1/apps", "Authorization: Bearer \(APIKeySecret.generate().text)")
            #expect(await client.read(until: "invalid_api_key").hasPrefix("HTTP/1.1 401"))
            let logged = try #require(api.logs.entries.first { $0.message.contains("without a valid key") })
            let addresses = ["TCP4": "203.0.113.9", "TCP6": "20010db800000000/64"]
            let word = header.split(whereSeparator: \.isWhitespace)[1]
            #expect(logged.metadata["address"]?.description == addresses[String(word)] ?? "127.0.0.1")
            try await client.channel.close()
        }
    }

    @Test("are disconnected without a header of the PROXY protocol, and other clients are if they send one")
    func missingHeader() async throws {
        for range in ["127.0.0.1", "10.0.0.0/8"] {
            let setup = Self.setup(try Self.proxies(range, sendProxyHeader: true))
            try await withAPI(setup) { api async throws in
                let isTrusted = range == "127.0.0.1"
                let client = try await RawClient(api)
                try? await client.write(isTrusted ? "" : "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n")
                try? await client.begin("GET /healthz")
                #expect(await !client.read(until: "never").contains("200 OK"))
                let other = try await RawClient(api)
                try await other.write(isTrusted ? "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n" : "")
                try await other.begin("GET /healthz")
                #expect(await other.read(until: "ok").contains("200 OK"))
                try await other.channel.close()
            }
        }
    }

    @Test("have no limit of connections, but their clients have it")
    func connections() async throws {
        var setup = Self.setup(try Self.proxies("127.0.0.1", sendProxyHeader: true))
        setup.configuration.connections.perAddress = 2
        try await withAPI(setup) { api async throws in
            func open(_ address: String) async throws -> RawClient {
                let client = try await RawClient(api)
                try await client.write("PROXY TCP4 \(address) 192.0.2.1 4711 443\r\n")
                try? await client.begin("GET /healthz")
                return client
            }
            var clients: [RawClient] = []
            for address in ["203.0.113.1", "203.0.113.1", "203.0.113.2", "203.0.113.2", "203.0.113.3"] {
                clients.append(try await open(address))
                #expect(await clients[clients.count - 1].read(until: "ok").contains("200 OK"))
            }
            let refused = try await open("203.0.113.1")
            #expect(await !refused.read(until: "never").contains("200 OK"))
            for client in clients { try await client.channel.close() }
        }
    }

    private static let binary: [UInt8] =
        [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0x00, 0x0F]
        + [203, 0, 113, 9, 192, 0, 2, 1, 0x12, 0x67, 0x01, 0xBB, 0x04, 0x00, 0x00]

    private static func read(_ bytes: [UInt8]) -> ProxyHeader.Result {
        ProxyHeader.read(ByteBuffer(bytes: bytes).readableBytesView)
    }

    @Test("send headers of version 2 with further values, for their own connections, and for other families")
    func binaryHeader() throws {
        let client = try #require(NetworkAddress("203.0.113.9"))
        #expect(Self.read(Self.binary + [1, 2]) == .header(ProxyHeader(client: client, length: Self.binary.count)))
        for count in 0..<Self.binary.count { #expect(Self.read(Array(Self.binary.prefix(count))) == .incomplete) }
        func changed(_ place: Int, _ byte: UInt8) -> ProxyHeader.Result {
            var bytes = Self.binary
            bytes[place] = byte
            return Self.read(bytes)
        }
        let none = ProxyHeader.Result.header(ProxyHeader(client: nil, length: Self.binary.count))
        #expect(changed(12, 0x20) == none)
        #expect(changed(13, 0x00) == none)
        #expect(changed(13, 0x31) == none)
        #expect(changed(12, 0x11) == .invalid)
        #expect(changed(12, 0x22) == .invalid)
        #expect(changed(13, 0x21) == .invalid, "too short for IPv6")
        #expect(changed(13, 0x41) == .invalid)
        #expect(changed(14, 0xFF) == .invalid, "too long")
        let six = Array(Self.binary.prefix(13)) + [0x21, 0, 36] + [UInt8](repeating: 1, count: 36)
        let address = try #require(NetworkAddress("101:101:101:101:101:101:101:101"))
        #expect(Self.read(six) == .header(ProxyHeader(client: address, length: 52)))
    }

    @Test(
        "are refused with a malformed header",
        arguments: [
            "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY TCP4\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n",
            "PROXY TCP4 ::1 ::1 1 1\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1 \r\n",
            "PROXY TCP4  1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\r ", "proxy UNKNOWN\r\n",
            "PROXY " + String(repeating: "x", count: 200),
        ]
    )
    func malformedHeader(_ header: String) { #expect(Self.read(Array(header.utf8)) == .invalid) }

    @Test("cannot crash the server with any bytes")
    func mutations() {
        let texts = [Self.binary, Array("PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n".utf8)]
        var generator = SeededRandom(seed: 1)
        for round in 0..<20_000 {
            var bytes = texts[round % 2]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            let count = Int.random(in: 0...bytes.count, using: &generator)
            if case .header(let header) = Self.read(Array(bytes.prefix(count))) { #expect(header.length <= count) }
        }
    }
}
