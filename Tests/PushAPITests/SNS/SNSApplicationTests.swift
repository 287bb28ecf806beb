// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushAPI
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Testing

@Suite("Platform applications of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSApplicationTests {
    /// The attributes of a call that gives a signing key.
    static func token(_ bundleID: String = TestAPI.app.rawValue, key: String = "ABCDE12345") -> [String: String] {
        Self.entries([
            "PlatformCredential": TestInspector.key, "PlatformPrincipal": key, "ApplePlatformTeamID": "FGHIJ67890",
            "ApplePlatformBundleID": bundleID,
        ])
    }

    /// A map as clients send it.
    static func entries(_ attributes: [String: String]) -> [String: String] {
        var form: [String: String] = [:]
        for (index, attribute) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
            form["Attributes.entry.\(index + 1).key"] = attribute.key
            form["Attributes.entry.\(index + 1).value"] = attribute.value
        }
        return form
    }

    /// Creates an application.
    static func create(
        _ client: SNSClient,
        _ name: String = "shop",
        platform: String = "APNS",
        _ attributes: [String: String] = Self.token()
    ) async throws -> XMLAnswer {
        let parameters = ["Name": name, "Platform": platform].merging(attributes) { $1 }
        return try await client.call("CreatePlatformApplication", parameters)
    }

    @Test("are apps with a credential, which is never shown", arguments: TestStoreBackend.chosen)
    func created(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let client = try await SNSClient(api)
            let created = try await Self.create(client)
            let arn = try #require(created["PlatformApplicationArn"])
            #expect(arn == "arn:aws:sns:ap-northeast-1:000000000000:app/APNS/shop")
            let credentials = try await api.store.credentials(of: TestAPI.app)
            #expect(credentials.map(\.kind) == [.key(keyID: "ABCDE12345", teamID: "FGHIJ67890")])
            #expect(credentials.map(\.environments) == [[.production]])

            let shown = try await client.call("GetPlatformApplicationAttributes", ["PlatformApplicationArn": arn])
            #expect(
                shown.attributes == [
                    "ApplePlatformBundleID": "com.example.app", "ApplePlatformTeamID": "FGHIJ67890",
                    "AuthenticationMethod": "token", "Enabled": "true",
                ]
            )
            #expect(!shown.text.contains("PRIVATE KEY"))
        }
    }

    @Test("make the app that there is not, and one of their own for calls")
    func apps() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let sandbox = try await Self.create(client, platform: "APNS_SANDBOX", Self.token("com.example.new"))
            #expect(sandbox.status == 200)
            #expect(try await api.store.app("com.example.new")?.defaultEnvironment == .sandbox)
            let calls = try await Self.create(client, platform: "APNS_VOIP", Self.token("com.example.new"))
            #expect(calls["PlatformApplicationArn"]?.hasSuffix(":app/APNS_VOIP/shop") == true)
            #expect(try await api.store.app("com.example.new.voip") != nil)
            let other = try await Self.create(client, platform: "APNS_SANDBOX", Self.token("com.example.other"))
            #expect(other.status == 400)
            #expect(other.code == "InvalidParameter")
            #expect(try await api.store.app("com.example.other") == nil)
        }
    }

    @Test("take a certificate in PEM or PKCS #12, whose subject names the app")
    func certificates() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let certificate = "-----BEGIN CERTIFICATE-----\nUID:com.example.pem\n-----END CERTIFICATE-----"
            let pem = try await Self.create(
                client,
                "pem",
                Self.entries(["PlatformCredential": TestInspector.key, "PlatformPrincipal": certificate])
            )
            let arn = try #require(pem["PlatformApplicationArn"])
            #expect(try await api.store.credentials(of: "com.example.pem").map(\.kind) == [.certificate(format: .pem)])
            let shown = try await client.call("GetPlatformApplicationAttributes", ["PlatformApplicationArn": arn])
            #expect(shown.attributes["AuthenticationMethod"] == "certificate")
            #expect(shown.attributes["AppleCertificateExpiryDate"] == "2030-01-01T00:00:00Z")

            // Every PKCS #12 file begins as any DER does; the customer gives it without a word beside it.
            let bytes = [0x30] + Array("PKCS12:UID:com.example.p12 \(String(repeating: "x", count: 64))".utf8)
            let file = Data(bytes).base64EncodedString()
            let p12 = try await Self.create(client, "p12", Self.entries(["PlatformCredential": file]))
            #expect(p12.status == 200)
            let kinds = try await api.store.credentials(of: "com.example.p12").map(\.kind)
            #expect(kinds == [.certificate(format: .pkcs12)])
        }
    }

    @Test("are refused without a credential that can be used, and nothing is made then")
    func refused() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let none = try await Self.create(client, "shop", [:])
            #expect(none.code == "ValidationError")
            let half = try await Self.create(client, "shop", Self.entries(["PlatformPrincipal": "x"]))
            #expect(
                half.message
                    == "Invalid parameter: Attributes Reason: PlatformPrincipal attribute provided without "
                    + "PlatformCredential"
            )
            let noBundle = try await Self.create(
                client,
                "shop",
                Self.entries([
                    "PlatformCredential": TestInspector.key,
                    "PlatformPrincipal": "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
                ])
            )
            #expect(noBundle.code == "InvalidParameter")
            #expect(noBundle.message?.contains("ApplePlatformBundleID") == true)
            let garbage = try await Self.create(
                client,
                "shop",
                Self.token().merging(Self.entries(["PlatformCredential": "-----BEGIN PRIVATE KEY-----"])) { $1 }
            )
            #expect(garbage.status == 400)
            let platform = try await Self.create(client, platform: "GCM")
            #expect(platform.message == "Invalid parameter: Platform Reason: GCM is not supported")
            #expect(try await api.store.applications(of: nil, after: nil, limit: 10).elements.isEmpty)
        }
    }

    @Test("are changed attribute by attribute, and get another credential in place of the one they have")
    func changed() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let arn = try #require(try await Self.create(client)["PlatformApplicationArn"])
            let set = try await client.call(
                "SetPlatformApplicationAttributes",
                Self.entries(["Enabled": "False", "SuccessFeedbackSampleRate": "5"])
                    .merging(["PlatformApplicationArn": arn]) { $1 }
            )
            #expect(set.status == 200)
            #expect(!set.text.contains("SetPlatformApplicationAttributesResult"))
            let again = try await client.call(
                "SetPlatformApplicationAttributes",
                Self.token(key: "ZYXWV98765").merging(["PlatformApplicationArn": arn]) { $1 }
            )
            #expect(again.status == 200)
            let shown = try await client.call("GetPlatformApplicationAttributes", ["PlatformApplicationArn": arn])
            #expect(shown.attributes["Enabled"] == "false")
            #expect(shown.attributes["SuccessFeedbackSampleRate"] == "5")
            let kinds = try await api.store.credentials(of: TestAPI.app).map(\.kind)
            #expect(kinds == [.key(keyID: "ZYXWV98765", teamID: "FGHIJ67890")])
            let moved = try await client.call(
                "SetPlatformApplicationAttributes",
                Self.token("com.example.other").merging(["PlatformApplicationArn": arn]) { $1 }
            )
            #expect(moved.code == "InvalidParameter")
        }
    }

    @Test("are listed page by page, each page by the token of the one before")
    func listed() async throws {
        var setup = TestSetup()
        setup.configuration.sns.limits.pageSize = 2
        try await withAPI(setup) { api async throws in
            let client = try await SNSClient(api)
            for name in ["a", "b", "c"] { #expect(try await Self.create(client, name).status == 200) }
            let first = try await client.call("ListPlatformApplications")
            #expect(first.texts("PlatformApplicationArn").count == 2)
            let token = try #require(first["NextToken"])
            let second = try await client.call("ListPlatformApplications", ["NextToken": token])
            #expect(second.texts("PlatformApplicationArn") == [client.arn("app/APNS/c")])
            #expect(second["NextToken"] == nil)
            let forged = try await client.call("ListPlatformApplications", ["NextToken": token + "A"])
            #expect(forged.code == "InvalidParameter")
            #expect(forged.message == "Invalid parameter: NextToken")
        }
    }

    @Test("are deleted with their credential, however often; the app and its devices stay")
    func deleted() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let arn = try #require(try await Self.create(client)["PlatformApplicationArn"])
            try await api.register("phone", token: 1)
            for _ in 0..<2 {
                let answer = try await client.call("DeletePlatformApplication", ["PlatformApplicationArn": arn])
                #expect(answer.status == 200)
            }
            #expect(try await api.store.credentials(of: TestAPI.app).isEmpty)
            #expect(try await api.store.device("phone", of: TestAPI.app) != nil)
            let gone = try await client.call("GetPlatformApplicationAttributes", ["PlatformApplicationArn": arn])
            #expect(gone.status == 404)
            #expect(gone.code == "NotFound")
            #expect(gone.message == "PlatformApplication does not exist")
        }
    }

    @Test("are seen and changed by keys of their app only")
    func bound() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            _ = try await Self.create(client, "own")
            _ = try await Self.create(client, "other", Self.token("com.example.other"))
            let bound = try await SNSClient(api, app: TestAPI.app)
            let listed = try await bound.call("ListPlatformApplications")
            #expect(listed.texts("PlatformApplicationArn") == [client.arn("app/APNS/own")])
            let foreign = try await bound.call(
                "GetPlatformApplicationAttributes",
                ["PlatformApplicationArn": client.arn("app/APNS/other")]
            )
            #expect(foreign.code == "AuthorizationError")
            #expect(try await Self.create(bound, "third", Self.token("com.example.third")).code == "AuthorizationError")
            #expect(try await api.store.app("com.example.third") == nil)
        }
    }

    @Test("do not exist under another account")
    func account() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let arn = try #require(try await Self.create(client)["PlatformApplicationArn"])
            let other = arn.replacing(SNSClient.account, with: "123456789012")
            let answer = try await client.call("GetPlatformApplicationAttributes", ["PlatformApplicationArn": other])
            #expect(answer.code == "NotFound")
        }
    }
}
