// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Crypto
import Foundation
import NIOSSL
import Testing

@Suite("Client certificates", .timeLimit(.minutes(20)))
struct ClientCertificateTests {
    @Test("a certificate takes the place of a provider token", arguments: [false, true])
    func sends(asPKCS12: Bool) async throws {
        try await withTestSimulator { simulator in
            let tokens = try simulator.bootDevices(20, apps: [app])
            let issued = try simulator.issueCertificate(PushCertificateRequest(bundleID: app))
            let pem = Array((issued.certificatePEM + "\n" + issued.privateKeyPEM).utf8)
            let certificate =
                asPKCS12
                ? try ClientCertificate(p12: Self.p12(pem, password: "s3cret"), password: "s3cret")
                : try ClientCertificate(pem: pem)
            let destination = try simulator.destination(credential: .certificate(certificate))
            let outcomes = try await RunningClient.with { running in
                await running.client.send(try .sample(tokens: tokens), to: destination)
            }
            #expect(outcomes == Array(repeating: .accepted, count: 20))
            #expect(simulator.statistics.signatureChecks == 0)
        }
    }

    @Test("a certificate for another app is refused by topic")
    func otherTopic() async throws {
        try await withTestSimulator { simulator in
            let token = try #require(try simulator.bootDevice(apps: [app]).token(app))
            let issued = try simulator.issueCertificate(PushCertificateRequest(bundleID: "com.example.other"))
            let certificate = try ClientCertificate(
                pem: Array((issued.certificatePEM + "\n" + issued.privateKeyPEM).utf8)
            )
            let destination = try simulator.destination(credential: .certificate(certificate))
            let outcome = try await RunningClient.with { running in
                await running.client.send(try .sample(), payload: try .sample(), token: token, to: destination)
            }
            #expect(outcome.reason == .topicDisallowed)
        }
    }

    @Test("the same certificate in PEM and in PKCS#12 is the same credential")
    func equality() throws {
        let authority = try PuppetAuthority()
        let pem = Array(try authority.issue().utf8)
        let fromPEM = try ClientCertificate(pem: pem)
        let fromP12 = try ClientCertificate(p12: try Self.p12(pem, password: ""), password: "")
        #expect(fromPEM == fromP12)
        #expect(fromPEM.hashValue == fromP12.hashValue)
        #expect(fromPEM != (try ClientCertificate(pem: Array(try authority.issue().utf8))))
        #expect("\(fromPEM)".hasPrefix("certificate "))
        #expect(!"\(fromPEM)".contains("PRIVATE"))
    }

    @Test("a PKCS#12 file with another password says so")
    func wrongPassword() throws {
        let pem = Array(try PuppetAuthority().issue().utf8)
        let p12 = try Self.p12(pem, password: "right")
        let error = #expect(throws: APNsClientError.self) { try ClientCertificate(p12: p12, password: "wr0ng") }
        #expect(error?.code == .wrongPassword)
        #expect(error?.description.contains("wr0ng") == false)
    }

    @Test("what is no PKCS#12 is told from a wrong password", arguments: [[], [UInt8]("no certificate".utf8)])
    func notPKCS12(bytes: [UInt8]) {
        let error = #expect(throws: APNsClientError.self) { try ClientCertificate(p12: bytes, password: "") }
        #expect(error?.code == .invalidCertificate)
    }

    @Test("a PEM file that lacks the key or the certificate, or holds neither, is refused")
    func incompletePEM() throws {
        let issued = try PuppetAuthority().issue()
        let key = try #require(issued.range(of: "-----BEGIN PRIVATE KEY-----"))
        for text in [String(issued[..<key.lowerBound]), String(issued[key.lowerBound...]), "", "hello"] {
            let error = #expect(throws: APNsClientError.self) { try ClientCertificate(pem: Array(text.utf8)) }
            #expect(error?.code == .invalidCertificate)
            #expect(error?.message.isEmpty == false)
        }
    }

    @Test("a key that belongs to another certificate is refused")
    func foreignKey() throws {
        let authority = try PuppetAuthority()
        let (own, other) = (try authority.issue(), try authority.issue())
        let marker = "-----BEGIN PRIVATE KEY-----"
        let certificate = try #require(own.range(of: marker).map { own[..<$0.lowerBound] })
        let key = try #require(other.range(of: marker).map { other[$0.lowerBound...] })
        let pem = Array((certificate + key).utf8)
        let error = #expect(throws: APNsClientError.self) { try ClientCertificate(pem: pem) }
        #expect(error?.code == .invalidCertificate)
        #expect(error?.message.contains("does not belong to the first certificate") == true)
        #expect(error?.description.contains("PRIVATE") == false)
    }

    private static func p12(_ pem: [UInt8], password: String) throws -> [UInt8] {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(pem),
            privateKey: try NIOSSLPrivateKey(bytes: pem, format: .pem)
        )
        return try bundle.serialize(passphrase: password.utf8)
    }
}
