// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Something that happened, as it stands in the feed.
public struct Event: Hashable, Sendable {
    public let cursor: EventCursor
    public let app: AppID
    public let time: Date
    public let kind: EventKind

    /// What there is to tell, an object.
    public let data: JSONValue

    public init(cursor: EventCursor, app: AppID, time: Date, kind: EventKind, data: JSONValue) {
        self.cursor = cursor
        self.app = app
        self.time = time
        self.kind = kind
        self.data = data
    }

    /// The event as the API and webhooks write it: `{"app", "data", "id", "kind", "time"}`.
    ///
    /// The `id` is the cursor's text; it is unique within the app.
    public var json: JSONValue {
        [
            "id": .string(self.cursor.description),
            "app": .string(self.app.rawValue),
            "time": .string(ISOTime.text(self.time)),
            "kind": .string(self.kind.rawValue),
            "data": self.data,
        ]
    }
}

/// A place in a store's feed of events: where one event stands, and where to go on behind it.
///
/// Callers hand its text around and look no further into it. Of an app's events a later one has a greater cursor, but
/// the numbers have gaps. A store that commits several changes at once orders its events by the transaction first
/// (`epoch`), since a sequence alone is drawn in another order than it becomes visible; one that writes one change at a
/// time leaves that at 0.
public struct EventCursor: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// What orders events before their sequence does, 0 or more; meaningful only to the store.
    public let epoch: Int64

    /// The event's place within its epoch, 0 or more.
    public let sequence: Int64

    public init(epoch: Int64 = 0, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// The place before every event.
    public static let beginning = EventCursor(sequence: 0)

    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(part) : nil
        }
        guard numbers.count == parts.count, let last = numbers.last, numbers.count <= 2 else { return nil }
        self.init(epoch: numbers.count == 2 ? numbers[0] : 0, sequence: last)
    }

    /// The text form: `epoch-sequence`, or the sequence alone where the epoch is 0.
    public var description: String { self.epoch == 0 ? "\(self.sequence)" : "\(self.epoch)-\(self.sequence)" }

    public static func < (left: EventCursor, right: EventCursor) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

/// What an event tells of.
///
/// Unknown kinds survive: a store may hold events of a newer version.
public struct EventKind: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The name as it stands in answers and in the store.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

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

    public static let campaignStarted = EventKind(rawValue: "campaign.started")
    public static let campaignPaused = EventKind(rawValue: "campaign.paused")
    public static let campaignResumed = EventKind(rawValue: "campaign.resumed")
    public static let campaignCancelled = EventKind(rawValue: "campaign.cancelled")

    /// A campaign has an outcome for each of its targets.
    public static let campaignFinished = EventKind(rawValue: "campaign.finished")

    /// A campaign's time was over before it was planned to its end.
    public static let campaignExpired = EventKind(rawValue: "campaign.expired")

    /// A campaign could not be planned.
    public static let campaignFailed = EventKind(rawValue: "campaign.failed")

    /// The first phone shows an activity.
    public static let activityStarted = EventKind(rawValue: "activity.started")

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

    /// An item of work was quarantined.
    public static let workQuarantined = EventKind(rawValue: "work.quarantined")

    /// A test of a webhook; it is sent to the receiver and never stands in the feed.
    public static let webhookTest = EventKind(rawValue: "webhook.test")

    /// A job calls a webhook; it is sent to the receiver and never stands in the feed.
    public static let jobCalled = EventKind(rawValue: "job.called")

    /// All kinds that stand in the feed of this version.
    public static let known: [EventKind] = [
        notificationAccepted, notificationSettled, deviceInvalidated, deviceSuspected, campaignScheduled,
        campaignStarted, campaignPaused, campaignResumed, campaignCancelled, campaignFinished, campaignExpired,
        campaignFailed, activityStarted, activityEnded, activityPhoneGone, activityChannelGone, credentialTroubled,
        credentialRecovered, webhookDisabled, workQuarantined,
    ]

    public var description: String { self.rawValue }

    public static func < (left: EventKind, right: EventKind) -> Bool { left.rawValue < right.rawValue }
}
