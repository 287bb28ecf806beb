// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an app tells of a phone that shows an activity: the token to which updates go.
public struct ActivityTokenUpload: Hashable, Sendable {
    /// The app's installation on the phone.
    public var installation: InstallationID

    /// The token that ActivityKit gave the activity.
    public var token: DeviceToken

    /// The environment in which the token is good.
    public var environment: APNsEnvironment

    /// When ActivityKit gave it; `nil` means now.
    ///
    /// An upload that comes late never takes the place of a younger token.
    public var issuedAt: Date?

    /// Whether the person lets the app have frequent updates; `nil` keeps what was said before.
    public var frequentUpdates: Bool?

    /// Describes an upload.
    ///
    /// - Parameters:
    ///   - installation: the app's installation on the phone.
    ///   - token: the token that ActivityKit gave the activity.
    ///   - environment: where the token is good.
    ///   - issuedAt: when ActivityKit gave it, or `nil`.
    ///   - frequentUpdates: whether the person lets the app have frequent updates, or `nil`.
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
