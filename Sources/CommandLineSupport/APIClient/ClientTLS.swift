// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation
import NIOSSL

/// How a client verifies the server, and the certificate that it presents.
package struct ClientTLS: Sendable {
    let configuration: TLSConfiguration

    /// Trusts the authorities of the system, and presents no certificate.
    package static let system = ClientTLS(.makeClientConfiguration())

    /// Trusts an authority in a PEM file instead of those of the system, and presents a certificate.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`, `.bad_certificate` with the name of the option.
    package init(authority: String?, certificate: String?, key: String?) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authority { tls.trustRoots = .certificates(try Self.certificates(authority, "--ca")) }
        if let certificate {
            // Some programs write both to one file.
            let path = key ?? certificate
            tls.certificateChain = try Self.certificates(certificate, "--client-certificate").map { .certificate($0) }
            guard let key = try? NIOSSLPrivateKey(bytes: Array(try InputFile.bytes(path)), format: .pem) else {
                let rule = "expected a PEM file with a private key without a passphrase"
                throw CommandError("bad_certificate", "--client-key: \(rule), got \(path) without one.")
            }
            tls.privateKey = .privateKey(key)
        } else if key != nil {
            throw CommandError("bad_certificate", "--client-key needs --client-certificate.")
        }
        self.init(tls)
    }

    private init(_ configuration: TLSConfiguration) {
        var configuration = configuration
        configuration.minimumTLSVersion = .tlsv12
        self.configuration = configuration
    }

    /// The same without verification of the server, for requests that contain no secret.
    package var unverified: ClientTLS {
        var tls = self.configuration
        tls.certificateVerification = .none
        return ClientTLS(tls)
    }

    private static func certificates(_ path: String, _ option: String) throws -> [NIOSSLCertificate] {
        let content = Array(try InputFile.bytes(path))
        guard let found = try? NIOSSLCertificate.fromPEMBytes(content), !found.isEmpty else {
            let rule = "expected a PEM file with certificates"
            throw CommandError("bad_certificate", "\(option): \(rule), got \(path) without one.")
        }
        return found
    }
}

/// The options of a command that connects to a server with TLS.
package struct ClientTLSArguments: ParsableArguments {
    @Option(
        help: "PEM file with the authority of the server's certificate. Default: $APUS_CA, or those of the system."
    )
    var ca: String?

    @Option(help: "PEM file with a certificate for a server that requires one. Default: $APUS_CLIENT_CERTIFICATE.")
    var clientCertificate: String?

    @Option(help: "PEM file with its key. Default: $APUS_CLIENT_KEY, or the file of the certificate.")
    var clientKey: String?

    /// The environment variables of the options.
    package static let variables = ["APUS_CA", "APUS_CLIENT_CERTIFICATE", "APUS_CLIENT_KEY"]

    package init() {}

    /// Reads the files.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file`, `.bad_certificate`.
    package func tls(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> ClientTLS {
        try ClientTLS(
            authority: self.ca ?? environment["APUS_CA"],
            certificate: self.clientCertificate ?? environment["APUS_CLIENT_CERTIFICATE"],
            key: self.clientKey ?? environment["APUS_CLIENT_KEY"]
        )
    }
}
