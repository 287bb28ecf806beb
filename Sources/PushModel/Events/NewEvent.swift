// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// An event that is to be appended to the feed; the store gives it its place.
public struct NewEvent: Hashable, Sendable {
    public var app: AppID

    /// When it happened; kept to the millisecond.
    public var time: Date

    public var kind: EventType

    /// The data of the event, an object; contains no secret and no device token.
    public var data: JSONValue

    public init(app: AppID, time: Date, kind: EventType, data: JSONValue) {
        self.app = app
        self.time = time
        self.kind = kind
        self.data = data
    }
}

extension NewEvent {
    /// All that is to be sent of a request was stored.
    ///
    /// `time` is the time of the request. For a campaign, it is the time when planning or the campaign ended.
    public static func accepted(_ notification: Notification, time: Date) -> NewEvent {
        NewEvent(
            app: notification.app,
            time: time,
            kind: .notificationAccepted,
            data: [
                "notification": .string(notification.id.description),
                "targets": .integer(Int64(notification.targetCount)),
                "batches": .integer(Int64(notification.batchCount)),
            ]
        )
    }

    /// Every target of a request has its outcome.
    public static func completed(
        _ notification: NotificationID,
        app: AppID,
        counts: OutcomeCounts,
        time: Date
    ) -> NewEvent {
        let rejected = counts.rejected.map { ($0.key.rawValue, JSONValue.integer(Int64($0.value))) }
        let failed = counts.failed.map { ($0.key.rawValue, JSONValue.integer(Int64($0.value))) }
        return NewEvent(
            app: app,
            time: time,
            kind: .notificationCompleted,
            data: [
                "notification": .string(notification.description),
                "targets": .integer(Int64(counts.total)),
                "delivered": .integer(Int64(counts.delivered)),
                "rejected": .object(Dictionary(rejected) { first, _ in first }),
                "failed": .object(Dictionary(failed) { first, _ in first }),
            ]
        )
    }

    /// A response of APNs changed the status of a device.
    ///
    /// `kind` is `deviceInvalidated` or `deviceSuspected`.
    public static func device(
        _ kind: EventType,
        _ installation: DeviceID,
        of app: AppID,
        environment: APNsEnvironment,
        reason: RejectionReason,
        since: Date,
        time: Date
    ) -> NewEvent {
        NewEvent(
            app: app,
            time: time,
            kind: kind,
            data: [
                "device": .string(installation.rawValue),
                "environment": .string(environment.rawValue),
                "reason": .string(reason.rawValue),
                "since": .string(ISO8601Timestamp.text(since)),
            ]
        )
    }

    /// A credential failed.
    public static func credentialFailed(_ trouble: CredentialFailure, time: Date) -> NewEvent {
        NewEvent(app: trouble.subject.app, time: time, kind: .credentialFailed, data: .object(trouble.members))
    }

    /// The failure of a credential has ended.
    public static func recovered(_ trouble: CredentialFailure, since: Date, time: Date) -> NewEvent {
        var members = trouble.members
        members["since"] = .string(ISO8601Timestamp.text(since))
        return NewEvent(app: trouble.subject.app, time: time, kind: .credentialRecovered, data: .object(members))
    }

    /// A webhook was disabled; the event has only scheme and host of its URL, because the path is often secret.
    public static func disabled(_ webhook: Webhook, reason: WebhookState.Reason, time: Date) -> NewEvent {
        NewEvent(
            app: webhook.app,
            time: time,
            kind: .webhookDisabled,
            data: [
                "webhook": .string(webhook.id.rawValue),
                "url": .string(webhook.url.place),
                "reason": .string(reason.rawValue),
                "consecutiveFailures": .integer(Int64(webhook.consecutiveFailures)),
                "since": .string(ISO8601Timestamp.text(webhook.failingSince ?? time)),
            ]
        )
    }
}

extension NewEvent {
    /// An item of work was quarantined.
    ///
    /// - Returns: the event; `nil` for an item that belongs to no app, because only apps have feeds.
    public static func quarantined(_ item: QuarantinedItem) -> NewEvent? {
        guard let app = item.app else { return nil }
        return NewEvent(
            app: app,
            time: item.time,
            kind: .workQuarantined,
            data: [
                "type": .string(item.kind.rawValue),
                "item": .string(item.item),
                "reason": .string(item.reason.rawValue),
            ]
        )
    }
}

extension CredentialFailure {
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "environment": .string(self.subject.environment.rawValue),
            "pushType": .string(self.subject.pushType.rawValue),
        ]
        switch self.cause {
        case .rejected(let reason): members["reason"] = .string(reason.rawValue)
        case .failed(let code): members["code"] = .string(code.rawValue)
        }
        return members
    }
}

