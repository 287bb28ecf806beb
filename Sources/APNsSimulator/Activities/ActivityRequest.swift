// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A Live Activity that an app asks for: the arguments of ActivityKit's `Activity.request`.
public struct ActivityRequest: Sendable, Hashable {
    /// The app.
    public var bundleID: String
    /// The name of the attributes type.
    public var attributesType: String
    /// The attributes: a JSON object.
    public var attributes: JSONValue
    /// The first content state: a JSON object.
    public var contentState: JSONValue
    /// When the content counts as out of date.
    ///
    /// Default: `nil`, which is never.
    public var staleDate: Date?
    /// How far in front it is shown; the highest is shown first.
    ///
    /// Default: 0.
    public var relevanceScore: Double
    /// How it is updated from outside.
    ///
    /// Default: by pushes to a token.
    public var pushType: ActivityPushType
    /// When it starts (iOS 26).
    ///
    /// Default: `nil`, which is at once.
    public var startDate: Date?
    /// Whether there is an alert, which a start at a later time needs.
    ///
    /// Default: false.
    public var hasAlert: Bool
    /// Whether a `LiveActivityIntent` asks, which may do so in the background.
    ///
    /// Default: false.
    public var isIntent: Bool

    /// A request of an app.
    public init(
        bundleID: String,
        attributesType: String,
        attributes: JSONValue = .object([:]),
        contentState: JSONValue,
        staleDate: Date? = nil,
        relevanceScore: Double = 0,
        pushType: ActivityPushType = .token,
        startDate: Date? = nil,
        hasAlert: Bool = false,
        isIntent: Bool = false
    ) {
        self.bundleID = bundleID
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.pushType = pushType
        self.startDate = startDate
        self.hasAlert = hasAlert
        self.isIntent = isIntent
    }
}

/// How a Live Activity is updated from outside, besides by its app: ActivityKit's `PushType`.
public enum ActivityPushType: Hashable, Sendable, Codable {
    /// Not at all.
    case none
    /// By pushes to its own update token.
    case token
    /// By broadcasts on the channel with this identifier (iOS 18).
    case channel(String)
}

/// When an ended Live Activity leaves the Lock Screen: ActivityKit's `ActivityUIDismissalPolicy`.
public enum ActivityDismissalPolicy: Hashable, Sendable {
    /// When the system likes: after 4 hours.
    case `default`
    /// At once.
    case immediate
    /// At this time, at most 4 hours after the end.
    case after(Date)

    /// Seconds since 1970, at the latest 4 hours after the end.
    func date(endedAt now: Double) -> Double {
        let latest = now + ActivityRecord.maximumAfterEnd
        return switch self {
        case .default: latest
        case .immediate: now
        case .after(let date): min(max(now, date.timeIntervalSince1970), latest)
        }
    }
}

/// Why an app cannot start a Live Activity: the names of ActivityKit's error of the same name.
public struct ActivityAuthorizationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The codes of requests that ActivityKit refuses.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// Attributes and content state have more than 4 KB together.
        case attributesTooLarge
        /// The device's system does not support the request.
        case unsupported
        /// The user disabled Live Activities for the app.
        case denied
        /// The device has as many activities as it may have.
        case globalMaximumExceeded
        /// The app has as many activities as it may have.
        case targetMaximumExceeded
        /// The app has not declared Live Activities.
        case unsupportedTarget
        /// The app is not in the foreground.
        case visibility
        /// The system cannot store the activity.
        case persistenceFailure
        /// The process that asks has no identity.
        case missingProcessIdentifier
        /// The app lacks an entitlement.
        case unentitled
        /// The identifier of the activity is malformed.
        case malformedActivityIdentifier
        /// The process may not take the activity up again.
        case reconnectNotPermitted
    }

    /// The reason for programs.
    public var code: Code
    /// The cause, with the values involved.
    public var message: String

    /// The code's name and the message.
    public var description: String { "\(self.code.rawValue): \(self.message)" }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
