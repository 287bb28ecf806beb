// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A notification that arrived at a virtual device.
public struct ReceivedNotification: Sendable, Hashable {
    /// The app that it is for.
    public var bundleID: String
    /// The JSON as it was sent, byte for byte.
    public var payload: [UInt8]
    /// The notification's identity: the request's `apns-id`, or the one that the simulator chose.
    public var apnsID: APNsID
    /// The `apns-*` header fields of the request, by their lower-case names.
    public var headers: [String: String]
    /// When it arrived.
    public var receivedAt: Date
}

/// A notification in the list that the person sees.
public struct ShownNotification: Sendable, Hashable, Codable {
    /// The request's identifier: the `apns-collapse-id`, else one that the system gave it.
    public var identifier: String
    /// The notification's identity.
    public var apnsID: APNsID
    /// The app.
    public var bundleID: String
    /// When it was put there, in simulated time.
    public var at: Date
    /// `alert.title`.
    public var title: String?
    /// `alert.subtitle`.
    public var subtitle: String?
    /// `alert.body`, or an alert that is a string.
    public var body: String?
    /// `thread-id`, by which the list is grouped.
    public var threadID: String?
    /// `category`, by which the person gets actions.
    public var category: String?
    /// `passive`, `active`, `time-sensitive` or `critical`.
    public var interruptionLevel: String
    /// `relevance-score`.
    public var relevanceScore: Double?
    /// The sound that it made; `nil` for none.
    public var sound: String?
    /// Whether it came without a banner and without lighting up the screen.
    public var isQuiet: Bool
    /// The whole payload.
    public var payload: [UInt8]
}

/// A notification on its arrival at a virtual device.
public struct Delivery: Sendable, Hashable {
    /// The place in the order of deliveries, from 1.
    ///
    /// A gap means that the reader was too slow and missed some.
    public var sequence: UInt64
    /// The device.
    public var device: VirtualDeviceID
    /// What arrived.
    public var notification: ReceivedNotification
}

/// Why a notification that was accepted came to nothing; the `cause` of a `discarded` event.
public enum DiscardCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// It could not be delivered at once and its expiration forbids to store it.
    case notStored
    /// It waited for longer than it was good for.
    case expired
    /// A newer one of the same app took its place in the store.
    case replaced
    /// The app is not on the device any more.
    case appRemoved
    /// The person has not allowed notifications, or nobody has asked.
    case notificationsDisabled
    /// There is nothing in it to show and nothing that wakes an app.
    case nothingToDo
    /// A background notification for an app that the person has swiped away.
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
    /// A Live Activity push that changed nothing; the event, and the activity's timeline, say why.
    case activityUnchanged
}
