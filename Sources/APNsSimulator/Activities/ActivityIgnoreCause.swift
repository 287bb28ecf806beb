// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a Live Activity push that APNs accepted changed nothing on the device.
public enum ActivityIgnoreCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The payload is no JSON object, has no `aps`, or a member has a wrong type.
    case malformedPayload
    /// `aps.event` is missing or none of start, update and end.
    case unknownEvent
    /// `aps.timestamp` is missing.
    case missingTimestamp
    /// `aps.content-state` is missing.
    case missingContentState
    /// `aps.attributes-type` or `aps.attributes` is missing from a start.
    case missingAttributes
    /// A start has no alert, or an empty one.
    case missingAlert
    /// A start came to an activity's own token, or an update to a push-to-start token.
    case wrongToken
    /// A start came as a broadcast.
    case startByBroadcast
    /// The app has no activity attributes of this name.
    case unknownAttributesType
    /// The push-to-start token is for other attributes.
    case attributesTypeMismatch
    /// The attributes or the content state cannot be decoded by the default strategies.
    case undecodable
    /// Attributes and content state have more than 4 KB together.
    case tooLarge
    /// A newer push or update came before.
    case olderTimestamp
    /// The timestamp lies too far back.
    case pastTimestamp
    /// The timestamp lies too far ahead.
    case futureTimestamp
    /// The activity has ended.
    case ended
    /// There is no such activity any more.
    case unknownActivity
    /// The app has used up its budget of pushes with priority 10.
    case overBudget
    /// A newer push took the place of this one while it waited for budget.
    case superseded
    /// The person has switched the app's Live Activities off.
    case disabled
    /// The app, or the device, has as many activities as it may have.
    case limitExceeded
    /// The device's system is too old for what the push asks.
    case unsupportedSystem
    /// The channel does not exist for the app.
    case unknownChannel
    /// The push asks for both a token and a channel.
    case conflictingInput
    /// The app was removed, or has not declared Live Activities.
    case unsupportedApp
}

/// A reason for which nothing changes, with words.
struct ActivityFault: Error, Hashable {
    var cause: ActivityIgnoreCause
    var detail: String

    init(_ cause: ActivityIgnoreCause, _ detail: String) {
        self.cause = cause
        self.detail = detail
    }
}
