// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What an event tells of.
///
/// Unknown kinds survive: a store may hold events of a newer version.
public struct EventKind: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The name as it stands in answers and in the store.
    public let rawValue: String

    /// Takes a name as it is.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What a name must be, in words.
    public static let rule = "an event kind, such as 'device.invalidated': 1 to 64 lower-case letters, '.' and '_'"

    /// Takes a name that came from outside; one that is not known is taken too.
    ///
    /// - Throws: `ValidationFailure` for what can never become a kind.
    public init(validating text: String) throws(ValidationFailure) {
        let isValid =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }
        guard isValid else {
            throw ValidationFailure(field: "kind", rule: Self.rule, value: "\(text.utf8.count) bytes of another form")
        }
        self.rawValue = text
    }

    /// All that is to be sent of a request was stored.
    public static let notificationAccepted = EventKind(rawValue: "notification.accepted")

    /// Every target of a request has its outcome.
    public static let notificationSettled = EventKind(rawValue: "notification.settled")

    /// APNs declared a device's token dead.
    public static let deviceInvalidated = EventKind(rawValue: "device.invalidated")

    /// APNs called a device's token bad.
    public static let deviceSuspected = EventKind(rawValue: "device.suspected")

    /// A campaign was created.
    public static let campaignScheduled = EventKind(rawValue: "campaign.scheduled")

    /// A campaign began to be planned and sent.
    public static let campaignStarted = EventKind(rawValue: "campaign.started")

    /// A campaign was paused.
    public static let campaignPaused = EventKind(rawValue: "campaign.paused")

    /// A paused campaign goes on.
    public static let campaignResumed = EventKind(rawValue: "campaign.resumed")

    /// A campaign was called off.
    public static let campaignCancelled = EventKind(rawValue: "campaign.cancelled")

    /// A campaign has an outcome for each of its targets.
    public static let campaignFinished = EventKind(rawValue: "campaign.finished")

    /// A campaign's time was over before it was planned to its end.
    public static let campaignExpired = EventKind(rawValue: "campaign.expired")

    /// A campaign could not be planned.
    public static let campaignFailed = EventKind(rawValue: "campaign.failed")

    /// The first phone shows an activity.
    public static let activityStarted = EventKind(rawValue: "activity.started")

    /// An activity is over.
    public static let activityEnded = EventKind(rawValue: "activity.ended")

    /// A phone of an activity is sent nothing any more.
    public static let activityPhoneGone = EventKind(rawValue: "activity.phone_gone")

    /// APNs has the channel no more on which an activity is broadcast.
    public static let activityChannelGone = EventKind(rawValue: "activity.channel_gone")

    /// Nothing can be sent for want of a credential that APNs takes.
    public static let credentialTroubled = EventKind(rawValue: "credential.troubled")

    /// What ``credentialTroubled`` told of is over.
    public static let credentialRecovered = EventKind(rawValue: "credential.recovered")

    /// A webhook's receiver failed for too long: nothing is sent to it any more.
    public static let webhookDisabled = EventKind(rawValue: "webhook.disabled")

    /// A test of a webhook; it is sent to the receiver and never stands in the feed.
    public static let webhookTest = EventKind(rawValue: "webhook.test")

    /// A job calls a webhook; it is sent to the receiver and never stands in the feed.
    public static let jobCalled = EventKind(rawValue: "job.called")

    /// All kinds that stand in the feed of this version.
    public static let known: [EventKind] = [
        notificationAccepted, notificationSettled, deviceInvalidated, deviceSuspected, campaignScheduled,
        campaignStarted, campaignPaused, campaignResumed, campaignCancelled, campaignFinished, campaignExpired,
        campaignFailed, activityStarted, activityEnded, activityPhoneGone, activityChannelGone, credentialTroubled,
        credentialRecovered, webhookDisabled,
    ]

    /// The name.
    public var description: String { self.rawValue }

    /// Orders kinds by their names.
    public static func < (left: EventKind, right: EventKind) -> Bool { left.rawValue < right.rawValue }
}