extension NewEvent {
    /// An activity changed its state.
    ///
    /// - Returns: `activity.started` for the first device that shows it, `activity.ended` when it has ended; `nil` for
    ///   changes without an event, such as updates.
    public static func activity(
        _ activity: ActivityID,
        of app: AppID,
        type: AttributesType,
        state: ActivityLifecycle.State,
        from former: ActivityLifecycle.State,
        time: Date
    ) -> NewEvent? {
        guard state != former else { return nil }
        let kind: EventType
        switch state {
        case .pending: return nil
        case .active: kind = .activityStarted
        case .ended, .expired: kind = .activityEnded
        }
        return NewEvent(
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

    /// An activity has ended for a device: nothing more is sent to it.
    ///
    /// `reason` is that of APNs, or of the app.
    public static func participantEnded(
        _ installation: DeviceID,
        from activity: ActivityID,
        of app: AppID,
        reason: String,
        time: Date
    ) -> NewEvent {
        NewEvent(
            app: app,
            time: time,
            kind: .activityParticipantEnded,
            data: [
                "activity": .string(activity.rawValue),
                "device": .string(installation.rawValue),
                "reason": .string(reason),
            ]
        )
    }

    /// APNs has deleted the channel of an activity.
    public static func channelDeleted(
        _ channel: ChannelName,
        from activity: ActivityID,
        of app: AppID,
        reason: RejectionReason,
        time: Date
    ) -> NewEvent {
        NewEvent(
            app: app,
            time: time,
            kind: .activityChannelDeleted,
            data: [
                "activity": .string(activity.rawValue),
                "channel": .string(channel.rawValue),
                "reason": .string(reason.rawValue),
            ]
        )
    }
}

extension NewEvent {
    /// A campaign was created, or its state has changed.
    ///
    /// `former` is `nil` if the campaign was created.
    ///
    /// - Returns: the event; `nil` if the state is the same.
    public static func campaign(
        _ campaign: Campaign,
        _ lifecycle: CampaignLifecycle,
        from former: CampaignState?,
        time: Date
    ) -> NewEvent? {
        guard let kind = EventType(lifecycle.state, from: former) else { return nil }
        var data: [String: JSONValue] = [
            "campaign": .string(campaign.id.description),
            "name": .string(campaign.name),
            "enqueued": .integer(Int64(lifecycle.plan?.planned ?? 0)),
        ]
        if case .failed(let reason) = lifecycle.state { data["reason"] = .string(reason) }
        return NewEvent(app: campaign.app, time: time, kind: kind, data: .object(data))
    }

    /// A corrupt campaign, of which only the ID can be read, has failed.
    public static func campaignFailed(
        _ campaign: CampaignID,
        of app: AppID,
        reason: String,
        time: Date
    ) -> NewEvent {
        NewEvent(
            app: app,
            time: time,
            kind: .campaignFailed,
            data: ["campaign": .string(campaign.description), "reason": .string(reason)]
        )
    }
}

extension EventType {
    /// The event for a campaign's new state; `nil` if the state did not change.
    fileprivate init?(_ state: CampaignState, from former: CampaignState?) {
        guard state != former else { return nil }
        switch state {
        case .scheduled: self = former == nil ? .campaignScheduled : .campaignResumed
        case .running: self = former == .paused ? .campaignResumed : .campaignStarted
        case .paused: self = .campaignPaused
        case .completed: self = .campaignCompleted
        case .cancelled: self = .campaignCancelled
        case .expired: self = .campaignExpired
        case .failed: self = .campaignFailed
        }
    }
}

/// Why pushes of an app in an environment cannot be sent.
public struct CredentialFailure: Hashable, Sendable {
    /// What needs the credential.
    public struct Subject: Hashable, Sendable {
        public var app: AppID
        public var environment: APNsEnvironment

        /// The type of push; some need a credential of their own.
        public var pushType: PushType

        public init(app: AppID, environment: APNsEnvironment, pushType: PushType) {
            self.app = app
            self.environment = environment
            self.pushType = pushType
        }
    }

    /// The failure.
    public enum Cause: Hashable, Sendable {
        /// APNs refuses the credential.
        case rejected(RejectionReason)

        /// There is none, or it cannot be read.
        case failed(FailureCode)
    }

    public var subject: Subject
    public var cause: Cause

    public init(subject: Subject, cause: Cause) {
        self.subject = subject
        self.cause = cause
    }
}
