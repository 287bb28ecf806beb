// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import SNSProtocol

@Suite("Attributes of applications and endpoints")
struct PlatformAttributeTests {
    private static let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----"
    private static let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
    private static let names = ["ApplePlatformTeamID": "TEAM123456", "ApplePlatformBundleID": "com.example.app"]

    private static func credential(_ values: [String: String]) throws -> PlatformCredential? {
        try ApplicationAttributes(values).credential()
    }

    @Test("a signing key is recognised by its key id, however a command line has bent it")
    func token() throws {
        let bent = [
            Self.key, "\"\(Self.key)\"", Self.key.replacingOccurrences(of: "\n", with: "\\n"),
            Self.key.replacingOccurrences(of: "\n", with: "\r\n"), " \(Self.key)\n\n", "c2VjcmV0",
        ]
        for text in bent {
            let values = Self.names.merging(["PlatformCredential": text, "PlatformPrincipal": "ABCDE12345"]) { $1 }
            guard case .token(let pem, "ABCDE12345", "TEAM123456", "com.example.app")? = try Self.credential(values)
            else {
                #expect(Bool(false), "no token")
                continue
            }
            #expect(pem.trimmingCharacters(in: .newlines) == Self.key)
        }
    }

    @Test("certificate and key are recognised apart, together, and in a PKCS#12 file")
    func certificate() throws {
        let pair = ["PlatformCredential": Self.key, "PlatformPrincipal": Self.certificate]
        #expect(try Self.credential(pair) == .certificate(certificatePEM: Self.certificate, keyPEM: Self.key))
        let joined = "\(Self.certificate)\n\(Self.key)"
        #expect(
            try Self.credential(["PlatformCredential": joined])
                == .certificate(certificatePEM: joined, keyPEM: joined)
        )
        let file = [0x30] + [UInt8](repeating: 1, count: 100)
        let text = Data(file).base64EncodedString(options: .lineLength64Characters)
        #expect(try Self.credential(["PlatformCredential": text]) == .pkcs12(bytes: file, passphrase: ""))
        #expect(
            try Self.credential(["PlatformCredential": text, "PlatformPrincipal": "'open '"])
                == .pkcs12(bytes: file, passphrase: "'open '")
        )
    }

    @Test("half a credential and a bad one are refused, and never repeated")
    func refused() {
        let cases: [([String: String], String)] = [
            (
                ["PlatformCredential": Self.key],
                "Attributes Reason: PlatformCredential attribute provided without PlatformPrincipal"
            ),
            (
                ["PlatformPrincipal": "ABCDE12345"],
                "Attributes Reason: PlatformPrincipal attribute provided without PlatformCredential"
            ),
            (
                ["PlatformCredential": Self.key, "PlatformPrincipal": "ABCDE12345"],
                "Attributes Reason: a signing key needs ApplePlatformTeamID and ApplePlatformBundleID"
            ),
            (
                ["PlatformCredential": "c2VjcmV0"],
                "Attributes Reason: Platform credentials are invalid: expected a PEM private key, the content of a .p8"
                    + " file, or a PKCS#12 file in Base64, got 8 bytes of something else"
            ),
            (
                ["PlatformCredential": Self.certificate],
                "Attributes Reason: Platform credentials are invalid: expected a private key in PlatformCredential,"
                    + " got PEM of another kind"
            ),
            (
                ["PlatformCredential": Self.key, "PlatformPrincipal": "c2VjcmV0"],
                "PlatformPrincipal not valid. It must be a certificate in PEM or a key id of 10 letters and digits,"
                    + " got 8 bytes of something else"
            ),
        ]
        for (values, text) in cases {
            let error = TestCall.error { _ = try Self.credential(values) }
            #expect(error == SNSError(.invalidParameter, "Invalid parameter: \(text)"))
            #expect(error?.message.contains("c2VjcmV0") == false)
        }
    }

    @Test("an application is answered without its credential")
    func description() throws {
        let values = ["PlatformCredential": Self.key, "PlatformPrincipal": "ABCDE12345", "Enabled": "FALSE"]
        let attributes = try ApplicationAttributes(Self.names.merging(values) { $1 })
        let stored = attributes.merged(into: ["EventEndpointCreated": TestCall.topic])
        #expect(
            ApplicationAttributes.description(of: stored).map(\.name)
                == ["ApplePlatformBundleID", "ApplePlatformTeamID", "Enabled", "EventEndpointCreated"]
        )
        #expect(stored["Enabled"] == "false")
        #expect(ApplicationAttributes.description(of: [:]) == [SNSAttribute(name: "Enabled", value: "true")])
        #expect(!"\(attributes)".contains("c2VjcmV0"))
        #expect(!String(reflecting: attributes).contains("c2VjcmV0"))
    }

    @Test("team and bundle may have been given before")
    func stored() throws {
        let attributes = try ApplicationAttributes(["PlatformCredential": Self.key, "PlatformPrincipal": "ABCDE12345"])
        guard case .token? = try attributes.credential(stored: Self.names) else { return #expect(Bool(false)) }
    }

    @Test("events are published to topics")
    func events() {
        let error = TestCall.error { _ = try ApplicationAttributes(["EventDeliveryFailure": "x"]) }
        #expect(
            error?.message == "Invalid parameter: Attributes Reason: EventDeliveryFailure: Invalid value [x]."
                + " Must be the ARN of a topic."
        )
    }

    @Test(
        "attributes of endpoints that are none",
        arguments: [
            (["Foo": "1"], "Attributes Reason: Invalid attribute name: Foo"),
            (
                ["CustomUserData": String(repeating: "é", count: 1025)],
                "Attributes Reason: Invalid value for attribute: CustomUserData: must be at most 2048 bytes long in"
                    + " UTF-8 encoding"
            ),
            (
                ["Token": String(repeating: "a", count: 401)],
                "Token Reason: iOS device tokens must be no more than 400 hexadecimal characters"
            ), (["Token": "xyz"], "Token Reason: iOS device tokens must be no more than 400 hexadecimal characters"),
            (
                ["Token": "abc"],
                "Token Reason: expected 2...200 hexadecimal digits, two for each byte, got 3 characters"
            ),
            (
                ["Token": String(repeating: "a", count: 202)],
                "Token Reason: expected 2...200 hexadecimal digits, two for each byte, got 202 characters"
            ), (["Enabled": "1"], "Attributes Reason: Invalid value for attribute: Enabled: must be true or false"),
        ]
    )
    func endpoint(values: [String: String], text: String) {
        #expect(TestCall.error { _ = try EndpointAttributes(values) }?.message == "Invalid parameter: \(text)")
    }

    @Test("the data in the map wins")
    func userData() throws {
        let attributes = try EndpointAttributes(["CustomUserData": "map"], token: "ab", customUserData: "parameter")
        #expect(attributes.customUserData == "map")
    }

    @Test(
        "an endpoint may be made once more with what it has",
        arguments: [
            (true, nil, [:], true), (true, nil, ["Enabled": "true"], true), (true, "d", ["CustomUserData": "d"], true),
            (false, nil, [:], true), (false, nil, ["Enabled": "false"], true),
            (true, nil, ["CustomUserData": ""], true),
            (false, "d", ["CustomUserData": "d"], true), (false, nil, ["Enabled": "true"], false),
            (true, nil, ["Enabled": "false"], false), (true, "d", [:], false), (true, "d", ["Enabled": "true"], false),
            (true, nil, ["CustomUserData": "d"], false), (true, "d", ["CustomUserData": "e"], false),
        ] as [(Bool, String?, [String: String], Bool)]
    )
    func agreement(isEnabled: Bool, data: String?, values: [String: String], agrees: Bool) throws {
        let stored = EndpointDescription(
            endpoint: try EndpointARN(TestCall.endpoint, region: nil),
            token: try DeviceToken(hex: "abcd"),
            isEnabled: isEnabled,
            customUserData: data
        )
        let attributes = try EndpointAttributes(values, token: "ABCD")
        let error = TestCall.error { try attributes.checkAgreement(with: stored) }
        let text = "Endpoint \(TestCall.endpoint) already exists with the same Token, but different attributes."
        #expect(error?.message == (agrees ? nil : "Invalid parameter: Token Reason: \(text)"))
    }

    @Test("the error of an endpoint that is there is what AWS' own clients parse")
    func parsed() throws {
        let stored = EndpointDescription(
            endpoint: try EndpointARN(TestCall.endpoint, region: nil),
            token: try DeviceToken(hex: "abcd"),
            customUserData: "d"
        )
        let error = TestCall.error { try EndpointAttributes([:], token: "abcd").checkAgreement(with: stored) }
        let expression = try Regex(".*Endpoint (arn:aws:sns[^ ]+) already exists with the same [Tt]oken.*")
        let match = try #require(try expression.wholeMatch(in: error?.message ?? ""))
        #expect(match.output[1].substring.map(String.init) == TestCall.endpoint)
    }

    @Test("a token stands in no description")
    func redacted() throws {
        let attributes = try EndpointAttributes(["Token": String(repeating: "ab", count: 32)])
        #expect("\(attributes)" == "token abab…(32 bytes), enabled not given")
        let endpoint = try EndpointARN(TestCall.endpoint, region: nil)
        let description = EndpointDescription(endpoint: endpoint, token: try DeviceToken(hex: "abcd"))
        #expect("\(description)" == "\(TestCall.endpoint), enabled true")
    }
}
