// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import NIOSSL
import Testing

@testable import APNsSimulator

@Suite("Control API: connections, certificates, teams and fault scripts", .timeLimit(.minutes(20)))
struct ControlWireTests {
    private static let app = "com.example.app"

    @Test("keys are listed and revoked")
    func keys() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let key = simulator.demoKey
            let listed = try #require(try await control.send("GET", "/v1/keys").objects("keys").first)
            #expect(listed["keyID"] as? String == key.keyID)
            #expect(listed["environments"] as? [String] == ["production", "sandbox"])
            #expect(try await control.send("DELETE", "/v1/keys/\(key.keyID)").status == 204)
            #expect(try await control.send("DELETE", "/v1/keys/\(key.keyID)").status == 404)
            #expect(simulator.keys.isEmpty)
        }
    }

    @Test("a key of more than 400 topics is refused")
    func tooManyTopics() async throws {
        try await withTestSimulator { simulator in
            let topics = Set((0...400).map { "com.example.app\($0)" })
            #expect(throws: APNsSimulatorError.self) { try simulator.makeKey(topics: topics) }
        }
    }

    @Test("a certificate comes as PEM, and as PKCS #12 with a password")
    func certificates() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let plain = try await control.send("POST", "/v1/certificates", #"{"bundleID":"com.example.app"}"#)
            #expect(plain.status == 201)
            #expect(plain.json["p12"] == nil)
            let body = #"{"bundleID":"com.example.app","password":"secret","voipTopics":["com.example.app.voip"]}"#
            let answer = try await control.send("POST", "/v1/certificates", body)
            let text = try #require(answer.string("p12"))
            let file = try #require(Data(base64Encoded: text))
            let bundle = try NIOSSLPKCS12Bundle(buffer: Array(file), passphrase: Array("secret".utf8))
            #expect(bundle.certificateChain.count == 1)
            let issued = IssuedCertificate(
                certificatePEM: try #require(answer.string("certificatePEM")),
                privateKeyPEM: try #require(answer.string("privateKeyPEM"))
            )
            let token = try #require(try simulator.bootDevice(apps: [Self.app]).token(Self.app)).hex
            let client = try await ProviderTestClient(simulator, certificate: issued)
            let fields = PushRequest.fields(path: "/3/device/\(token)", others: [("apns-topic", Self.app)])
            #expect(try await client.send(fields, body: PushRequest.body).status == "200")
            await client.close()
        }
    }

    @Test("the apps of a team are set, listed and forgotten")
    func teams() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let answer = try await control.send("PUT", "/v1/teams/TEAM123456", #"{"bundleIDs":["b.app","a.app"]}"#)
            #expect(answer.json["bundleIDs"] as? [String] == ["a.app", "b.app"])
            let listed = try await control.send("GET", "/v1/teams").objects("teams")
            #expect(listed.first?["teamID"] as? String == "TEAM123456")
            #expect(try await control.send("DELETE", "/v1/teams/TEAM123456").status == 204)
            #expect(try await control.send("DELETE", "/v1/teams/TEAM123456").status == 404)
            #expect(try await control.send("PUT", "/v1/teams/TEAM123456", #"{"bundleIDs":["a b"]}"#).status == 400)
        }
    }

    @Test("connections are listed, told to go away with a reason, and cut")
    func connections() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let first = try await ProviderTestClient(simulator)
            let fields = PushRequest.fields(path: "/3/device/00")
            #expect(try await first.send(fields, body: PushRequest.body).reason == "MissingProviderToken")
            let listed = try #require(try await control.send("GET", "/v1/connections").objects("connections").first)
            #expect(listed["trust"] as? String == "none")
            #expect(listed["errors"] as? Int == 1)
            #expect(listed["grantedStreams"] as? Int == 1)
            let id = try #require(listed["id"] as? Int)
            #expect(try await control.send("DELETE", "/v1/connections/\(id)?reason=IdleTimeout").status == 204)
            #expect(try await first.receivedGoAway().debugData == #"{"reason":"IdleTimeout"}"#)
            let second = try await ProviderTestClient(simulator)
            #expect(try await control.send("DELETE", "/v1/connections").status == 204)
            try await second.waitForClose()
            #expect(try await control.send("DELETE", "/v1/connections/77").status == 404)
        }
    }

    @Test("a fault script is armed as a whole, and its faults are taken away one by one")
    func script() async throws {
        try await withTestSimulator { simulator in
            let control = ControlClient(simulator)
            let body = #"""
                {"name":"evening","seed":3,"steps":[
                  {"action":"reject","reason":"Shutdown","rate":0.5},{"action":"unreachable","until":30},
                  {"action":"cut","bytes":10}]}
                """#
            let answer = try await control.send("POST", "/v1/faults", body)
            #expect(answer.status == 201)
            let faults = answer.objects("faults")
            #expect(faults.compactMap { $0["script"] as? String } == ["evening", "evening", "evening"])
            #expect(Set(faults.compactMap { $0["seed"] as? Int }).count == 3)
            // The port is closed by the time the answer comes.
            await #expect(throws: (any Error).self) { try await ProviderTestClient(simulator) }
            let id = try #require(faults[1]["id"] as? Int)
            #expect(try await control.send("DELETE", "/v1/faults/\(id)").status == 204)
            #expect(try await control.send("DELETE", "/v1/faults/\(id)").status == 404)
            #expect(try await control.send("GET", "/v1/faults").objects("faults").count == 2)
            let wrong = try await control.send("POST", "/v1/faults", #"{"steps":[{"action":"drop","rate":2}]}"#)
            #expect(wrong.status == 400)
            #expect(wrong.string("field") == "steps[0].rate")
        }
    }
}
