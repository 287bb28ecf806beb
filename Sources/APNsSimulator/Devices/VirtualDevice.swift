// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A snapshot of a virtual device.
public struct VirtualDevice: Sendable {
    /// An app on the device, with the tokens that it would upload.
    public struct App: Sendable, Hashable {
        /// The app's bundle identifier.
        public var bundleID: String
        /// Its tokens by topic: the bundle identifier, or that with the suffix of a push type.
        public var tokens: [String: DeviceToken]
        /// The settings and the current state of the app.
        public var traits: SimulatedAppState
        /// The number on its icon.
        public var badge: Int?
        /// Whether a notification waits for it in APNs's store.
        public var isWaiting: Bool
        /// Whether a background notification waits on the device until the app may run.
        public var isHolding: Bool
    }

    /// The device's identity.
    public var id: VirtualDeviceID
    /// The service that the device's tokens belong to.
    public var environment: APNsEnvironment
    /// The settings and the current state of the device.
    public var traits: SimulatedDeviceState
    /// The installed apps, in the order of their installation.
    public var apps: [App]
    /// The latest notifications that arrived, oldest first, up to the configured maximum.
    public var notifications: [ReceivedNotification] = []
    /// The number of deliveries that are no longer kept.
    public var droppedNotifications = 0
    /// How many wait in APNs's store: at most one for each app.
    public var waitingNotifications = 0
    /// The visible notifications, oldest first: the latest 1,000.
    public var shown: [DeliveredNotification] = []
    /// How many older ones the list has that are no longer kept.
    public var droppedShown = 0
    /// The callbacks of apps, oldest first: the latest 500.
    public var calls: [AppCallback] = []
    /// The events of the device, oldest first: the latest 500.
    public var history: [SimulatorEvent] = []

    /// Whether the device is connected to APNs.
    public var isOnline: Bool { self.traits.isOnline }

    /// Every token by topic.
    public var tokens: [String: DeviceToken] {
        self.apps.reduce(into: [:]) { $0.merge($1.tokens) { first, _ in first } }
    }

    /// The token for a topic, such as a bundle identifier.
    public func token(_ topic: String) -> DeviceToken? { self.tokens[topic] }

    /// The app with this bundle identifier.
    public func app(_ bundleID: String) -> App? { self.apps.first { $0.bundleID == bundleID } }
}

/// The identity of a virtual device: a UUID, chosen by the simulator.
public struct VirtualDeviceID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The identifier's text.
    public let rawValue: String

    /// The identifier with this text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The identifier's text.
    public var description: String { self.rawValue }
}
