// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// An app's word that it runs on a device and is reached by a token.
public struct DeviceRegistration: Hashable, Sendable {
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

    /// Describes a registration.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - installation: the installation, unique within the app.
    ///   - token: the token that APNs gave the installation.
    ///   - environment: where the token is good.
    ///   - profile: what the app tells about the device and its user.
    public init(
        app: AppID,
        installation: InstallationID,
        token: DeviceToken,
        environment: APNsEnvironment,
        profile: DeviceProfile = DeviceProfile()
    ) {
        self.app = app
        self.installation = installation
        self.token = token
        self.environment = environment
        self.profile = profile
    }
}
