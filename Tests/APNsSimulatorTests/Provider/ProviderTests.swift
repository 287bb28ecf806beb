// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

@Suite("Provider port", .timeLimit(.minutes(20)))
struct ProviderTests {
    private static let app = "com.example.app"

    @Test("a push over TLS reaches the device; the answer ends on its HEADERS and echoes apns-id")
    func push() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            let id = "EABEAE54-14A8-11E5-B60B-1697F925EC7B"
            let fields = try PushRequest.fields(simulator, token: token, others: [("apns-id", id)])
            let response = try await client.send(fields, body: PushRequest.body)
            #expect(response.status == "200")
            #expect(response.headers["apns-id"] == id.lowercased())
            #expect(APNsID(canonical: response.headers["apns-unique-id"] ?? "") != nil)
            #expect(!response.hasData)
            let notification = try #require(simulator.device(device.id)?.notifications.first)
            #expect(notification.payload == PushRequest.body)
            #expect(notification.apnsID.description == id.lowercased())
            await client.close()
        }
    }

    @Test("production answers carry no apns-unique-id; an apns-id is made up where none was sent")
    func production() async throws {
        try await withTestSimulator(environment: .production) { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            let response = try await client.send(
                try PushRequest.fields(simulator, token: token),
                body: PushRequest.body
            )
            #expect(response.status == "200")
            #expect(response.headers["apns-unique-id"] == nil)
            #expect(APNsID(canonical: response.headers["apns-id"] ?? "") != nil)
            await client.close()
        }
    }

    @Test("a refusal is JSON with its reason, and with the time for 410")
    func refusals() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
            let fields = try PushRequest.fields(simulator, token: "00", others: [("apns-id", id)])
            let bad = try await client.send(fields, body: PushRequest.body)
            #expect(bad.status == "400")
            #expect(bad.reason == "BadDeviceToken")
            #expect(bad.headers["content-type"] == "application/json")
            #expect(bad.headers["apns-id"] == id)
            let before = Date()
            try simulator.uninstall(Self.app, from: device.id)
            let after = Date()
            let gone = try await client.send(try PushRequest.fields(simulator, token: token), body: PushRequest.body)
            #expect(gone.status == "410")
            #expect(gone.reason == "Unregistered")
            let since = Double(try #require(gone.timestamp))
            #expect(since >= (before.timeIntervalSince1970 * 1000).rounded(.down))
            #expect(since <= (after.timeIntervalSince1970 * 1000).rounded(.up))
            #expect(simulator.statistics.rejected == [.badDeviceToken: 1, .unregistered: 1])
            await client.close()
        }
    }

    @Test("clients that negotiate no ALPN or send host in the place of :authority are served")
    func oldClients() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator, applicationProtocols: [])
            let fields = try PushRequest.fields(simulator, token: token, others: [("host", "localhost")])
                .filter { "\($0.0)" != ":authority" }
            let response = try await client.send(fields, body: PushRequest.body)
            #expect(response.status == "200")
            await client.close()
        }
    }

    @Test("a connection has one stream until a push succeeded, then as many as configured")
    func streamLimits() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            var limits = client.streamLimits.makeAsyncIterator()
            #expect(await limits.next() == 1)
            let refused = try await client.send(
                try PushRequest.fields(simulator, token: "00"),
                body: PushRequest.body
            )
            #expect(refused.status == "400")
            let response = try await client.send(
                try PushRequest.fields(simulator, token: token),
                body: PushRequest.body
            )
            #expect(response.status == "200")
            #expect(await limits.next() == 1000)
            await client.close()
        }
    }

    @Test("a certificate opens all streams at once and needs no provider token")
    func certificate() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let certificate = try simulator.issueCertificate(PushCertificateRequest(bundleID: Self.app))
            let client = try await ProviderTestClient(simulator, certificate: certificate)
            let fields = PushRequest.fields(path: "/3/device/\(token)", others: [("apns-topic", Self.app)])
            let response = try await client.send(fields, body: PushRequest.body)
            #expect(response.status == "200")
            for await limit in client.streamLimits where limit == 1000 { break }
            await client.close()
        }
    }

    @Test("a certificate that another authority issued is refused in the handshake")
    func foreignCertificate() async throws {
        try await withTestSimulator { other in
            let certificate = try other.issueCertificate(PushCertificateRequest(bundleID: Self.app))
            try await withTestSimulator { simulator in
                _ = await #expect(throws: (any Error).self) {
                    let client = try await ProviderTestClient(simulator, certificate: certificate)
                    _ = try await client.send(PushRequest.fields(path: "/3/device/00"), body: PushRequest.body)
                }
            }
        }
    }

    @Test("500 pushes in flight on one connection are all answered and all delivered")
    func manyStreams() async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(500, apps: [Self.app])
            let client = try await ProviderTestClient(simulator)
            let first = try PushRequest.fields(simulator, token: tokens[0].hex)
            #expect(try await client.send(first, body: PushRequest.body).status == "200")
            var requests: [[(StaticString, String)]] = []
            for token in tokens.dropFirst() {
                var fields = first
                fields[2].1 = "/3/device/\(token.hex)"
                requests.append(fields)
            }
            let results = try await client.sendAll(requests, body: PushRequest.body)
            #expect(results.allSatisfy { (try? $0.get())?.status == "200" })
            #expect(simulator.statistics.delivered == 500)
            #expect(simulator.statistics.signatureChecks == 1)
            await client.close()
        }
    }

    @Test("a body of 100 kB is refused before it has come to its end")
    func hugeBody() async throws {
        try await withTestSimulator { simulator in
            let device = try simulator.bootDevice(apps: [Self.app])
            let token = try #require(device.token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            let response = try await client.send(
                try PushRequest.fields(simulator, token: token),
                body: [UInt8](repeating: 0x20, count: 100_000)
            )
            #expect(response.status == "413")
            #expect(response.reason == "PayloadTooLarge")
            await client.close()
        }
    }

    @Test("bytes that are no TLS end their connection and nothing else")
    func garbage() async throws {
        try await withTestSimulator { simulator in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: simulator.port).get()
            try await channel.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
            try await channel.closeFuture.get()
            let client = try await ProviderTestClient(simulator)
            let response = try await client.send(PushRequest.fields(path: "/"), body: PushRequest.body)
            #expect(response.reason == "BadPath")
            await client.close()
        }
    }
}
