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

/// A notification in the list that the user sees.
public struct DeliveredNotification: Sendable, Hashable, Codable {
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
    /// `thread-id`, which groups the list.
    public var threadID: String?
    /// `category`, which determines the actions of the user.
    public var category: String?
    /// `passive`, `active`, `time-sensitive` or `critical`.
    public var interruptionLevel: String
    /// `relevance-score`.
    public var relevanceScore: Double?
    /// The played sound; `nil` for none.
    public var sound: String?
    /// Whether it came without a banner and without lighting up the screen.
    public var isQuiet: Bool
    /// The whole payload.
    public var payload: [UInt8]
}
