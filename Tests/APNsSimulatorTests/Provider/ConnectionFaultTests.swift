// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import HTTP2Session
import NIOCore
import NIOPosix
import Testing

@Suite("Faults of connections", .timeLimit(.minutes(20)))
struct ConnectionFaultTests {
    private static let app = "com.example.app"

    /// A simulator on a port that no other test gets while the simulator does not listen on it.
    private static func configuration(
        _ port: ReservedPort,
        clock: SimulatorClock = .system
    ) -> APNsSimulatorConfiguration {
        var configuration = APNsSimulatorConfiguration(clock: clock)
        configuration.port = port.number
        return configuration
    }

    /// One push on a new connection.
    private func push(_ simulator: APNsSimulator) async throws -> TestResponse {
        let token = try #require(try simulator.bootDevice(apps: [Self.app]).token(Self.app)).hex
        let client = try await ProviderTestClient(simulator)
        do {
            let response = try await client.send(
                try PushRequest.fields(simulator, token: token),
                body: PushRequest.body
            )
            await client.close()
            return response
        } catch {
            await client.close()
            throw error
        }
    }

    /// A push on a new connection succeeds.
    private func expectSuccess(_ simulator: APNsSimulator) async throws {
        let response = try await self.push(simulator)
        #expect(response.status == "200")
    }

    @Test(
        "a connection with this fault does not get an answer, and the next one does",
        arguments: [
            .refuse, .tls(.expiredCertificate), .tls(.wrongName), .tls(.untrustedCertificate), .tls(.cutHandshake),
            .tls(.tls11), .cut(ConnectionCut(after: 0, of: .output)), .cut(ConnectionCut(after: 40, of: .output)),
            .cut(ConnectionCut(after: 10, of: .input)), .cut(ConnectionCut(after: 200, of: .input, resets: true)),
            .cut(ConnectionCut(after: 0, of: .output, layer: .socket)),
            .cut(ConnectionCut(after: 700, of: .output, layer: .socket)),
            .cut(ConnectionCut(after: 100, of: .input, layer: .socket, resets: true)),
        ] as [ConnectionFault]
    )
    func broken(fault: ConnectionFault) async throws {
        try await withTestSimulator { simulator in
            simulator.inject(SimulatorFault(.connection(fault), count: 1))
            await #expect(throws: (any Error).self) { try await self.push(simulator) }
            try await self.expectSuccess(simulator)
        }
    }

    @Test(
        "a connection with this fault is slow or strange, and works",
        arguments: [
            .tls(.noALPN), .tls(.tls12), .slowAccept(.constant(20)), .roundTrip(.constant(20)), .fragments(1),
            .settings(SettingsOverride(initialWindowSize: 5)),
        ] as [ConnectionFault]
    )
    func strange(fault: ConnectionFault) async throws {
        try await withTestSimulator { simulator in
            simulator.inject(SimulatorFault(.connection(fault)))
            try await self.expectSuccess(simulator)
        }
    }

    @Test("a server that agrees on no protocol is left by clients that insist on one")
    func noALPN() async throws {
        try await withTestSimulator { simulator in
            simulator.inject(SimulatorFault(.connection(.tls(.noALPN))))
            await #expect(throws: (any Error).self) {
                try await ProviderTestClient(simulator, acceptsMissingALPN: false)
            }
        }
    }

    @Test("GOAWAY can come in the place of SETTINGS, with reason, code and last stream")
    func goAwayFirst() async throws {
        try await withTestSimulator { simulator in
            let fault = ConnectionFault.goAwayFirst(reason: .shutdown, code: .enhanceYourCalm, lastStreamID: 0)
            simulator.inject(SimulatorFault(.connection(fault), count: 1))
            // A client may take a GOAWAY before SETTINGS for a violation; either way the connection ends.
            await #expect(throws: (any Error).self) { try await self.push(simulator) }
            try await self.expectSuccess(simulator)
            // The last stream was 0: what the client had sent is not taken, and may be sent again.
            #expect(simulator.statistics.requests == 1)
            #expect(simulator.statistics.delivered == 1)
        }
    }

    @Test("the first SETTINGS can grant other streams")
    func firstSettings() async throws {
        try await withTestSimulator { simulator in
            let change = SettingsOverride(maximumConcurrentStreams: 7)
            simulator.inject(SimulatorFault(.connection(.settings(change))))
            let client = try await ProviderTestClient(simulator)
            var limits = client.streamLimits.makeAsyncIterator()
            #expect(await limits.next() == 7)
            await client.close()
        }
    }

    @Test("an injected round trip holds every answer back, in order")
    func roundTrip() async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.roundTrip = .milliseconds(30)
        try await withSilentSimulator(configuration) { simulator in
            let tokens = try simulator.bootDevices(50, apps: [Self.app])
            let start = ContinuousClock.now
            let client = try await ProviderTestClient(simulator)
            let handshake = ContinuousClock.now - start
            #expect(handshake >= .milliseconds(30))
            let first = try PushRequest.fields(simulator, token: tokens[0].hex)
            let second = ContinuousClock.now
            #expect(try await client.send(first, body: PushRequest.body).status == "200")
            #expect(ContinuousClock.now - second >= .milliseconds(30))
            let requests = tokens.map { token in
                first.map { ("\($0.0)" == ":path" ? ($0.0, "/3/device/\(token.hex)") : $0) }
            }
            let results = try await client.sendAll(requests, body: PushRequest.body)
            #expect(results.allSatisfy { (try? $0.get())?.status == "200" })
            await client.close()
        }
    }

    @Test("while the port is unreachable connecting is refused, and connections that are open go on")
    func unreachable() async throws {
        let port = try ReservedPort()
        try await withSilentSimulator(Self.configuration(port)) { simulator in
            let token = try #require(try simulator.bootDevice(apps: [Self.app]).token(Self.app)).hex
            let client = try await ProviderTestClient(simulator)
            let fields = try PushRequest.fields(simulator, token: token)
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            let id = simulator.inject(SimulatorFault(.unreachable))
            await simulator.followFaults()
            await #expect(throws: (any Error).self) {
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: simulator.port).get()
            }
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            simulator.removeFault(id)
            await simulator.followFaults()
            try await self.expectSuccess(simulator)
            #expect(simulator.port == port.number)
            await client.close()
        }
    }

    @Test("the port opens by itself when the window of the fault ends on the simulator's clock")
    func reachableAgain() async throws {
        let port = try ReservedPort()
        let time = TestSimulatorClock(.now)
        try await withSilentSimulator(Self.configuration(port, clock: time.clock)) { simulator in
            simulator.inject(SimulatorFault(.unreachable, window: .init(from: 0, until: 60)))
            await simulator.followFaults()
            await #expect(throws: (any Error).self) { try await self.push(simulator) }
            time.advance(by: .seconds(61))
            await simulator.followFaults()
            try await self.expectSuccess(simulator)
            #expect(simulator.port == port.number)
        }
    }

    @Test("faults can be there from the start")
    func fromTheStart() async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.faults = [FaultScript(steps: [SimulatorFault(.reject(Rejection(.shutdown)), count: 1)])]
        try await withSilentSimulator(configuration) { simulator in
            let refused = try await self.push(simulator)
            #expect(refused.reason == "Shutdown")
            try await self.expectSuccess(simulator)
        }
    }
}
