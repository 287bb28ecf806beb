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
