// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What a virtual device holds at one moment.
public struct VirtualDevice: Sendable {
    /// An app on the device, with the tokens that it would upload.
    public struct App: Sendable, Hashable {
        /// The app's bundle identifier.
        public var bundleID: String
        /// Its tokens by topic: the bundle identifier, or that with the suffix of a push type.
        public var tokens: [String: DeviceToken]
    }

    /// The device's identity.
    public var id: VirtualDeviceID
    /// The service that the device's tokens belong to.
    public var environment: APNsEnvironment
    /// Whether the device is connected to APNs.
    public var isOnline: Bool
    /// The installed apps, in the order of their installation.
    public var apps: [App]
    /// What arrived, oldest first: the newest of them, as many as the configuration keeps.
    public var notifications: [ReceivedNotification]
    /// How many arrived and are no longer kept.
    public var droppedNotifications: Int
    /// How many wait for the device to come online: at most one for each app.
    public var waitingNotifications: Int

    /// Every token by topic.
    public var tokens: [String: DeviceToken] {
        self.apps.reduce(into: [:]) { $0.merge($1.tokens) { first, _ in first } }
    }

    /// The token for a topic, such as a bundle identifier.
    public func token(_ topic: String) -> DeviceToken? { self.tokens[topic] }
}
