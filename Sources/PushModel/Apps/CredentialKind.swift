// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The two ways in which APNs trusts a provider, with the public part of each.
public enum CredentialKind: Hashable, Sendable, Codable {
    /// A provider key (`.p8`) that signs provider tokens: its key id and its team's id, 10 characters each.
    case key(keyID: String, teamID: String)

    /// A client certificate with its private key, in the given container.
    case certificate(format: CertificateFormat)
}

/// The container in which a client certificate and its private key are kept.
public enum CertificateFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// A text file with the certificate, its chain and its unencrypted private key.
    case pem

    /// A PKCS #12 file (`.p12`), usually with a password.
    case pkcs12
}
