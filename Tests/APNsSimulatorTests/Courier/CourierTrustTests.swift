// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import APNsSimulator

@Suite("Trust and limits of the courier port", .timeLimit(.minutes(20)))
struct CourierTrustTests {
    private static let app = Provider.app

    @Test("TLS refuses a client without a certificate, and certificates of other authorities, of providers, or expired")
    func wrongAuthority() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            _ = try simulator.activateDevice(phone.id)
            let now = Date()
            let other = try CertificateAuthority(name: CertificateAuthority.deviceName, now: now)
            let certificates: [IssuedCertificate?] = [
                nil,
                try other.issueDevice(phone.id, lifetime: 3600, now: now),
                try simulator.credentials.authority.issueDevice(phone.id, lifetime: 3600, now: now),
                try simulator.issueCertificate(PushCertificateRequest(bundleID: Self.app)),
                try simulator.activateDevice(phone.id, lifetime: .seconds(-3600)),
            ]
            for certificate in certificates {
                let client = try await CourierTestClient(simulator, certificate)
                for await message in client.messages { Issue.record("\(message.members)") }
            }
            #expect(try simulator.activation(of: phone.id).connection == .simulated)
        }
    }

    @Test("a device certificate is no provider's")
    func noProvider() async throws {
        try await withCourier { simulator in
            let certificate = try simulator.activateDevice(try simulator.bootDevice(apps: []).id)
            await #expect(throws: (any Error).self) {
                let client = try await ProviderTestClient(simulator, certificate: certificate)
                _ = try await client.send(PushRequest.fields(path: "/3/device/00"))
            }
        }
    }

    @Test("a certificate of the right authority is refused without an activation, after a later one, or for nobody")
    func identities() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let authority = simulator.credentials.deviceAuthority
            let early = try authority.issueDevice(phone.id, lifetime: 3600, now: Date())
            let nobody = try authority.issueDevice(VirtualDeviceID(rawValue: "nobody"), lifetime: 3600, now: Date())
            for certificate in [early, nobody] {
                #expect(try await CourierTestClient(simulator, certificate).end() == "unknownDevice")
            }
            let first = try simulator.activateDevice(phone.id)
            let client = try await CourierTestClient(simulator, first, enabling: Self.app)
            let second = try simulator.activateDevice(phone.id)
            // The connection of the replaced certificate is over, too.
            #expect(try await client.end() == "revoked")
            for certificate in [early, first] {
                #expect(try await CourierTestClient(simulator, certificate).end() == "revoked")
            }
            let next = try await CourierTestClient(simulator, second, enabling: Self.app)
            #expect(try await next.token(Self.app) == phone.token(Self.app)?.hex)
            await next.close()
        }
    }

    @Test("a revoked device is disconnected, cannot connect in any way, and gets no token until it is activated again")
    func revocation() async throws {
        try await withCourier { simulator in
            let control = ControlClient(simulator)
            let phone = try simulator.bootDevice(apps: [Self.app])
            let path = "/v1/devices/\(phone.id)"
            let created = try await control.send("POST", path + "/activation")
            #expect(created.status == 201)
            let certificate = IssuedCertificate(
                certificatePEM: try #require(created.string("certificatePEM")),
                privateKeyPEM: try #require(created.string("privateKeyPEM"))
            )
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            var shown = try await control.send("GET", path + "/activation").json
            #expect(shown["activated"] as? Bool == true && shown["connection"] as? String == "courier")
            #expect(shown["topics"] as? [String] == [Self.app])
            #expect((shown["certificateSHA256"] as? String)?.count == 64)

            #expect(try await control.send("DELETE", path + "/activation").status == 204)
            #expect(try await client.end() == "revoked")
            #expect(try await CourierTestClient(simulator, certificate).end() == "revoked")
            shown = try await control.send("GET", path + "/activation").json
            #expect(shown["activated"] as? Bool == false && shown["connection"] is NSNull)
            #expect(try await control.send("DELETE", path + "/activation").status == 404)
            #expect(try await control.send("GET", path).json["online"] as? Bool == false)
            for (method, route, body) in [
                ("PATCH", path, #"{"online":true}"#), ("POST", path + "/apps", #"{"bundleID":"com.example.b"}"#),
                ("POST", path + "/apps/\(Self.app)/reinstall", "{}"),
            ] {
                let answer = try await control.send(method, route, body)
                #expect(answer.status == 409 && answer.string("code") == "not-activated", "\(method) \(route)")
            }
            // APNs accepts pushes, and stores them.
            let provider = try await Provider(simulator)
            #expect(try await provider.push(to: phone).status == "200")
            #expect(simulator.device(phone.id)?.waitingNotifications == 1)

            #expect(try await control.send("POST", path + "/activation").status == 201)
            #expect(try await control.send("PATCH", path, #"{"online":true}"#).status == 200)
            #expect(simulator.device(phone.id)?.notifications.count == 1)
            await provider.client.close()
        }
    }

    @Test("the control API disconnects a connected device, and a device that connects takes the simulated one's place")
    func online() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            #expect(try simulator.activation(of: phone.id).connection == .simulated)
            let certificate = try simulator.activateDevice(phone.id)
            #expect(try simulator.activation(of: phone.id).connection == .simulated)
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            #expect(try simulator.activation(of: phone.id).connection == .courier)
            // It is online: nothing changes.
            try simulator.setOnline(true, phone.id)
            #expect(try simulator.activation(of: phone.id).connection == .courier)
            try simulator.setOnline(false, phone.id)
            #expect(try await client.end() == "offline")
            #expect(try simulator.activation(of: phone.id).connection == nil)
            try simulator.setOnline(true, phone.id)
            #expect(try simulator.activation(of: phone.id).connection == .simulated)
            let provider = try await Provider(simulator)
            try await provider.push(to: phone)
            #expect(simulator.statistics.delivered == 1)
            await provider.client.close()
        }
    }

    // MARK: Limits

    @Test("a frame without content, or one that is too long, ends the connection", arguments: [0, 65_537, UInt32.max])
    func frames(length: UInt32) async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [Self.app])
            let client = try await CourierTestClient(simulator, simulator.activateDevice(phone.id), enabling: Self.app)
            try await client.send(bytes: withUnsafeBytes(of: length.bigEndian) { Array($0) } + [1, 2, 3])
            #expect(try await client.end() == "protocolError")
        }
    }

    @Test("a connection beyond the maximum is closed, and one that never shakes hands is cut")
    func connections() async throws {
        try await withCourier({
            $0.switches.courier.maximumConnections = 1
            $0.courierHandshakeTimeout = .milliseconds(200)
        }) { simulator in
            let silent = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: try #require(simulator.currentEndpoints?.courierPort)).get()
            try await silent.closeFuture.get()
            let certificate = try simulator.activateDevice(try simulator.bootDevice(apps: []).id)
            var client: CourierTestClient?
            // The simulator may still count the first connection.
            try await waitUntil {
                let next = try await CourierTestClient(simulator, certificate)
                guard (try? await next.next().type) == "welcome" else { return false }
                client = next
                return true
            }
            let second = try await CourierTestClient(simulator, certificate)
            for await message in second.messages { Issue.record("\(message.members)") }
            #expect(try await client?.call(#"{"type":"ping"}"#).type == "pong")
            await client?.close()
        }
    }

    @Test("a device has tokens for a limited number of topics")
    func topics() async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [])
            let client = try await CourierTestClient(simulator, simulator.activateDevice(phone.id), enabling: Self.app)
            for number in 0..<CourierRequest.maximumTopics {
                #expect(try await client.token("com.example.app\(number)") != nil)
            }
            let one = try await client.call(#"{"type":"token","topic":"com.example.more"}"#)
            #expect(one.string("code") == "too-many-topics")
            #expect(try await client.token("com.example.app7") != nil)
            await client.close()
        }
    }

    @Test(
        "a message that is none is refused with a code and a detail, and the connection goes on",
        arguments: [
            ("{", "malformed-json"), ("[]", "wrong-type"), ("{}", "missing-field"),
            (#"{"type":"shout"}"#, "invalid-value"), (#"{"type":"ping","more":1}"#, "unknown-field"),
            (#"{"type":"token"}"#, "missing-field"), (#"{"type":"token","topic":"no good"}"#, "invalid-value"),
            (#"{"type":"token","topic":"a.b","token":"xyz"}"#, "invalid-value"),
            (#"{"type":"filter","topics":"a.b"}"#, "wrong-type"),
            (#"{"type":"confirm","apnsID":"1"}"#, "invalid-value"),
            (#"{"type":"confirm","apnsID":"eabeae54-14a8-11e5-b60b-1697f925ec7b"}"#, "not-in-flight"),
        ]
    )
    func messages(json: String, code: String) async throws {
        try await withCourier { simulator in
            let phone = try simulator.bootDevice(apps: [])
            let client = try await CourierTestClient(simulator, simulator.activateDevice(phone.id), enabling: Self.app)
            let answer = try await client.call(json)
            #expect(answer.type == "error" && answer.string("code") == code)
            #expect(answer.string("detail")?.isEmpty == false)
            #expect(try await client.call(#"{"type":"ping"}"#).type == "pong")
            await client.close()
        }
    }

    @Test("bytes that are not as they should be end a connection or are refused, and never the simulator")
    func mutated() async throws {
        let valid = [
            #"{"type":"ping"}"#, #"{"type":"token","topic":"com.example.app"}"#,
            #"{"type":"token","topic":"com.example.app","token":"\#(String(repeating: "ab", count: 32))"}"#,
            #"{"type":"filter","topics":["com.example.app","com.example.app.voip"]}"#,
            #"{"type":"confirm","apnsID":"eabeae54-14a8-11e5-b60b-1697f925ec7b"}"#,
        ]
        try await withCourier { simulator in
            let certificate = try simulator.activateDevice(try simulator.bootDevice(apps: []).id)
            for seed in 0..<150 {
                var random = SplitMix64(seed: UInt64(seed))
                var bytes: [UInt8] = []
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let json = Array((valid.randomElement(using: &random) ?? "").utf8)
                    bytes += withUnsafeBytes(of: UInt32(json.count).bigEndian) { Array($0) } + json
                }
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = .random(in: .min ... .max, using: &random)
                    case 1: bytes.insert(.random(in: .min ... .max, using: &random), at: place)
                    default: if bytes.count > 1 { bytes.remove(at: place) }
                    }
                }
                var frames = CourierFrames()
                var buffer = ByteBuffer(bytes: bytes)
                frames.append(&buffer)
                while let frame = try? frames.next() { _ = try? CourierRequest(frame) }
                let client = try await CourierTestClient(simulator, certificate)
                #expect(try await client.next().type == "welcome")
                try? await client.send(bytes: bytes)
                // Incomplete frames are dropped with the connection.
                await client.close()
            }
            let client = try await CourierTestClient(simulator, certificate, enabling: Self.app)
            #expect(try await client.token(Self.app) != nil)
            await client.close()
        }
    }
}
