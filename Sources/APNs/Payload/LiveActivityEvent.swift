// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A push to a Live Activity: the `aps` of push type `liveactivity`.
///
/// Times are whole seconds since 1970. A `Date` inside the content state or the attributes is different: the device
/// decodes it as seconds since 2001; ``RawJSONObject/init(encoding:field:)`` encodes it like that. See
/// <https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications>.
public enum LiveActivityEvent: Hashable, Sendable {
    /// Starts an activity; sent to a push-to-start token.
    case start(LiveActivityStart)
    /// Changes a running activity.
    case update(LiveActivityUpdate)
    /// Ends a running activity.
    case end(LiveActivityEnd)
}

/// A push that starts a Live Activity.
public struct LiveActivityStart: Hashable, Sendable {
    /// `timestamp`: when the push was made, seconds since 1970.
    public var timestamp: Int64
    /// `attributes-type`: the name of the app's `ActivityAttributes` type, without its module.
    public var attributesType: String
    /// `attributes`: the values that never change.
    public var attributes: RawJSONObject
    /// `content-state`: the first state.
    public var contentState: RawJSONObject
    /// `alert`: the displayed alert.
    ///
    /// Without it the device drops the push silently, so it is required.
    public var alert: LiveActivityAlert
    /// `stale-date`: when the content counts as out of date, seconds since 1970.
    public var staleDate: Int64?
    /// `relevance-score`: any number, the highest is shown first.
    public var relevanceScore: Double?
    /// How the started activity asks for its updates (iOS 18).
    public var input: LiveActivityInput?

    /// Creates a start from these parts; nil parts are omitted.
    public init(
        timestamp: Int64,
        attributesType: String,
        attributes: RawJSONObject,
        contentState: RawJSONObject,
        alert: LiveActivityAlert,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil,
        input: LiveActivityInput? = nil
    ) {
        self.timestamp = timestamp
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.input = input
    }
}

/// How an activity that a push starts is to receive its updates (iOS 18 and later).
public enum LiveActivityInput: Hashable, Sendable {
    /// `input-push-token`: it requests a separate update token.
    case token
    /// `input-push-channel`: it subscribes to the broadcast channel of this id (base64 text, as APNs gave it).
    case channel(String)
}

/// A push that changes a running Live Activity.
public struct LiveActivityUpdate: Hashable, Sendable {
    /// `timestamp`: when the push was made, seconds since 1970; the device ignores one older than the last.
    public var timestamp: Int64
    /// `content-state`: the new state.
    public var contentState: RawJSONObject
    /// `alert`: the displayed alert; nil changes the activity without an alert.
    public var alert: LiveActivityAlert?
    /// `stale-date`: when the content counts as out of date, seconds since 1970.
    public var staleDate: Int64?
    /// `relevance-score`: any number, the highest is shown first.
    public var relevanceScore: Double?

    /// Creates an update from these parts; nil parts are omitted.
    public init(
        timestamp: Int64,
        contentState: RawJSONObject,
        alert: LiveActivityAlert? = nil,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil
    ) {
        self.timestamp = timestamp
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
    }
}

/// A push that ends a running Live Activity.
public struct LiveActivityEnd: Hashable, Sendable {
    /// `timestamp`: when the push was made, seconds since 1970.
    public var timestamp: Int64
    /// `content-state`: the last state; Apple advises to send one.
    public var contentState: RawJSONObject?
    /// `alert`: the displayed alert.
    public var alert: LiveActivityAlert?
    /// `dismissal-date`: when it leaves the Lock Screen, seconds since 1970.
    ///
    /// A time in the past removes it at once; nil leaves it for up to 4 hours.
    public var dismissalDate: Int64?

    /// Creates an end from these parts; nil parts are omitted.
    public init(
        timestamp: Int64,
        contentState: RawJSONObject? = nil,
        alert: LiveActivityAlert? = nil,
        dismissalDate: Int64? = nil
    ) {
        self.timestamp = timestamp
        self.contentState = contentState
        self.alert = alert
        self.dismissalDate = dismissalDate
    }
}

/// The `alert` of a Live Activity push.
///
/// Unlike in an ordinary push, localized texts are nested objects, and the sound is inside the alert.
public struct LiveActivityAlert: Hashable, Sendable, Codable {
    /// `title`: a string or `{loc-key, loc-args}`.
    public var title: AlertText
    /// `body`: a string or `{loc-key, loc-args}`.
    public var body: AlertText
    /// `sound`: a file name or `default`; nil plays none.
    public var sound: String?

    /// An alert of these parts.
    public init(title: AlertText, body: AlertText, sound: String? = nil) {
        self.title = title
        self.body = body
        self.sound = sound
    }
}
