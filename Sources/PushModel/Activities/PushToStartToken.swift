// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The token with which pushes start activities of one type on one phone.
///
/// It rotates: there is one for each installation and type, and the youngest counts.
public struct PushToStartToken: Hashable, Sendable {
    /// The app.
    public var app: AppID

    /// The app's installation on the phone.
    public var installation: InstallationID

    /// The name of the app's type.
    public var attributesType: AttributesType

    /// The token that ActivityKit gave the type.
    public var token: DeviceToken

    /// The environment in which the token is good.
    public var environment: APNsEnvironment

    /// When ActivityKit gave it; what is said later of an earlier one is old news.
    ///
    /// Kept to the millisecond.
    public var issuedAt: Date

    /// Whether the phone can subscribe to broadcast channels: it runs iOS 18 or later.
    public var supportsChannels: Bool

    /// Describes a token.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - installation: the app's installation on the phone.
    ///   - attributesType: the name of the app's type.
    ///   - token: the token that ActivityKit gave the type.
    ///   - environment: where the token is good.
    ///   - issuedAt: when ActivityKit gave it.
    ///   - supportsChannels: whether the phone can subscribe to broadcast channels, as far as is known.
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

    /// Where pushes that start an activity go.
    public var target: Target { Target(token: self.token, environment: self.environment) }
}
