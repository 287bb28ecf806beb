// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOSSL

/// A server together with a credential: each has separate connections.
///
/// APNs binds a connection to the team of its first push, so two credentials never share one.
public struct APNsDestination: Hashable, Sendable {
    /// The server.
    public var endpoint: APNsEndpoint
    /// The credential of this provider.
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

/// The TLS alerts with which a server rejects the client's certificate (RFC 8446, section 6.2).
///
/// A server that rejects a certificate like that sends no response: the alert is the only information.
enum TLSCertificateAlert: String, CaseIterable {
    case badCertificate = "bad_certificate"
    case unsupportedCertificate = "unsupported_certificate"
    case certificateRevoked = "certificate_revoked"
    case certificateExpired = "certificate_expired"
    case certificateUnknown = "certificate_unknown"
    case unknownCA = "unknown_ca"
    case accessDenied = "access_denied"

    /// Creates the alert that a connection ended with; `nil` if it ended otherwise.
    ///
    /// The TLS library reports it only as text: `SSLV3_ALERT_CERTIFICATE_EXPIRED`. It uses these names only for alerts
    /// that it received; errors about the server's certificate have other names.
    init?(endOf error: String) {
        let words = error.split { $0 != "_" && !$0.isLetter && !$0.isNumber }
        let alert = Self.allCases.first { alert in
            words.contains { $0.hasSuffix("_ALERT_\(alert.rawValue.uppercased())") }
        }
        guard let alert else { return nil }
        self = alert
    }
}
