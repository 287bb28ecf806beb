// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// An app to whose devices notifications are sent.
public struct App: Hashable, Sendable, Codable {
    public let id: AppID

    /// The display name; the bundle ID unless a name is given.
    public var name: String

    /// The APNs environment that is assumed where a caller names none.
    public var defaultEnvironment: APNsEnvironment

    /// When it was created; kept to the millisecond.
    public let createdAt: Date

    /// The secrets that its installations present with a client key.
    public var installationSecrets = InstallationSecretPolicy()

    /// Which activities an installation may join with a client key.
    public var activityJoins = ActivityJoinPolicy.any

    /// Whether a new installation proves with App Attest that it is the app.
    public var attestation = AttestationPolicy()

    public init(
        id: AppID,
        name: String? = nil,
        defaultEnvironment: APNsEnvironment = .production,
        createdAt: Date
    ) {
        self.id = id
        self.name = name ?? id.rawValue
        self.defaultEnvironment = defaultEnvironment
        self.createdAt = createdAt
    }
}

/// Which activities an installation may join by its update token, with a client key.
public enum ActivityJoinPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// All activities whose ID it knows.
    case any

    /// Those that it created, and those of the backend that were started on it or that name it or its user.
    case named
}
