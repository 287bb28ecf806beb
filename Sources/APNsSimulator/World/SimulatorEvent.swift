// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event of the simulated devices or of APNs that is not visible to a provider: the fate of a notification, a
/// callback of an app, or an action of the user.
public struct SimulatorEvent: Sendable, Hashable {
    /// The sequence number, from 1; 0 for an event without readers when it happened.
    ///
    /// A gap means that the reader was too slow and missed events.
    public var sequence: UInt64
    /// When it happened, in simulated time.
    public var at: Date
    /// The type.
    public var kind: Kind
    /// The device that it happened to or on.
    public var device: VirtualDeviceID?
    /// The app that it concerns.
    public var bundleID: String?
    /// The notification that it concerns.
    public var apnsID: APNsID?
    /// Why, as a stable word; see ``DiscardReason`` for discarded notifications.
    public var cause: String?
    /// More about it, by names that depend on the kind.
    public var details: [String: String]

    /// Something that happened.
    public init(
        sequence: UInt64 = 0,
        at: Date,
        kind: Kind,
        device: VirtualDeviceID? = nil,
        bundleID: String? = nil,
        apnsID: APNsID? = nil,
        cause: String? = nil,
        details: [String: String] = [:]
    ) {
        self.sequence = sequence
        self.at = at
        self.kind = kind
        self.device = device
        self.bundleID = bundleID
        self.apnsID = apnsID
        self.cause = cause
        self.details = details
    }
}

extension SimulatorEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case sequence, at, kind, device, bundleID, apnsID, cause, details
    }

    /// Reads an event; absent details are none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sequence: try container.decode(UInt64.self, forKey: .sequence),
            at: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: .at)),
            kind: try container.decode(Kind.self, forKey: .kind),
            device: try container.decodeIfPresent(VirtualDeviceID.self, forKey: .device),
            bundleID: try container.decodeIfPresent(String.self, forKey: .bundleID),
            apnsID: try container.decodeIfPresent(APNsID.self, forKey: .apnsID),
            cause: try container.decodeIfPresent(String.self, forKey: .cause),
            details: try container.decodeIfPresent([String: String].self, forKey: .details) ?? [:]
        )
    }

    /// Writes the event; the time as seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.sequence, forKey: .sequence)
        try container.encode(self.at.timeIntervalSince1970, forKey: .at)
        try container.encode(self.kind, forKey: .kind)
        try container.encodeIfPresent(self.device, forKey: .device)
        try container.encodeIfPresent(self.bundleID, forKey: .bundleID)
        try container.encodeIfPresent(self.apnsID, forKey: .apnsID)
        try container.encodeIfPresent(self.cause, forKey: .cause)
        if !self.details.isEmpty { try container.encode(self.details, forKey: .details) }
    }
}

extension SimulatorEvent {
    /// The type of an event; a stable word.
    public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
        /// The word.
        public let rawValue: String

        /// The kind with this word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A notification reached its device.
        public static let delivered = Kind(rawValue: "delivered")
        /// A notification was added to the list that the user sees.
        public static let shown = Kind(rawValue: "shown")
        /// A notification replaced an older one, in the list that the user sees or in APNs's store.
        public static let replaced = Kind(rawValue: "replaced")
        /// A notification was thrown away; the cause says why.
        public static let discarded = Kind(rawValue: "discarded")
        /// A notification waits in APNs's store.
        public static let stored = Kind(rawValue: "stored")
        /// A stored notification expired.
        public static let expired = Kind(rawValue: "expired")
        /// A background notification waits on the device until the app may run.
        public static let held = Kind(rawValue: "held")
        /// An app received a callback; see ``AppCallback``.
        public static let appCalled = Kind(rawValue: "appCalled")
        /// An app completed a callback.
        public static let callCompleted = Kind(rawValue: "callCompleted")
        /// An app did not say in time that it was done.
        public static let deadlineMissed = Kind(rawValue: "deadlineMissed")
        /// The badge of an app changed.
        public static let badgeChanged = Kind(rawValue: "badgeChanged")
        /// The user removed notifications, or acted on one.
        public static let removed = Kind(rawValue: "removed")
        /// A device or an app changed its state.
        public static let stateChanged = Kind(rawValue: "stateChanged")
        /// An app has another device token.
        public static let tokenChanged = Kind(rawValue: "tokenChanged")
        /// APNs marked a token unregistered.
        public static let tokenEnded = Kind(rawValue: "tokenEnded")
    }
}

