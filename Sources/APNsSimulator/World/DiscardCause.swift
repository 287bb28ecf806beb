// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
