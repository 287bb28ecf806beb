// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What Apple asks of provider tokens: JSON Web Tokens signed with a team's key.
///
/// See <https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns>.
public enum ProviderTokenRule {
    /// The only `alg` that APNs takes: ECDSA with P-256 and SHA-256.
    public static let algorithm = "ES256"
    /// How many characters a key id (`kid`) and a team id (`iss`) have.
    public static let identifierLength = 10
    /// How far `iat` may lie from now; beyond it APNs answers `ExpiredProviderToken`.
    public static let lifetime: Duration = .seconds(60 * 60)
    /// The least time between two tokens on one connection; below it APNs answers `TooManyProviderTokenUpdates`.
    public static let minimumAge: Duration = .seconds(20 * 60)
    /// What stands before the token in `authorization`, with its space.
    public static let authorizationPrefix = "bearer "
}
