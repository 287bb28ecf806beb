// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An app's word that it runs on a device and is reached by a token.
public struct DeviceRegistration: Hashable, Sendable {
    /// The times of registrations that were copied from a place that tells no times, in milliseconds since 1970.
    ///
    /// They are older than all that Apple says of tokens, and tell one copy from another; none is later than another.
    public static let copyTimes: Range<Int64> = 0..<1 << 31

    /// Whether a time of a registration is one of ``copyTimes``.
    public static func isCopy(_ time: Date) -> Bool { self.copyTimes.contains(time.millisecondsSince1970) }

    /// The app.
    public var app: AppID

    /// The installation, unique within the app.
    public var installation: InstallationID

    /// The token that APNs gave the installation.
    public var token: DeviceToken

    /// The APNs environment in which the token is good.
    public var environment: APNsEnvironment

    /// What the app tells about the device and its user; replaces what it told before.
    public var profile: DeviceProfile

    /// When the app said so, if somebody tells of it later, as an import does; `nil` means now.
    ///
    /// It gives way to what the app, or whoever else holds the token, has said since.
    public var registeredAt: Date?

    /// After which time a registration, of the installation or with the token, is later than this one; `nil` where it
    /// has no time of its own.
    public var precedence: Date? {
        self.registeredAt.map { Self.isCopy($0) ? Date(millisecondsSince1970: Self.copyTimes.upperBound - 1) : $0 }
    }

    /// Describes a registration.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - installation: the installation, unique within the app.
    ///   - token: the token that APNs gave the installation.
    ///   - environment: where the token is good.
    ///   - profile: what the app tells about the device and its user.
    ///   - registeredAt: when the app said so; `nil` means now.
    public init(
        app: AppID,
        installation: InstallationID,
        token: DeviceToken,
        environment: APNsEnvironment,
        profile: DeviceProfile = DeviceProfile(),
        registeredAt: Date? = nil
    ) {
        self.app = app
        self.installation = installation
        self.token = token
        self.environment = environment
        self.profile = profile
        self.registeredAt = registeredAt
    }
}
