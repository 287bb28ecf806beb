// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// An app's report about a device that shows an activity: its update token.
public struct UpdateTokenRegistration: Hashable, Sendable {
    public var installation: DeviceID
    public var token: DeviceToken
    public var environment: APNsEnvironment

    /// When ActivityKit gave it; `nil` means now.
    ///
    /// An upload that comes late never takes the place of a younger token.
    public var issuedAt: Date?

    /// Whether the user allows frequent updates; `nil` keeps the former value.
    public var frequentUpdates: Bool?

    /// The right of the caller to report about the device.
    public var access = DeviceAccess.backend()

    /// Which activities a copy of the app may join.
    public var joins = ActivityJoinPolicy.any

    /// Whether the device shows the initial content of the activity, because its app started it.
    public var showsInitialContent = true

    public init(
        installation: DeviceID,
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

    /// When ActivityKit issued the token, at most `now`: otherwise a report from a device with a fast clock would have
    /// precedence over later ones with the correct time.
    func issued(now: Date) -> Date {
        Date(millisecondsSince1970: min(self.issuedAt ?? now, now).millisecondsSince1970)
    }
}

/// The push-to-start token of one activity type on one device.
///
/// It rotates: there is one for each device and type, and the latest one counts.
public struct PushToStartToken: Hashable, Sendable {
    public var app: AppID
    public var installation: DeviceID
    public var attributesType: AttributesType
    public var token: DeviceToken
    public var environment: APNsEnvironment

    /// When ActivityKit issued it; later reports about an earlier token are ignored.
    ///
    /// Kept to the millisecond.
    public var issuedAt: Date

    /// Whether the device supports broadcast channels: it runs iOS 18 or later.
    public var supportsChannels: Bool

    public init(
        app: AppID,
        installation: DeviceID,
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
