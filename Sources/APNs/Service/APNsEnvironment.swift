// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which of Apple's two push services a token, a key or a channel belongs to.
///
/// Nothing is shared between them. An app built for development holds sandbox tokens; TestFlight and App Store
/// builds hold production tokens.
public enum APNsEnvironment: String, Hashable, Sendable, Codable, CaseIterable {
    /// The development service, entitlement `aps-environment` = `development`.
    case sandbox
    /// The production service, entitlement `aps-environment` = `production`.
    case production

    /// The environment that a value of the `aps-environment` entitlement names, or nil for an unknown value.
    public init?(entitlement: some StringProtocol) {
        switch entitlement {
        case "development": self = .sandbox
        case "production": self = .production
        default: return nil
        }
    }

    /// The value of the app's `aps-environment` entitlement.
    public var entitlement: String {
        switch self {
        case .sandbox: "development"
        case .production: "production"
        }
    }

    /// The one that this is not.
    public var other: APNsEnvironment { self == .sandbox ? .production : .sandbox }

    /// The host that device and broadcast pushes are sent to.
    public var host: String {
        switch self {
        case .sandbox: "api.sandbox.push.apple.com"
        case .production: "api.push.apple.com"
        }
    }

    /// Every host that takes pushes for this environment, the preferred one first.
    ///
    /// The others are aliases in older documents and in the samples for broadcasts.
    public var hosts: [String] {
        switch self {
        case .sandbox: [self.host, "api.development.push.apple.com", "api-broadcast.sandbox.push.apple.com"]
        case .production: [self.host, "api-broadcast.push.apple.com"]
        }
    }

    /// The host on which broadcast channels are created, read, listed and deleted.
    public var channelManagementHost: String {
        switch self {
        case .sandbox: "api-manage-broadcast.sandbox.push.apple.com"
        case .production: "api-manage-broadcast.push.apple.com"
        }
    }

    /// The port of ``channelManagementHost``.
    public var channelManagementPort: Int {
        switch self {
        case .sandbox: 2195
        case .production: 2196
        }
    }
}

/// The ports on which APNs takes pushes over HTTP/2 and TLS.
public enum APNsPort {
    /// The usual port.
    public static let standard = 443
    /// The other port, for networks in which 443 is taken or filtered.
    public static let alternate = 2197
}

/// The paths of Apple's HTTP interfaces.
public enum APNsPath {
    /// The path prefix of a device token in lower-case hexadecimal digits: `POST /3/device/<token>`.
    public static let devicePrefix = "/3/device/"
    /// The path prefix of a bundle ID in a broadcast: `POST /4/broadcasts/apps/<bundle id>`.
    public static let broadcastPrefix = "/4/broadcasts/apps/"

    /// The path of one device push.
    public static func device(_ token: DeviceToken) -> String { self.devicePrefix + token.hex }

    /// The path of a broadcast to a channel of an app; the channel itself travels in `apns-channel-id`.
    public static func broadcast(bundleID: String) -> String { self.broadcastPrefix + bundleID }

    /// The path on which one channel is created, read or deleted.
    public static func channels(bundleID: String) -> String { "/1/apps/\(bundleID)/channels" }

    /// The path that lists every channel of an app.
    public static func allChannels(bundleID: String) -> String { "/1/apps/\(bundleID)/all-channels" }
}
