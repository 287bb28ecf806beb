// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A provider token whose signature was checked.
struct VerifiedProviderToken: Sendable {
    /// The token's bytes, as they stand behind `bearer`.
    var bytes: [UInt8]
    /// The key that signed it.
    var key: ProviderKey
    /// `iat`, in seconds since 1970.
    var issuedAt: Double
}
