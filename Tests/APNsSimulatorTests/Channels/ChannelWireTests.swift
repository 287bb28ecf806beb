// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

@Suite("Channels on the wire", .timeLimit(.minutes(20)))
struct ChannelWireTests {
    private static let app = "com.example.app"
    private static let create = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)

    private static func fields(
        _ jwt: String,
        _ method: String,
        _ path: String,
        _ others: [(StaticString, String)] = []
    ) -> [(StaticString, String)] {
        [
            (":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost"),
            ("authorization", "bearer \(jwt)"),
        ] + others
    }

    /// One provider token for all requests of a test: it may not change with each.
    private static func token(_ simulator: APNsSimulator) throws -> String {
        try ProviderTokenFactory(simulator.demoKey).token(issuedAt: simulator.now)
    }

    private static func broadcast(_ channel: String, others: [(StaticString, String)] = []) -> [(StaticString, String)]
    {
        [
            ("apns-channel-id", channel), ("apns-expiration", "0"), ("apns-priority", "10"),
            ("apns-push-type", "LiveActivity"),
        ] + others
    }

    @Test("a channel is created, read, listed and deleted on the port of its own")
    func management() async throws {
        try await withTestSimulator { simulator in
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator, port: simulator.channelPort)
            let path = "/1/apps/\(Self.app)/channels"
            let requestID = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
            let created = try await client.send(
                Self.fields(jwt, "POST", path, [("apns-request-id", requestID)]),
                body: Self.create
            )
            #expect(created.status == "201")
            #expect(created.headers["apns-request-id"] == requestID)
            #expect(!created.hasData)
            let id = try #require(created.headers["apns-channel-id"])
            #expect(Data(base64Encoded: id)?.count == 16)

            let read = try await client.send(
                Self.fields(jwt, "GET", path, [("apns-channel-id", id)])
            )
            #expect(read.status == "200")
            #expect(
                String(decoding: read.body, as: UTF8.self)
                    == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
            )
            #expect(APNsID(canonical: read.headers["apns-request-id"] ?? "") != nil)

            let listPath = "/1/apps/\(Self.app)/all-channels"
            let listed = try await client.send(Self.fields(jwt, "GET", listPath))
            #expect(try JSONDecoder().decode([String: [String]].self, from: Data(listed.body)) == ["channels": [id]])

            let deleted = try await client.send(
                Self.fields(jwt, "DELETE", path, [("apns-channel-id", id)])
            )
            #expect(deleted.status == "204")
            #expect(!deleted.hasData)
            let gone = try await client.send(Self.fields(jwt, "GET", path, [("apns-channel-id", id)]))
            #expect(gone.status == "400")
            #expect(gone.reason == "ChannelNotRegistered")
            #expect(gone.headers["content-type"] == "application/json")
            #expect(gone.headers["apns-request-id"] != nil)
            await client.close()
        }
    }

    @Test("ten thousand channels are listed in one answer")
    func longList() async throws {
        try await withTestSimulator { simulator in
            for _ in 0..<10_000 { _ = try simulator.createChannel(for: Self.app) }
            #expect(throws: APNsSimulatorError.self) { try simulator.createChannel(for: Self.app) }
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator, port: simulator.channelPort)
            let listed = try await client.send(
                Self.fields(jwt, "GET", "/1/apps/\(Self.app)/all-channels")
            )
            let channels = try JSONDecoder().decode([String: [String]].self, from: Data(listed.body))
            #expect(channels["channels"]?.count == 10_000)
            await client.close()
        }
    }

    @Test("a broadcast goes through the provider port, and reaches the activity")
    func broadcast() async throws {
        try await withTestSimulator { simulator in
            let channel = try simulator.createChannel(for: Self.app)
            let device = try simulator.bootDevice(apps: [Self.app])
            try simulator.changeApp(Self.app, on: device.id) { $0.state = .foreground }
            let activity = try simulator.startActivity(
                ActivityRequest(
                    bundleID: Self.app,
                    attributesType: "GameAttributes",
                    contentState: ["score": 0],
                    pushType: .channel(channel.id)
                ),
                on: device.id
            )
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let timestamp = Int(simulator.now.timeIntervalSince1970)
            let body = #"{"aps":{"event":"update","timestamp":\#(timestamp),"content-state":{"score":1}}}"#
            let response = try await client.send(
                Self.fields(
                    jwt,
                    "POST",
                    "/4/broadcasts/apps/\(Self.app)",
                    Self.broadcast(channel.id)
                ),
                body: Array(body.utf8)
            )
            #expect(response.status == "200")
            #expect(APNsID(canonical: response.headers["apns-unique-id"] ?? "") != nil)
            #expect(APNsID(canonical: response.headers["apns-request-id"] ?? "") != nil)
            #expect(response.headers["apns-id"] == nil)
            #expect(simulator.activity(activity.id)?.contentState == ["score": 1])
            #expect(simulator.channel(channel.id, of: Self.app)?.messages.map(\.deliveries) == [1])
            await client.close()
        }
    }

    @Test("apns-unique-id is on broadcasts in production, too")
    func production() async throws {
        try await withTestSimulator(environment: .production) { simulator in
            let channel = try simulator.createChannel(for: Self.app)
            let jwt = try Self.token(simulator)
            let client = try await ProviderTestClient(simulator)
            let response = try await client.send(
                Self.fields(jwt, "POST", "/4/broadcasts/apps/\(Self.app)", Self.broadcast(channel.id)),
                body: Array(#"{"aps":{}}"#.utf8)
            )
            #expect(response.status == "200")
            #expect(response.headers["apns-unique-id"] != nil)
            await client.close()
        }
    }

    @Test("each port serves its own paths only")
    func ports() async throws {
        try await withTestSimulator { simulator in
            let channel = try simulator.createChannel(for: Self.app)
            let jwt = try Self.token(simulator)
            let management = try await ProviderTestClient(simulator, port: simulator.channelPort)
            let provider = try await ProviderTestClient(simulator)
            let broadcast = try await management.send(
                Self.fields(jwt, "POST", "/4/broadcasts/apps/\(Self.app)", Self.broadcast(channel.id)),
                body: Array(#"{"aps":{}}"#.utf8)
            )
            #expect(broadcast.reason == "BadPath")
            let list = try await provider.send(
                Self.fields(jwt, "GET", "/1/apps/\(Self.app)/all-channels")
            )
            #expect(list.reason == "BadPath")
            let push = try await management.send(
                Self.fields(jwt, "POST", "/3/device/00"),
                body: PushRequest.body
            )
            #expect(push.reason == "BadPath")
            await management.close()
            await provider.close()
        }
    }

    @Test("a certificate manages the channels of its app")
    func certificate() async throws {
        try await withTestSimulator { simulator in
            let certificate = try simulator.issueCertificate(PushCertificateRequest(bundleID: Self.app))
            let client = try await ProviderTestClient(
                simulator,
                port: simulator.channelPort,
                certificate: certificate
            )
            let fields: [(StaticString, String)] = [
                (":method", "POST"), (":scheme", "https"), (":path", "/1/apps/\(Self.app)/channels"),
                (":authority", "localhost"),
            ]
            #expect(try await client.send(fields, body: Self.create).status == "201")
            await client.close()
        }
    }
}