extension SimulatorEvent.Kind: CaseIterable {
    /// All types of events.
    public static let allCases: [SimulatorEvent.Kind] = [
        .delivered, .shown, .replaced, .discarded, .stored, .expired, .held, .appCalled, .callCompleted,
        .deadlineMissed, .badgeChanged, .removed, .stateChanged, .tokenChanged, .tokenEnded, .activityChanged,
    ]
}

/// The unpublished deliveries and events of the world.
struct EventLog: Sendable {
    /// Whether deliveries have readers, so that they must be created.
    var wantsDeliveries = false
    /// Whether events have readers.
    var wantsEvents = false
    private(set) var deliveries: [Delivery] = []
    private(set) var events: [SimulatorEvent] = []
    /// Messages to courier connections.
    private var outputs: [CourierOutput] = []
    private var deliveryCount: UInt64 = 0
    private var eventCount: UInt64 = 0

    init() {}

    var isEmpty: Bool { self.deliveries.isEmpty && self.events.isEmpty && self.outputs.isEmpty }

    /// Counts a delivery; returns its place in the order.
    mutating func countDelivery() -> UInt64 {
        self.deliveryCount += 1
        return self.deliveryCount
    }

    mutating func add(_ delivery: Delivery) { self.deliveries.append(delivery) }

    mutating func add(_ output: CourierOutput) { self.outputs.append(output) }

    /// Adds an event with the next sequence number.
    mutating func add(_ event: SimulatorEvent) {
        guard self.wantsEvents else { return }
        var event = event
        self.eventCount += 1
        event.sequence = self.eventCount
        self.events.append(event)
    }

    /// Removes and returns the unpublished entries.
    mutating func take() -> (deliveries: [Delivery], events: [SimulatorEvent], outputs: [CourierOutput]) {
        defer {
            self.outputs.removeAll(keepingCapacity: true)
            self.deliveries.removeAll(keepingCapacity: true)
            self.events.removeAll(keepingCapacity: true)
        }
        return (self.deliveries, self.events, self.outputs)
    }
}

/// Something that a device, or APNs for it, does when its time has come.
struct DeviceTimerEvent: Codable, Hashable, Sendable {
    enum Kind: Codable, Hashable, Sendable {
        /// A group of notifications that are not urgent is delivered.
        case powerWindow
        /// The device acknowledges the notification in flight.
        case acknowledgement
        /// The first of the notifications that are stored for the device is no longer good.
        case storedExpires
        /// The courier connection of the device may have to end.
        case courierCheck
        /// An app should have said that it is done.
        case deadline(call: Int)
        /// A background notification that is held may let its app run.
        case heldMayRun(bundleID: String)
    }

    var device: DeviceIndex
    var kind: Kind
}

/// A moment at which the message that a channel stores is no longer kept.
struct ChannelTimerEvent: Codable, Hashable, Sendable {
    /// The channel that looks at the clock then.
    var channel: ChannelKey
}

/// Why an accepted notification was discarded; the `cause` of a `discarded` event.
public enum DiscardReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// It could not be delivered at once and its expiration forbids to store it.
    case notStored
    /// It expired while it was stored.
    case expired
    /// A newer one of the same app took its place in the store.
    case replaced
    /// The app is not installed on the device.
    case appRemoved
    /// The user did not allow notifications, or was not asked.
    case notificationsDisabled
    /// There is nothing in it to show and nothing that wakes an app.
    case nothingToDo
    /// A background notification for an app that the user swiped away.
    case forceQuit
    /// A background notification for an app without the background mode.
    case noBackgroundMode
    /// A newer background notification took the place of one that was held.
    case heldReplaced
    /// More than the day's complication pushes.
    case complicationBudget
    /// More than the hour's widget reloads.
    case widgetBudget
    /// The device's system is older than the push type.
    case systemTooOld
    /// The token's push type is not the notification's.
    case otherPushType
    /// The filter of the device's courier connection does not enable the topic.
    case topicDisabled
    /// A Live Activity push that changed nothing; the event, and the activity's timeline, say why.
    case activityUnchanged
}
