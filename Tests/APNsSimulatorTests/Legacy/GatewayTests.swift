// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import NIOCore
import Testing

@testable import APNsSimulator

@Suite("Binary gateway and feedback service", .timeLimit(.minutes(20)))
struct GatewayTests {
    private static let app = "com.example.app"
    private static let payload = Array(#"{"aps":{"alert":"hello"}}"#.utf8)

    private func withGateway(
        _ change: (inout APNsSimulatorOptions) -> Void = { _ in },
        _ body: (APNsSimulator, IssuedCertificate) async throws -> Void
    ) async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.gatewayPort = 0
        configuration.feedbackPort = 0
        change(&configuration.switches)
        try await withSilentSimulator(configuration) { simulator in
            try await body(simulator, simulator.issueCertificate(PushCertificateRequest(bundleID: Self.app)))
        }
    }

    private static func gateway(
        _ simulator: APNsSimulator,
        _ certificate: IssuedCertificate?
    ) async throws -> LegacyTestClient {
        try await LegacyTestClient(
            simulator,
            port: simulator.currentEndpoints?.gatewayPort,
            certificate: certificate
        )
    }

    private static func feedback(_ simulator: APNsSimulator, _ certificate: IssuedCertificate) async throws -> [UInt8] {
        try await LegacyTestClient(
            simulator,
            port: simulator.currentEndpoints?.feedbackPort,
            certificate: certificate
        ).heard()
    }

    private static func notification(_ identifier: UInt32, _ token: DeviceToken, command: UInt8 = 1) -> [UInt8] {
        let expiry: UInt32? = command == 0 ? nil : .max
        return BinaryNotification(
            command: command,
            identifier: identifier,
            expiry: expiry,
            token: token.bytes,
            payload: Self.payload
        ).wire
    }

    @Test("a notification of each command reaches the device without a word", arguments: [0, 1, 2] as [UInt8])
    func commands(command: UInt8) async throws {
        try await self.withGateway { simulator, certificate in
            let device = try simulator.bootDevice(apps: [Self.app])
            var deliveries = simulator.deliveries().makeAsyncIterator()
            let client = try await Self.gateway(simulator, certificate)
            try await client.send(Self.notification(1, try #require(device.token(Self.app)), command: command))
            let delivery = try #require(await deliveries.next())
            #expect(delivery.notification.payload == Self.payload)
            #expect(delivery.device == device.id)
            await client.close()
            #expect(try await client.heard().isEmpty)
        }
    }

    @Test(
        "of 100 notifications the 50th is bad: the error packet says which to send again, and one resend delivers all"
    )
    func hundred() async throws {
        try await self.withGateway { simulator, certificate in
            var tokens = try simulator.bootDevices(100, apps: [Self.app])
            tokens[49] = try DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32))
            let client = try await Self.gateway(simulator, certificate)
            let all = tokens.enumerated().map { Self.notification(UInt32($0.offset), $0.element) }
            try await client.send(all.flatMap { $0 })
            let packet = try await client.heard()
            #expect(packet == [8, 8, 0, 0, 0, 49])
            // Everything behind the bad one is gone: 49 arrived.
            #expect(simulator.statistics.delivered == 49)

            let again = try await Self.gateway(simulator, certificate)
            var deliveries = simulator.deliveries().makeAsyncIterator()
            try await again.send(all[50...].flatMap { $0 })
            for _ in 0..<50 { _ = await deliveries.next() }
            #expect(simulator.statistics.delivered == 99)
            await again.close()
        }
    }

