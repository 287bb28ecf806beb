// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Foundation
import NIOSSL

@testable import APNsSimulator

/// Certificates of this test run for servers and for clients.
struct PuppetAuthority: Sendable {
    let pem: [UInt8]
    private let authority: CertificateAuthority

    init() throws {
        self.authority = try CertificateAuthority(now: Date())
        self.pem = Array(try self.authority.certificatePEM.utf8)
    }

    /// A server's context that offers these application protocols, and may ask for a certificate of this authority.
    func server(offering protocols: [String] = ["h2"], asksForCertificate: Bool = false) throws -> NIOSSLContext {
        let issued = try self.authority.issueServer(now: Date())
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem))
        )
        configuration.applicationProtocols = protocols
        if asksForCertificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: self.pem, format: .pem)])
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// A client certificate as a credential: it knows no start with one stream.
    func certificate(at time: Date = Date()) throws -> APNsCredential {
        .certificate(try ClientCertificate(pem: Array(self.issue(at: time).utf8)))
    }

    /// A client certificate and its key in one PEM document, issued at a time.
    func issue(at time: Date = Date()) throws -> String {
        let issued = try self.authority.issuePush(PushCertificateRequest(bundleID: app), now: time)
        return issued.certificatePEM + "\n" + issued.privateKeyPEM
    }
}
