// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension EventDraft {
    /// All that is to be sent of a request was stored.
    ///
    /// - Parameters:
    ///   - notification: the request, with all of its targets.
    ///   - time: the time of the request; of a campaign, when it was planned to its end or ended.
    /// - Returns: `notification.accepted`.
    public static func accepted(_ notification: Notification, time: Date) -> EventDraft {
        EventDraft(
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
    ///
    /// - Parameters:
    ///   - notification: the request.
    ///   - app: its app.
    ///   - counts: what its targets came to.
    ///   - time: when the last outcome became known.
    /// - Returns: `notification.settled`.
    public static func settled(
        _ notification: NotificationID,
        app: AppID,
        counts: OutcomeCounts,
        time: Date
    ) -> EventDraft {
        let rejected = counts.rejected.map { ($0.key.rawValue, JSONValue.integer(Int64($0.value))) }
        let failed = counts.failed.map { ($0.key.rawValue, JSONValue.integer(Int64($0.value))) }
        return EventDraft(
            app: app,
            time: time,
            kind: .notificationSettled,
            data: [
                "notification": .string(notification.description),
                "targets": .integer(Int64(counts.total)),
                "delivered": .integer(Int64(counts.delivered)),
                "rejected": .object(Dictionary(rejected) { first, _ in first }),
                "failed": .object(Dictionary(failed) { first, _ in first }),
            ]
        )
    }

    /// What APNs said of a device's token changed the device.
    ///
    /// - Parameters:
    ///   - kind: `deviceInvalidated` or `deviceSuspected`.
    ///   - installation: the device.
    ///   - app: its app.
    ///   - environment: the environment of its token.
    ///   - reason: the reason that APNs gave.
    ///   - since: since when the token has been dead or bad.
    ///   - time: when that became known.
    /// - Returns: an event of that kind.
    public static func device(
        _ kind: EventKind,
        _ installation: InstallationID,
        of app: AppID,
        environment: APNsEnvironment,
        reason: RejectionReason,
        since: Date,
        time: Date
    ) -> EventDraft {
        EventDraft(
            app: app,
            time: time,
            kind: kind,
            data: [
                "installation": .string(installation.rawValue),
                "environment": .string(environment.rawValue),
                "reason": .string(reason.rawValue),
                "since": .string(EventTime.text(since)),
            ]
        )
    }

    /// A credential began to be in trouble.
    public static func troubled(_ trouble: CredentialTrouble, time: Date) -> EventDraft {
        EventDraft(app: trouble.subject.app, time: time, kind: .credentialTroubled, data: .object(trouble.members))
    }

    /// A credential's trouble is over.
    ///
    /// - Parameters:
    ///   - trouble: what it was.
    ///   - since: when it began.
    ///   - time: when it was over.
    /// - Returns: `credential.recovered`.
    public static func recovered(_ trouble: CredentialTrouble, since: Date, time: Date) -> EventDraft {
        var members = trouble.members
        members["since"] = .string(EventTime.text(since))
        return EventDraft(app: trouble.subject.app, time: time, kind: .credentialRecovered, data: .object(members))
    }

    /// A webhook was disabled; of its URL, whose path often holds a secret, it tells scheme and host.
    ///
    /// - Parameters:
    ///   - webhook: the webhook, as it is now.
    ///   - reason: why.
    ///   - time: when.
    /// - Returns: `webhook.disabled`.
    public static func disabled(_ webhook: Webhook, reason: WebhookState.Reason, time: Date) -> EventDraft {
        EventDraft(
            app: webhook.app,
            time: time,
            kind: .webhookDisabled,
            data: [
                "webhook": .string(webhook.id.rawValue),
                "url": .string(webhook.url.place),
                "reason": .string(reason.rawValue),
                "failures": .integer(Int64(webhook.failures)),
                "since": .string(EventTime.text(webhook.failingSince ?? time)),
            ]
        )
    }
}

extension CredentialTrouble {
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