    @Test("of two bad notifications only the first is told")
    func onlyTheFirst() async throws {
        try await self.withGateway { simulator, certificate in
            let good = try simulator.bootDevices(3, apps: [Self.app])
            let bad = try DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32))
            let client = try await Self.gateway(simulator, certificate)
            let tokens = [good[0], bad, good[1], bad, good[2]]
            for (index, token) in tokens.enumerated() {
                // The gateway may have hung up by now; that is what the sender cannot see coming.
                try? await client.send(Self.notification(UInt32(index + 1), token))
            }
            #expect(try await client.heard() == [8, 8, 0, 0, 0, 2])
            #expect(simulator.statistics.delivered == 1)
        }
    }

    @Test("what is sent until a late error packet comes is discarded as well")
    func lateErrorPacket() async throws {
        try await self.withGateway({ $0.legacy.errorDelay = 0.05 }) { simulator, certificate in
            let good = try simulator.bootDevices(2, apps: [Self.app])
            let bad = try DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32))
            let client = try await Self.gateway(simulator, certificate)
            try await client.send(Self.notification(1, good[0]) + Self.notification(2, bad))
            // On a slow machine the packet, and the end, come before this.
            try? await client.send(Self.notification(3, good[1]))
            #expect(try await client.heard() == [8, 8, 0, 0, 0, 2])
            #expect(simulator.statistics.delivered == 1)
        }
    }

    @Test("command 0 has no error packet: the connection just ends")
    func commandZero() async throws {
        try await self.withGateway { simulator, certificate in
            let bad = try DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32))
            let client = try await Self.gateway(simulator, certificate)
            try await client.send(Self.notification(0, bad, command: 0))
            #expect(try await client.heard().isEmpty)
        }
    }

    @Test("garbage is answered with a protocol error")
    func garbage() async throws {
        try await self.withGateway { simulator, certificate in
            let client = try await Self.gateway(simulator, certificate)
            try await client.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(try await client.heard() == [8, 128, 0, 0, 0, 0])
        }
    }

    @Test("without a certificate, or with one of the other environment, there is no gateway")
    func trust() async throws {
        try await self.withGateway { simulator, _ in
            let token = try simulator.bootDevices(1, apps: [Self.app])[0]
            let production = try simulator.issueCertificate(
                PushCertificateRequest(bundleID: Self.app, environments: [.production])
            )
            for certificate in [nil, production] {
                let client = try await Self.gateway(simulator, certificate)
                try? await client.send(Self.notification(1, token))
                #expect(try await client.heard().isEmpty)
            }
            #expect(simulator.statistics.delivered == 0)
        }
    }

    @Test("a fault can shut the gateway: status 10 names the last notification that was taken")
    func shutdown() async throws {
        try await self.withGateway { simulator, certificate in
            let tokens = try simulator.bootDevices(3, apps: [Self.app])
            simulator.inject(SimulatorFault(.reject(Rejection(.shutdown)), skip: 2, count: 1))
            let client = try await Self.gateway(simulator, certificate)
            try await client.send((0..<3).flatMap { Self.notification(UInt32(40 + $0), tokens[$0]) })
            #expect(try await client.heard() == [8, 10, 0, 0, 0, 41])
            #expect(simulator.statistics.delivered == 2)
        }
    }

    @Test("the feedback service tells of tokens whose app is gone, once")
    func feedback() async throws {
        try await self.withGateway { simulator, certificate in
            let devices = try (0..<2).map { _ in try simulator.bootDevice(apps: [Self.app]) }
            let tokens = try devices.map { try #require($0.token(Self.app)) }
            simulator.core.withWorld { world in
                let index = world.registration(of: TokenKey(bytes: tokens[0].bytes))
                if let index { world.endToken(index, now: 1_760_000_000) }
            }
            let client = try await Self.gateway(simulator, certificate)
            var deliveries = simulator.deliveries().makeAsyncIterator()
            try await client.send(Self.notification(1, tokens[0]) + Self.notification(2, tokens[1]))
            _ = await deliveries.next()
            await client.close()
            let heard = try await Self.feedback(simulator, certificate)
            #expect(heard == [0x68, 0xE7, 0x78, 0x00, 0, 32] + tokens[0].bytes)
            #expect(try await Self.feedback(simulator, certificate).isEmpty)
        }
    }
}
