// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension EventDraft {
    /// An activity went from one state to another.
    ///
    /// - Parameters:
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - type: the name of the app's type.
    ///   - state: the state that it has now.
    ///   - former: the state that it had before.
    ///   - time: when that became known.
    /// - Returns: `activity.started` for the first phone that shows it, `activity.ended` when it is over; `nil` for what is no
    ///   event, as every update of what phones show.
    public static func activity(
        _ activity: ActivityID,
        of app: AppID,
        type: AttributesType,
        state: ActivityLifecycle.State,
        from former: ActivityLifecycle.State,
        time: Date
    ) -> EventDraft? {
        guard state != former else { return nil }
        let kind: EventKind
        switch state {
        case .pending: return nil
        case .active: kind = .activityStarted
        case .ended, .expired: kind = .activityEnded
        }
        return EventDraft(
            app: app,
            time: time,
            kind: kind,
            data: [
                "activity": .string(activity.rawValue),
                "attributesType": .string(type.rawValue),
                "state": .string(state.rawValue),
            ]
        )
    }

    /// A phone of an activity is sent nothing any more.
    ///
    /// - Parameters:
    ///   - installation: the phone.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - reason: why: APNs' own word, or the app's.
    ///   - time: when that became known.
    /// - Returns: `activity.phone_gone`.
    public static func gone(
        _ installation: InstallationID,
        from activity: ActivityID,
        of app: AppID,
        reason: String,
        time: Date
    ) -> EventDraft {
        EventDraft(
            app: app,
            time: time,
            kind: .activityPhoneGone,
            data: [
                "activity": .string(activity.rawValue),
                "installation": .string(installation.rawValue),
                "reason": .string(reason),
            ]
        )
    }

    /// APNs has the channel no more on which an activity is broadcast.
    ///
    /// - Parameters:
    ///   - channel: the channel.
    ///   - activity: the activity.
    ///   - app: its app.
    ///   - reason: APNs' own word.
    ///   - time: when that became known.
    /// - Returns: `activity.channel_gone`.
    public static func channelGone(
        _ channel: ChannelName,
        from activity: ActivityID,
        of app: AppID,
        reason: RejectionReason,
        time: Date
    ) -> EventDraft {
        EventDraft(
            app: app,
            time: time,
            kind: .activityChannelGone,
            data: [
                "activity": .string(activity.rawValue),
                "channel": .string(channel.rawValue),
                "reason": .string(reason.rawValue),
            ]
        )
    }
}
