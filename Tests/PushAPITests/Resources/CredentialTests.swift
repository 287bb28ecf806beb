// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import Testing

@Suite("Credentials", .timeLimit(.minutes(20)))
struct CredentialTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: String
        var code = "invalid_request"
        var fields: [String]
    }

    private static let path = "/v1/apps/\(TestAPI.app)/credentials"
    private static let ids = #""keyID":"ABCDE12345","teamID":"FGHIJ67890""#
    private static let pem = TestInspector.key.replacing("\n", with: "\\n")
    private static let key = #"{"type":"key",\#(Self.ids),"p8":"\#(Self.pem)"}"#

    static let cases: [Case] = [
        Case(testDescription: "nothing", body: "{}", fields: ["type"]),
        Case(testDescription: "an unknown type", body: #"{"type":"jwt"}"#, fields: ["type"]),
        Case(testDescription: "a key alone", body: #"{"type":"key"}"#, fields: ["keyID", "teamID", "body"]),
        Case(
            testDescription: "ids of a wrong size",
            body: #"{"type":"key","keyID":"ABC","teamID":"FGHIJ678901","p8":"x"}"#,
            fields: ["keyID", "teamID"]
        ),
        Case(
            testDescription: "a key both inline and in a file",
            body: #"{"type":"key",\#(Self.ids),"p8":"x","file":"/y"}"#,
            fields: ["body"]
        ),
        Case(
            testDescription: "a key with what belongs to a certificate",
            body: #"{"type":"key",\#(Self.ids),"p8":"x","password":"y"}"#,
            fields: ["password"]
        ),
        Case(
            testDescription: "a certificate without content",
            body: #"{"type":"certificate"}"#,
            fields: ["body"]
        ),
        Case(
            testDescription: "a certificate that is not Base64",
            body: #"{"type":"certificate","p12":"%%%"}"#,
            fields: ["p12"]
        ),
        Case(
            testDescription: "a certificate in a file of no format",
            body: #"{"type":"certificate","file":"/x"}"#,
            fields: ["format"]
        ),
        Case(
            testDescription: "no environments",
            body: #"{"type":"key",\#(Self.ids),"p8":"x","environments":[]}"#,
            fields: ["environments"]
        ),
        Case(
            testDescription: "a p8 that is not a key",
            body: #"{"type":"key",\#(Self.ids),"p8":"hello"}"#,
            code: "invalid_credential",
            fields: ["p8"]
        ),
        Case(
            testDescription: "a p12 that is none",
            body: #"{"type":"certificate","p12":"aGVsbG8="}"#,
            code: "invalid_credential",
            fields: ["p12"]
        ),
        Case(
            testDescription: "a pem without its key",
            body: #"{"type":"certificate","pem":"-----BEGIN CERTIFICATE-----"}"#,
            code: "invalid_credential",
            fields: ["pem"]
        ),
        Case(
            testDescription: "a certificate that has expired",
            body: #"{"type":"certificate","pem":"BEGIN CERTIFICATE PRIVATE KEY EXPIRED"}"#,
            code: "invalid_credential",
            fields: ["pem"]
        ),
        Case(
            testDescription: "a p12 with a wrong password",
            body: #"{"type":"certificate","p12":"\#(TestInspector.container(password: "right"))","password":"wrong"}"#,
            code: "wrong_certificate_password",
            fields: ["password"]
        ),
        Case(
            testDescription: "a p12 without its password",
            body: #"{"type":"certificate","p12":"\#(TestInspector.container(password: "right"))"}"#,
            code: "wrong_certificate_password",
            fields: ["password"]
        ),
        Case(
            testDescription: "a file that is not there",
            body: #"{"type":"key",\#(Self.ids),"file":"/no/such/file.p8"}"#,
            code: "invalid_credential",
            fields: ["file"]
        ),
        Case(
            testDescription: "a device that never ends",
            body: #"{"type":"key",\#(Self.ids),"file":"/dev/zero"}"#,
            code: "invalid_credential",
            fields: ["file"]
        ),
        Case(
            testDescription: "a relative path",
            body: #"{"type":"key",\#(Self.ids),"file":"key.p8"}"#,
            code: "invalid_credential",
            fields: ["file"]
        ),
    ]

    @Test("that cannot be used are refused with the field, and not stored", arguments: Self.cases)
    func refused(_ bad: Case) async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.post, Self.path, bad.body)
            #expect(answer.status == 422)
            #expect(answer.code == bad.code)
            #expect(answer.fields == bad.fields)
            #expect(try await api.store.credentials(of: TestAPI.app).isEmpty)
        }
    }

    @Test("are sealed under the master key, listed without their secret, and removed")
    func sealed() async throws {
        let masterKey = MasterKey.generate()
        var setup = TestSetup()
        setup.masterKey = masterKey
        try await withAPI(setup) { api async throws in
            let created = try await api.call(.post, Self.path, Self.key)
            #expect(created.status == 201)
            #expect(created.json["type"]?.text == "key")
            #expect(created.json["keyID"]?.text == "ABCDE12345")
            #expect(created.json["environments"] == ["production", "sandbox"])
            #expect(created.json["storage"]?.text == "sealed")
            let id = try #require(created.json["id"]?.text.map { CredentialID(unchecked: $0) })

            let stored = try #require(try await api.store.credential(id))
            guard case .sealed(let bytes) = stored.secret else {
                Issue.record("the secret is not sealed")
                return
            }
            #expect(try masterKey.open(bytes, for: id).content == Array(TestInspector.key.utf8))

            let list = try await api.call(.get, Self.path)
            #expect(list.json["credentials"] == [created.json])
            #expect(!list.text.contains("PRIVATE"))
            #expect(try await api.call(.delete, "\(Self.path)/\(id)").status == 204)
            #expect(try await api.call(.delete, "\(Self.path)/\(id)").code == "credential_not_found")
        }
    }

    @Test("keep the password of a p12 with it")
    func container() async throws {
        let masterKey = MasterKey.generate()
        var setup = TestSetup()
        setup.masterKey = masterKey
        try await withAPI(setup) { api async throws in
            let p12 = TestInspector.container(password: "pä")
            let body = #"{"type":"certificate","p12":"\#(p12)","password":"pä","environments":["production"]}"#
            let created = try await api.call(.post, Self.path, body)
            #expect(created.status == 201)
            #expect(created.json["format"]?.text == "pkcs12")
            let id = try #require(created.json["id"]?.text.map { CredentialID(unchecked: $0) })
            guard case .sealed(let bytes)? = try await api.store.credential(id)?.secret else {
                Issue.record("the secret is not sealed")
                return
            }
            #expect(try masterKey.open(bytes, for: id).password == "pä")
        }
    }

    @Test("in a file are inspected and stay there; a file outside of the credential directory is refused")
    func file() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "apus-keys-\(UUID().uuidString)")
        let directory = root.appending(path: "credentials")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let (file, other) = (directory.appending(path: "key.p8"), root.appending(path: "key.p8"))
        for place in [file, other] { try Data(TestInspector.key.utf8).write(to: place) }
        var setup = TestSetup()
        setup.masterKey = nil
        setup.configuration.credentialDirectory = CredentialDirectory(directory.path)
        try await withAPI(setup) { api async throws in
            let body = #"{"type":"key",\#(Self.ids),"file":"\#(file.path)","environments":["sandbox"]}"#
            let created = try await api.call(.post, Self.path, body)
            #expect(created.status == 201)
            #expect(created.json["storage"]?.text == "file")
            #expect(created.json["file"]?.text == file.path)

            let outside = #"{"type":"key",\#(Self.ids),"file":"\#(other.path)"}"#
            let refused = try await api.call(.post, Self.path, outside)
            #expect(refused.code == "invalid_credential")
            #expect(refused.fields == ["file"])
            #expect(refused.text.contains("credentialDirectory"))
        }
    }

    @Test("in a file cannot be added by a key that is bound to an app")
    func boundKey() async throws {
        try await withAPI { api async throws in
            let key = try await api.key(scopes: [.admin], app: TestAPI.app).text
            let file = #"{"type":"key",\#(Self.ids),"file":"/etc/apus/other.p8"}"#
            let answer = try await api.call(.post, Self.path, file, key: key)
            #expect(answer.status == 403)
            #expect(answer.code == "api_key_app_mismatch")
            #expect(try await api.call(.post, Self.path, Self.key, key: key).status == 201)
        }
    }

    @Test("cannot be sent inline to a server without a master key")
    func noMasterKey() async throws {
        var setup = TestSetup()
        setup.masterKey = nil
        try await withAPI(setup) { api async throws in
            let answer = try await api.call(.post, Self.path, Self.key)
            #expect(answer.status == 409)
            #expect(answer.code == "master_key_missing")
        }
    }

    @Test("of another app cannot be removed through this one")
    func otherApp() async throws {
        try await withAPI { api async throws in
            try await api.store.createApp(App(id: "com.example.other", createdAt: TestTime.start))
            let id = try #require(try await api.call(.post, Self.path, Self.key).json["id"]?.text)
            let answer = try await api.call(.delete, "/v1/apps/com.example.other/credentials/\(id)")
            #expect(answer.code == "credential_not_found")
            #expect(try await api.store.credentials(of: TestAPI.app).count == 1)
        }
    }
}
