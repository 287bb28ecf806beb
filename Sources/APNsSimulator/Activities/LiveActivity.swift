// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A Live Activity on a virtual device, as it is at one moment.
public struct LiveActivity: Sendable, Hashable {
    /// The state of an update token.
    public enum TokenState: String, Sendable, Hashable, CaseIterable {
        /// There is none and none will come.
        case none
        /// It will come.
        case due
        /// It requires the user's Allow.
        case withheld
        /// It takes pushes.
        case issued
        /// The activity is over and the token still takes pushes, which change nothing.
        case ending
        /// The response for it is 410 `ExpiredToken`.
        case ended
    }

    /// The activity's identity.
    public var id: ActivityID
    /// The device.
    public var device: VirtualDeviceID
    /// The app.
    public var bundleID: String
    /// The name of its attributes type.
    public var attributesType: String
    /// The attributes.
    public var attributes: JSONValue
    /// The current state.
    public var state: ActivityState
    /// The current content.
    public var contentState: JSONValue
    /// When that counts as out of date.
    public var staleDate: Date?
    /// How far in front it is shown; the highest is shown first.
    public var relevanceScore: Double
    /// How it is updated from outside.
    public var pushType: ActivityPushType
    /// Its update token, the last one that it had.
    public var token: DeviceToken?
    /// The state of the update token.
    public var tokenState: TokenState
    /// When it started, or will.
    public var startDate: Date
    /// When it ended.
    public var endDate: Date?
    /// When it leaves the Lock Screen, or left it.
    public var dismissalDate: Date?
    /// The latest timestamp that was applied.
    public var timestamp: Date?
    /// The timeline, oldest entry first; each push without effect has an entry with the reason.
    public var timeline: [ActivityTimelineEntry]
    /// The number of older entries that were dropped from the timeline.
    public var droppedEntries: Int

    init(_ record: ActivityRecord) {
        self.id = record.id
        self.device = record.device
        self.bundleID = record.bundleID
        self.attributesType = record.attributesType
        self.attributes = record.attributes
        self.state = record.state
        self.contentState = record.contentState
        self.staleDate = record.staleAt.map { Date(timeIntervalSince1970: $0) }
        self.relevanceScore = record.relevanceScore
        self.pushType = record.pushType
        self.token = record.token.key.flatMap { try? DeviceToken(bytes: $0.bytes) }
        self.tokenState =
            switch record.token.phase {
            case .none: .none
            case .due: .due
            case .withheld: .withheld
            case .issued: .issued
            case .ending: .ending
            case .ended: .ended
            }
        self.startDate = Date(timeIntervalSince1970: record.startsAt)
        self.endDate = record.endedAt.map { Date(timeIntervalSince1970: $0) }
        self.dismissalDate = record.dismissesAt.map { Date(timeIntervalSince1970: $0) }
        self.timestamp = record.timestamp.map { Date(timeIntervalSince1970: $0) }
        self.timeline = record.timeline
        self.droppedEntries = record.droppedEntries
    }
}

/// The identity of a Live Activity: a UUID, chosen by the device.
public struct ActivityID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The identifier's text.
    public let rawValue: String

    /// The identifier with this text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The identifier's text.
    public var description: String { self.rawValue }
}

/// The states of a Live Activity.
public enum ActivityState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It was requested for a later time (iOS 26).
    ///
    /// Can transition to: `active`, `dismissed`.
    case pending
    /// It is shown with content that counts as up to date.
    ///
    /// Can transition to: `stale`, `ended`.
    case active
    /// It is shown with content whose stale date has passed.
    ///
    /// Can transition to: `active`, `ended`.
    case stale
    /// It ended and can still be on the Lock Screen; updates have no effect.
    ///
    /// Can transition to: `dismissed`.
    case ended
    /// It is gone.
    case dismissed

    /// Whether it takes updates.
    var isRunning: Bool { self != .ended && self != .dismissed }
}

/// A type of Live Activity that an app has: the name of its attributes and how they are decoded.
public struct ActivityType: Sendable, Hashable, Codable {
    /// The name of the attributes type, without its module.
    public var name: String
    /// The attributes, which never change.
    public var attributes: AttributesSchema
    /// The `ContentState`, which updates change.
    public var contentState: AttributesSchema

    /// A type of this name.
    public init(name: String, attributes: AttributesSchema = .empty, contentState: AttributesSchema) {
        self.name = name
        self.attributes = attributes
        self.contentState = contentState
    }
}

/// The user's settings for an app's Live Activities; the app's declarations are in ``SimulatedAppState``.
public struct ActivitySettings: Sendable, Hashable, Codable {
    /// Whether the user allows Live Activities of the app.
    ///
    /// Default: true.
    public var areActivitiesEnabled = true
    /// Whether the user allows frequent updates.
    ///
    /// Default: true.
    public var frequentPushesEnabled = true
    /// The error of the app's next request, regardless of its content.
    ///
    /// Default: `nil`; the request is validated.
    public var nextRequestFailure: ActivityAuthorizationError.Code?

    /// Settings in their default positions.
    public init() {}
}
