// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import NIOSSL
import SwiftASN1
import Testing
import X509

@testable import APNsSimulator

@Suite("PKCS #12 files")
struct PKCS12FileTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)

    private static func issue() throws -> IssuedCertificate {
        try CertificateAuthority(now: Self.now).issuePush(
            PushCertificateRequest(bundleID: "com.example.app"),
            now: Self.now
        )
    }

    @Test("a file opens with its password and holds certificate and key", arguments: ["secret", "", "пароль ✓"])
    func opens(password: String) throws {
        let issued = try Self.issue()
        let file = try issued.pkcs12(password: password)
        let bundle = try NIOSSLPKCS12Bundle(buffer: file, passphrase: Array(password.utf8))
        let certificate = try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem)
        #expect(bundle.certificateChain == [certificate])
        #expect(bundle.privateKey == (try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)))
    }

    @Test("another password does not open it")
    func wrongPassword() throws {
        let file = try Self.issue().pkcs12(password: "secret")
        #expect(throws: (any Error).self) { try NIOSSLPKCS12Bundle(buffer: file, passphrase: Array("guess".utf8)) }
    }

    @Test("a changed file does not open")
    func changed() throws {
        var file = try Self.issue().pkcs12(password: "secret")
        file[file.count / 2] ^= 1
        #expect(throws: (any Error).self) { try NIOSSLPKCS12Bundle(buffer: file, passphrase: Array("secret".utf8)) }
    }

    @Test("topics stand in Apple's extensions .1, .2, .4 and .6")
    func extensions() throws {
        let request = PushCertificateRequest(
            bundleID: "com.example.app",
            topics: [.init("com.example.app")],
            voipTopics: ["com.example.app.voip"],
            environments: [.production]
        )
        let issued = try CertificateAuthority(now: Self.now).issuePush(request, now: Self.now)
        let certificate = try Certificate(pemEncoded: issued.certificatePEM)
        let present = [
            PushCertificateExtensions.sandbox, PushCertificateExtensions.production, PushCertificateExtensions.voip,
            PushCertificateExtensions.universal,
        ]
        .map { certificate.extensions[oid: $0] != nil }
        #expect(present == [false, true, true, true])
        let trust = CertificateTrust(der: try certificate.serializeAsPEM().derBytes)
        #expect(
            trust.topics.map { String(decoding: $0, as: UTF8.self) } == ["com.example.app", "com.example.app.voip"]
        )
        #expect(trust.environments == [.production])
    }

    @Test("a certificate that has expired can be had")
    func expired() throws {
        let request = PushCertificateRequest(bundleID: "com.example.app", lifetime: .seconds(-3600))
        let issued = try CertificateAuthority(now: Self.now).issuePush(request, now: Self.now)
        let certificate = try Certificate(pemEncoded: issued.certificatePEM)
        #expect(certificate.notValidAfter < Self.now)
        #expect(certificate.notValidBefore < certificate.notValidAfter)
    }
}
