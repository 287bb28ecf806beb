// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// What an app tells of a phone that shows an activity: the token to which updates go.
public struct ActivityTokenUpload: Hashable, Sendable {
    public var installation: InstallationID
    public var token: DeviceToken
    public var environment: APNsEnvironment

    /// When ActivityKit gave it; `nil` means now.
    ///
    /// An upload that comes late never takes the place of a younger token.
    public var issuedAt: Date?

    /// Whether the person lets the app have frequent updates; `nil` keeps what was said before.
    public var frequentUpdates: Bool?

    public init(
        installation: InstallationID,
        token: DeviceToken,
        environment: APNsEnvironment,
        issuedAt: Date? = nil,
        frequentUpdates: Bool? = nil
    ) {
        self.installation = installation
        self.token = token
        self.environment = environment
        self.issuedAt = issuedAt
        self.frequentUpdates = frequentUpdates
    }

    /// When ActivityKit gave the token, by a clock that is not ahead of ours: what a phone says whose clock is would be
    /// younger than whatever it says once that is right.
    func issued(now: Date) -> Date {
        Date(millisecondsSince1970: min(self.issuedAt ?? now, now).millisecondsSince1970)
    }
}

/// The token with which pushes start activities of one type on one phone.
///
/// It rotates: there is one for each installation and type, and the youngest counts.
public struct PushToStartToken: Hashable, Sendable {
    public var app: AppID
    public var installation: InstallationID
    public var attributesType: AttributesType
    public var token: DeviceToken
    public var environment: APNsEnvironment

    /// When ActivityKit gave it; what is said later of an earlier one is old news.
    ///
    /// Kept to the millisecond.
    public var issuedAt: Date

    /// Whether the phone can subscribe to broadcast channels: it runs iOS 18 or later.
    public var supportsChannels: Bool

    public init(
        app: AppID,
        installation: InstallationID,
        attributesType: AttributesType,
        token: DeviceToken,
        environment: APNsEnvironment,
        issuedAt: Date,
        supportsChannels: Bool = false
    ) {
        self.app = app
        self.installation = installation
        self.attributesType = attributesType
        self.token = token
        self.environment = environment
        self.issuedAt = issuedAt
        self.supportsChannels = supportsChannels
    }

    public var target: Target { Target(token: self.token, environment: self.environment) }
}
