// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import NIOCore
import Testing

@Suite("Policies of connections", .timeLimit(.minutes(20)))
struct ConnectionPolicyTests {
    private static let app = "com.example.app"

    private func withClient(
        _ change: (inout APNsSimulatorOptions) -> Void = { _ in },
        clock: SimulatorClock = .system,
        _ body: (APNsSimulator, ProviderTestClient, [(StaticString, String)]) async throws -> Void
    ) async throws {
        var switches = APNsSimulatorOptions()
        change(&switches)
        try await withTestSimulator(switches: switches, clock: clock) { simulator in
            let token = try #require(try simulator.bootDevice(apps: [Self.app]).token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            try await client.exchangeGreetings()
            try await body(simulator, client, try PushRequest.fields(simulator, token: token))
            await client.close()
        }
    }

    private static func bad(_ fields: [(StaticString, String)]) -> [(StaticString, String)] {
        fields.map { "\($0.0)" == ":path" ? ($0.0, "/3/device/" + String(repeating: "ab", count: 32)) : $0 }
    }

    @Test("bad device tokens shrink the grant, announced with SETTINGS, and then GOAWAY names the reason")
    func penalties() async throws {
        try await self.withClient { switches in
            switches.connections.shrinkThreshold = 4
            switches.connections.disconnectThreshold = 8
        } _: { simulator, client, fields in
            var limits = client.streamLimits.makeAsyncIterator()
            #expect(await limits.next() == 1)
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            #expect(await limits.next() == 1000)
            for _ in 0..<2 {
                #expect(try await client.send(Self.bad(fields), body: PushRequest.body).status == "400")
            }
            #expect(await limits.next() == 500)
            let info = try #require(await simulator.connections().first)
            #expect(info.grantedStreams == 500)
            #expect(info.badDeviceTokens == 2)
            #expect(info.points == 4)
            for _ in 0..<2 { _ = try? await client.send(Self.bad(fields), body: PushRequest.body) }
            #expect(try await client.receivedGoAway().debugData == #"{"reason":"TooManyRequests"}"#)
            try await client.waitForClose()
        }
    }

    @Test("a thousand pushes with one bad token in a hundred keep their streams")
    func ordinary() async throws {
        try await self.withClient { simulator, client, fields in
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            let requests = (0..<900).map { $0.isMultiple(of: 100) ? Self.bad(fields) : fields }
            let results = try await client.sendAll(requests, body: PushRequest.body)
            #expect(results.count { (try? $0.get())?.status == "400" } == 9)
            #expect(await simulator.connections().first?.grantedStreams == 1000)
        }
    }

    @Test("a connection without requests is told to go away with IdleTimeout, and one with requests is not")
    func idle() async throws {
        let time = TestSimulatorClock(.now)
        try await self.withClient({ $0.connections.idleTimeout = 3600 }, clock: time.clock) {
            simulator,
            client,
            fields in
            time.advance(by: .seconds(3000))
            let other = try await ProviderTestClient(simulator)
            let fresh = try PushRequest.fields(simulator, token: "00")
            #expect(try await other.send(fresh, body: PushRequest.body).status == "400")
            time.advance(by: .seconds(700))
            #expect(try await client.receivedGoAway().debugData == #"{"reason":"IdleTimeout"}"#)
            try await client.waitForClose()
            let again = try PushRequest.fields(simulator, token: "00")
            #expect(try await other.send(again, body: PushRequest.body).status == "400")
            await other.close()
        }
    }

    @Test("connections are listed with their trust and their figures")
    func list() async throws {
        try await self.withClient { simulator, client, fields in
            #expect(await simulator.connections().first?.trust == ProviderConnectionInfo.Trust.none)
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            let certificate = try simulator.issueCertificate(PushCertificateRequest(bundleID: Self.app, topics: []))
            let second = try await ProviderTestClient(simulator, certificate: certificate)
            let plain = PushRequest.fields(path: "/3/device/00")
            #expect(try await second.send(plain, body: PushRequest.body).reason == "BadDeviceToken")
            let infos = await simulator.connections()
            #expect(infos.map(\.id) == [1, 2])
            let key = simulator.demoKey
            #expect(infos[0].trust == .token(teamID: key.teamID, keyID: key.keyID))
            #expect(infos[0].successes == 1)
            #expect(infos[1].trust == .certificate(bundleID: Self.app, topics: [Self.app]))
            #expect(infos[1].badDeviceTokens == 1)
            await second.close()
        }
    }

    @Test("a connection can be told to go away with a reason, or be cut")
    func end() async throws {
        try await self.withClient { simulator, client, _ in
            #expect(simulator.endConnection(1, reason: .internalServerError))
            #expect(try await client.receivedGoAway().debugData == #"{"reason":"InternalServerError"}"#)
            try await client.waitForClose()
            let second = try await ProviderTestClient(simulator)
            simulator.endConnections(reason: nil)
            try await second.waitForClose()
            await #expect(throws: (any Error).self) { try await second.receivedGoAway() }
            #expect(!simulator.endConnection(99, reason: nil))
        }
    }

    @Test("when a key is revoked its next request is refused, or its connections go", arguments: [false, true])
    func revoke(disconnects: Bool) async throws {
        try await self.withClient { switches in
            switches.connections.revocationDisconnects = disconnects
        } _: { simulator, client, fields in
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            #expect(simulator.revokeKey(simulator.demoKey.keyID))
            #expect(!simulator.revokeKey(simulator.demoKey.keyID))
            if disconnects {
                #expect(try await client.receivedGoAway().debugData == #"{"reason":"InvalidProviderToken"}"#)
            } else {
                let refused = try await client.send(fields, body: PushRequest.body)
                #expect(refused.reason == "InvalidProviderToken")
            }
        }
    }

    @Test("a connection that has requests open is told to go away once, and not again")
    func once() async throws {
        try await self.withClient { simulator, client, fields in
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            simulator.inject(SimulatorFault(.silence, count: 1))
            let silent = client.start(fields, body: PushRequest.body)
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            for _ in 0..<3 { simulator.endConnections(reason: .idleTimeout) }
            #expect(try await client.receivedGoAway().debugData == #"{"reason":"IdleTimeout"}"#)
            simulator.endConnections(reason: nil)
            try await client.waitForClose()
            #expect(try await client.goAways == 1)
            await #expect(throws: (any Error).self) { try await silent.get() }
        }
    }
}
