// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a provider authenticates itself to APNs with.
public enum APNsCredential: Hashable, Sendable {
    /// A signing key: every request carries a provider token.
    case key(ProviderKey)
    /// A client certificate in the TLS handshake.
    case certificate(ClientCertificate)
}
