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
    /// How it stands with its update token.
    public enum TokenState: String, Sendable, Hashable, CaseIterable {
        /// There is none and none will come.
        case none
        /// It will come.
        case due
        /// It waits for the person's Allow.
        case withheld
        /// It takes pushes.
        case issued
        /// The activity is over and the token still takes pushes, which change nothing.
        case ending
        /// It is answered 410 `ExpiredToken`.
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
    /// What it is in its life.
    public var state: ActivityState
    /// What it shows.
    public var contentState: JSONValue
    /// When that counts as out of date.
    public var staleDate: Date?
    /// How far in front it is shown; the highest is shown first.
    public var relevanceScore: Double
    /// How it is updated from outside.
    public var pushType: ActivityPushType
    /// Its update token, the last one that it had.
    public var token: DeviceToken?
    /// How it stands with that.
    public var tokenState: TokenState
    /// When it started, or will.
    public var startDate: Date
    /// When it ended.
    public var endDate: Date?
    /// When it leaves the Lock Screen, or left it.
    public var dismissalDate: Date?
    /// The newest timestamp that it follows.
    public var timestamp: Date?
    /// What happened to it, oldest first; with the reason for each push that changed nothing.
    public var timeline: [ActivityTimelineEntry]
    /// How many older entries of the timeline are not kept any more.
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

/// What a Live Activity is in the life that the system gives it.
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
    /// It takes no more updates and may still be on the Lock Screen.
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
    /// The type itself: what never changes.
    public var attributes: AttributesShape
    /// Its `ContentState`: what updates change.
    public var contentState: AttributesShape

    /// A type of this name.
    public init(name: String, attributes: AttributesShape = .empty, contentState: AttributesShape) {
        self.name = name
        self.attributes = attributes
        self.contentState = contentState
    }
}

/// What the person has set for an app's Live Activities; what the app declares is in ``AppTraits``.
public struct ActivitySettings: Sendable, Hashable, Codable {
    /// Whether the person lets the app show Live Activities.
    ///
    /// Default: true.
    public var areActivitiesEnabled = true
    /// Whether the person lets the app update them frequently.
    ///
    /// Default: true.
    public var frequentPushesEnabled = true
    /// What the app's next request fails with, whatever it asks for.
    ///
    /// Default: `nil`, which lets it be judged.
    public var nextRequestFailure: ActivityAuthorizationError.Code?

    /// Settings in their default positions.
    public init() {}
}
