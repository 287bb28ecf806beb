// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A certificate and its private key, both as PEM.
public struct IssuedCertificate: Sendable {
    /// The certificate.
    public var certificatePEM: String
    /// The private key (P-256, PKCS #8).
    ///
    /// A secret.
    public var privateKeyPEM: String
}
