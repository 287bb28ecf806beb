// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// Reads the `Authorization` header (RFC 6750).
enum BearerToken {
    /// The API key in a header's value.
    ///
    /// - Parameter header: the value, or `nil` when there is no such header.
    /// - Returns: the key with its secret, not yet held against the store.
    /// - Throws: ``Problem`` `.missingKey`, or `.invalidKey` for another scheme and for what is no API key.
    static func parse(_ header: String?) throws(Problem) -> APIKeySecret {
        guard let header else { throw Problem(.missingKey, "The request has no Authorization header.") }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem(.invalidKey, "The Authorization header is not of the form 'Bearer <API key>'.")
        }
        guard let secret = APIKeySecret(parts[1]) else {
            throw Problem(.invalidKey, "What follows 'Bearer' is not an API key (\(parts[1].utf8.count) bytes).")
        }
        return secret
    }
}
