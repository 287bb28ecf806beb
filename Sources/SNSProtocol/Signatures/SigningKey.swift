// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto

/// The key of one scope: what a secret becomes for one day, region and service.
struct SigningKey: Sendable {
    let key: SymmetricKey

    /// Derives the key: four HMACs, each with the result of the one before it as its key.
    init(secret: String, scope: CredentialScope) {
        var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
        for part in [scope.day, scope.region, scope.service, CredentialScope.terminator] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    /// Whether a signature is the one of a text; takes the same time wherever it differs.
    func isValid(_ signature: [UInt8], of text: String) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: Array(text.utf8), using: self.key)
    }

    /// The signature of a text: 32 bytes.
    func signature(of text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: self.key))
    }
}
