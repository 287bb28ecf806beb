// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOSSL

/// A server together with the credential for it: each has connections of its own.
///
/// APNs binds a connection to the team of its first push, so that two credentials never share one.
public struct APNsDestination: Hashable, Sendable {
    /// The server.
    public var endpoint: APNsEndpoint
    /// What this side authenticates itself with.
    public var credential: APNsCredential

    /// A server together with the credential for it.
    public init(endpoint: APNsEndpoint, credential: APNsCredential) {
        self.endpoint = endpoint
        self.credential = credential
    }
}

extension APNsDestination {
    /// The TLS context of this destination's connections: `h2` only, TLS 1.2 at least.
    func makeTLSContext() throws(APNsClientError) -> NIOSSLContext {
        var configuration = try self.endpoint.tlsConfiguration()
        if case .certificate(let certificate) = self.credential {
            configuration.certificateChain = certificate.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(certificate.privateKey)
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw APNsClientError(
                code: .invalidCertificate,
                message: "the credential for \(self.endpoint.host) cannot be used for TLS",
                cause: error
            )
        }
    }
}

/// The alerts of TLS by which a server says that it does not take the client's certificate (RFC 8446, section 6.2).
///
/// A server that refuses a certificate so does not get to answer anything: the alert is all that it says.
enum CertificateAlert: String, CaseIterable {
    case badCertificate = "bad_certificate"
    case unsupportedCertificate = "unsupported_certificate"
    case certificateRevoked = "certificate_revoked"
    case certificateExpired = "certificate_expired"
    case certificateUnknown = "certificate_unknown"
    case unknownCA = "unknown_ca"
    case accessDenied = "access_denied"

    /// The alert that a connection ended with; `nil` where it ended with something else.
    ///
    /// The TLS library has no other form for it than words: `SSLV3_ALERT_CERTIFICATE_EXPIRED`. It writes that of alerts
    /// that it received alone; what this side holds against the server's certificate bears other names.
    init?(endOf error: String) {
        let words = error.split { $0 != "_" && !$0.isLetter && !$0.isNumber }
        let alert = Self.allCases.first { alert in
            words.contains { $0.hasSuffix("_ALERT_\(alert.rawValue.uppercased())") }
        }
        guard let alert else { return nil }
        self = alert
    }
}
