// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import AppAttest
import ApusTesting
import Foundation
import HTTPTypes
import PushModel
import StoreTesting
import Testing

@testable import PushAPI

/// Registrations of new devices in apps that ask for App Attest.
@Suite("Attestations of new devices", .timeLimit(.minutes(5)))
struct AttestationTests {
    private static let path = "/v1/apps/\(TestAPI.app)"
    private static let team = "TEAM123456"

    /// A client of an app with an attestation mode, and the authority that the server trusts.
    private struct Client: Sendable {
        let api: TestAPI
        let key: String
        let authority: TestAttestationAuthority

        func challenge(_ device: String) async throws -> String {
            let answer = try await self.api.call(
                .get,
                "\(AttestationTests.path)/devices/\(device)/challenge",
                key: self.key
            )
            #expect(answer.status == 200, "\(answer.text)")
            return try #require(answer.json["challenge"]?.text)
        }

        /// Registers a device with an attestation for this challenge, or without one.
        func register(
            _ device: String,
            _ challenge: String? = nil,
            token: UInt8 = 1,
            appID: String = "\(AttestationTests.team).\(TestAPI.app)",
            aaguid: String? = nil
        ) async throws -> Answer {
            var headers = HTTPFields()
            func set(_ name: String, _ value: String) throws { headers[try #require(HTTPField.Name(name))] = value }
            try set("Apus-Installation-Secret", String(repeating: "o", count: 42) + "A")
            if let challenge {
                let hash = AttestationVerifier.clientDataHash(of: challenge)
                var request = TestAttestationAuthority.Request(appID: appID, clientDataHash: hash)
                if let aaguid { request.aaguid = Array(aaguid.utf8) }
                let attestation = try self.authority.attest(request)
                try set("Apus-Attestation", Data(attestation.object).base64EncodedString())
                try set("Apus-Attestation-Key", Data(attestation.keyID).base64EncodedString())
                try set("Apus-Attestation-Challenge", challenge)
            }
            let body = #"{"token":"\#(TestToken.hex(token))","environment":"production"}"#
            return try await self.api.call(
                .put,
                "\(AttestationTests.path)/devices/\(device)",
                body,
                key: self.key,
                headers: headers
            )
        }
    }

    private func withClient(
        _ mode: String,
        hasSocket: Bool = false,
        time: TestTime = TestTime(),
        masterKey: MasterKey? = .generate(),
        _ body: @Sendable @escaping (Client) async throws -> Void
    ) async throws {
        let authority = try TestAttestationAuthority(now: TestTime.start)
        var setup = TestSetup(hasSocket: hasSocket, time: time, masterKey: masterKey)
        setup.attestor = try AttestationVerifier(rootPEM: authority.rootPEM)
        try await withAPI(setup) { api async throws in
            let settings = #"{"attestation":"\#(mode)","teamID":"\#(Self.team)"}"#
            let changed = try await api.call(.patch, Self.path, settings)
            #expect(changed.json["attestation"]?.text == mode, "\(changed.text)")
            #expect(changed.json["teamID"]?.text == Self.team)
            let key = try await api.key(scopes: [.client], app: TestAPI.app).text
            try await body(Client(api: api, key: key, authority: authority))
        }
    }

    @Test("required: a new device needs a valid attestation for its own challenge, and then only its secret")
    func required() async throws {
        let time = TestTime()
        try await self.withClient("required", hasSocket: true, time: time) { client async throws in
            let missing = try await client.register("phone")
            #expect(missing.status == 403)
            #expect(missing.code == "attestation_required")
            let challenge = try await client.challenge("phone")
            let foreign = try await client.register("other", challenge)
            #expect(foreign.code == "attestation_invalid", "the challenge is for another device")
            let invented = try await client.register("phone", "4102444800000.00.00")
            #expect(invented.code == "attestation_invalid")
            let otherApp = try await client.register("phone", challenge, appID: "\(Self.team).com.example.other")
            #expect(otherApp.code == "attestation_invalid")
            #expect(otherApp.text.contains("Failed check: app."))
            let development = try await client.register("phone", challenge, aaguid: "appattestdevelop")
            #expect(development.code == "attestation_invalid", "a build from Xcode has tokens of the sandbox only")
            #expect(try await client.api.call(.get, "\(Self.path)/devices/phone").status == 404)

            let created = try await client.register("phone", challenge)
            #expect(created.status == 201, "\(created.text)")
            time.advance(by: 1)
            let again = try await client.register("phone", token: 2)
            #expect(again.status == 200, "the secret binds it: \(again.text)")
            let backend = #"{"token":"\#(TestToken.hex(9))"}"#
            #expect(try await client.api.call(.put, "\(Self.path)/devices/backend", backend).status == 201)
        }
    }

    @Test("required: a challenge ends after 5 minutes, and one of another server's master key is none")
    func expiry() async throws {
        let time = TestTime()
        try await self.withClient("required", time: time) { client async throws in
            let challenge = try await client.challenge("phone")
            time.advance(by: 301)
            #expect(try await client.register("phone", challenge).code == "attestation_invalid")
            let device = try #require(DeviceID(rawValue: "phone"))
            let app = try #require(AppID(rawValue: "\(TestAPI.app)"))
            let foreign = AttestationChallenge(app: app, device: device, masterKey: .generate(), now: time.now)
            let refused = try await client.register("phone", try #require(foreign).text)
            #expect(refused.code == "attestation_invalid")
            let valid = try await client.challenge("phone")
            #expect(try await client.register("phone", valid).status == 201)
        }
    }

    @Test("report and off: a device registers without a valid attestation", arguments: ["report", "off"])
    func report(mode: String) async throws {
        try await self.withClient(mode) { client async throws in
            #expect(try await client.register("a").status == 201)
            #expect(try await client.register("b", "no challenge", token: 2).status == 201)
            #expect(try await client.register("c", try await client.challenge("c"), token: 3).status == 201)
        }
    }

    @Test("without a master key there are no challenges, and a team ID has 10 characters")
    func settings() async throws {
        try await self.withClient("required", masterKey: nil) { client async throws in
            let path = "\(Self.path)/devices/phone/challenge"
            #expect(try await client.api.call(.get, path, key: client.key).code == "master_key_missing")
            #expect(try await client.api.call(.patch, Self.path, #"{"teamID":"team"}"#).code == "invalid_request")
            #expect(try await client.api.call(.patch, Self.path, #"{"attestation":"maybe"}"#).code == "invalid_request")
        }
    }
}
