// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// By what a provider connection is trusted, and what its first push bound it to.
struct ConnectionTrust: Sendable {
    /// The certificate of the TLS handshake; `nil` means that provider tokens are needed.
    var certificate: CertificateTrust?
    /// The provider token in use.
    private(set) var token: VerifiedProviderToken?
    /// The key of the first push; the connection keeps to its team and to related keys.
    private(set) var boundKey: ProviderKey?
    /// When the provider token last changed, in seconds since 1970.
    private(set) var lastUpdate: Double?

    init(certificate: CertificateTrust? = nil) {
        self.certificate = certificate
    }

    /// Goes on with another provider token.
    mutating func adopt(_ token: VerifiedProviderToken, at seconds: Double, countsFirst: Bool) {
        if self.boundKey == nil {
            self.boundKey = token.key
            if countsFirst { self.lastUpdate = seconds }
        } else {
            self.lastUpdate = seconds
        }
        self.token = token
    }
}
