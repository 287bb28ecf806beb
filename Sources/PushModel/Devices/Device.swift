// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One installation of an app, and how it is reached.
public struct Device: Hashable, Sendable {
    /// The app.
    public let app: AppID

    /// The installation, unique within the app.
    public let installation: InstallationID

    /// The token of the latest registration.
    public var token: DeviceToken

    /// The APNs environment in which the token is good.
    public var environment: APNsEnvironment

    /// What the app told about the device and its user.
    public var profile: DeviceProfile

    /// When the installation was registered first.
    ///
    /// Kept to the millisecond, as all times here.
    public let createdAt: Date

    /// When the app registered it last; a 410 whose time is older is void.
    public var registeredAt: Date

    /// When the app was last heard of, by a registration or otherwise.
    public var seenAt: Date

    /// Whether it is sent to.
    public var status: DeviceStatus

    /// What a caller of the SNS endpoint keeps with it, at most 2048 bytes; `nil` for nothing.
    ///
    /// Registrations leave it as it is.
    public var userData: String?

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - installation: the installation, unique within the app.
    ///   - token: the token of the latest registration.
    ///   - environment: where the token is good.
    ///   - profile: what the app told about the device and its user.
    ///   - createdAt: when it was registered first.
    ///   - registeredAt: when it was registered last.
    ///   - seenAt: when it was last heard of.
    ///   - status: whether it is sent to.
    ///   - userData: what a caller of the SNS endpoint keeps with it.
    public init(
        app: AppID,
        installation: InstallationID,
        token: DeviceToken,
        environment: APNsEnvironment,
        profile: DeviceProfile = DeviceProfile(),
        createdAt: Date,
        registeredAt: Date,
        seenAt: Date,
        status: DeviceStatus = .active,
        userData: String? = nil
    ) {
        self.app = app
        self.installation = installation
        self.token = token
        self.environment = environment
        self.profile = profile
        self.createdAt = createdAt
        self.registeredAt = registeredAt
        self.seenAt = seenAt
        self.status = status
        self.userData = userData
    }

    /// Where a notification for it goes.
    public var target: Target { Target(token: self.token, environment: self.environment) }
}
