// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What a caller of the SNS endpoint says of a device that it calls a new platform endpoint.
public struct EndpointDraft: Hashable, Sendable {
    /// The app.
    public var app: AppID

    /// Where the token is good.
    public var environment: APNsEnvironment

    /// The installation that is made unless a device has the token already.
    public var installation: InstallationID

    /// The device's token.
    public var token: DeviceToken

    /// Whether it is sent to.
    public var isEnabled: Bool

    /// What the caller keeps with it; `nil` for nothing.
    public var userData: String?

    /// Describes an endpoint.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - environment: where the token is good.
    ///   - installation: the installation that is made unless a device has the token already.
    ///   - token: the device's token.
    ///   - isEnabled: whether it is sent to.
    ///   - userData: what the caller keeps with it.
    public init(
        app: AppID,
        environment: APNsEnvironment,
        installation: InstallationID,
        token: DeviceToken,
        isEnabled: Bool = true,
        userData: String? = nil
    ) {
        self.app = app
        self.environment = environment
        self.installation = installation
        self.token = token
        self.isEnabled = isEnabled
        self.userData = userData
    }
}
