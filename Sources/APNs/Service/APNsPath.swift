// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The paths of Apple's HTTP interfaces.
public enum APNsPath {
    /// What a device token in lower-case hexadecimal digits follows: `POST /3/device/<token>`.
    public static let devicePrefix = "/3/device/"
    /// What a bundle identifier follows in a broadcast: `POST /4/broadcasts/apps/<bundle id>`.
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
