// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The authentication methods of a provider for a push type.
public enum ProviderAuthentication: String, Hashable, Sendable, Codable, CaseIterable {
    /// A provider token, or any push certificate of the app.
    case any
    /// A provider token, or a certificate whose extensions list the very topic.
    case certificateListingTopic
    /// A provider token only.
    case tokenOnly
}

/// Apple's requirements for provider tokens: JSON Web Tokens signed with a team's key.
///
/// See <https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns>.
public enum ProviderTokenRequirements {
    /// The only `alg` that APNs takes: ECDSA with P-256 and SHA-256.
    public static let algorithm = "ES256"
    /// How many characters a key id (`kid`) and a team id (`iss`) have.
    public static let identifierLength = 10
    /// How far `iat` may lie from now; beyond it APNs answers `ExpiredProviderToken`.
    public static let lifetime: Duration = .seconds(60 * 60)
    /// The least time between two tokens on one connection; below it APNs answers `TooManyProviderTokenUpdates`.
    public static let minimumAge: Duration = .seconds(20 * 60)
    /// The prefix of the token in `authorization`, with its space.
    public static let authorizationPrefix = "bearer "
}

/// The extensions of a push certificate that define its permissions, in dotted form.
public enum PushCertificateOID {
    /// It may push to the sandbox.
    public static let development = "1.2.840.113635.100.6.3.1"
    /// It may push to production.
    public static let production = "1.2.840.113635.100.6.3.2"
    /// The VoIP topics it lists.
    public static let voipTopics = "1.2.840.113635.100.6.3.4"
    /// Every topic it lists, each with its kind: `app`, `voip` or `complication`.
    public static let topics = "1.2.840.113635.100.6.3.6"
    /// The subject attribute (UID) that holds the bundle identifier.
    public static let userID = "0.9.2342.19200300.100.1.1"
}
