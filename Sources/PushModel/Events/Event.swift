// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// An event of the feed.
public struct Event: Hashable, Sendable {
    public let cursor: EventCursor
    public let app: AppID
    public let time: Date
    public let kind: EventType

    /// The data of the event, an object.
    public let data: JSONValue

    public init(cursor: EventCursor, app: AppID, time: Date, kind: EventType, data: JSONValue) {
        self.cursor = cursor
        self.app = app
        self.time = time
        self.kind = kind
        self.data = data
    }

    /// The event as the API and webhooks write it: `{"app", "data", "id", "time", "type"}`.
    ///
    /// The `id` is the cursor's text; it is unique within the app.
    public var json: JSONValue {
        [
            "id": .string(self.cursor.description),
            "app": .string(self.app.rawValue),
            "time": .string(ISO8601Timestamp.text(self.time)),
            "type": .string(self.kind.rawValue),
            "data": self.data,
        ]
    }
}

/// A position in a store's event feed: that of an event, after which a reader can continue.
///
/// Its text is opaque to callers. Later events of an app have greater cursors, with gaps. A store that commits several
/// transactions at once orders its events by transaction first (`epoch`), because a sequence number can become visible
/// in another order than it is assigned. A store with one writer leaves `epoch` at 0.
public struct EventCursor: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// Orders events before their sequence numbers, 0 or more; meaningful only to the store.
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

/// The type of an event.
///
/// Unknown types are kept: a store may have events of a newer version.
public struct EventType: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The name in responses and in the store.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let rule = "an event type, such as 'device.invalidated': 1 to 64 lower-case letters, '.' and '_'"

    /// Creates a type from an external name, even an unknown one.
    ///
    /// - Throws: `InvalidValueError` for a name that no type can have.
    public init(validating text: String) throws(InvalidValueError) {
        let isValid =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }
        guard isValid else {
            throw InvalidValueError(field: "type", rule: Self.rule, value: "\(text.utf8.count) bytes of another form")
        }
        self.rawValue = text
    }

    /// All that is to be sent of a request was stored.
    public static let notificationAccepted = EventType(rawValue: "notification.accepted")

    /// Every target of a request has its outcome.
    public static let notificationCompleted = EventType(rawValue: "notification.completed")

    /// APNs reported a device's token as unregistered.
    public static let deviceInvalidated = EventType(rawValue: "device.invalidated")

    /// APNs called a device's token bad.
    public static let deviceSuspected = EventType(rawValue: "device.suspected")

    /// A campaign was created.
    public static let campaignScheduled = EventType(rawValue: "campaign.scheduled")

    public static let campaignStarted = EventType(rawValue: "campaign.started")
    public static let campaignPaused = EventType(rawValue: "campaign.paused")
    public static let campaignResumed = EventType(rawValue: "campaign.resumed")
    public static let campaignCancelled = EventType(rawValue: "campaign.cancelled")

    /// A campaign has an outcome for each of its targets.
    public static let campaignCompleted = EventType(rawValue: "campaign.completed")

    /// A campaign's time was over before it was planned to its end.
    public static let campaignExpired = EventType(rawValue: "campaign.expired")

    /// A campaign could not be planned.
    public static let campaignFailed = EventType(rawValue: "campaign.failed")

    /// The first device shows an activity.
    public static let activityStarted = EventType(rawValue: "activity.started")

    public static let activityEnded = EventType(rawValue: "activity.ended")

    /// An activity has ended for a device: nothing more is sent to it.
    public static let activityParticipantEnded = EventType(rawValue: "activity.participant_ended")

    /// APNs has deleted the channel of an activity.
    public static let activityChannelDeleted = EventType(rawValue: "activity.channel_deleted")

    /// Nothing can be sent because there is no credential that APNs accepts.
    public static let credentialFailed = EventType(rawValue: "credential.failed")

    /// The failure of ``credentialFailed`` has ended.
    public static let credentialRecovered = EventType(rawValue: "credential.recovered")

    /// A webhook failed for too long and was disabled.
    public static let webhookDisabled = EventType(rawValue: "webhook.disabled")

    /// An item of work was quarantined.
    public static let workQuarantined = EventType(rawValue: "work.quarantined")

    /// A test of a webhook; it is sent to the webhook and is not in the feed.
    public static let webhookTest = EventType(rawValue: "webhook.test")

    /// A job calls a webhook; it is sent to the webhook and is not in the feed.
    public static let jobTriggered = EventType(rawValue: "job.triggered")

    /// All types in the feed of this version.
    public static let known: [EventType] = [
        notificationAccepted, notificationCompleted, deviceInvalidated, deviceSuspected, campaignScheduled,
        campaignStarted, campaignPaused, campaignResumed, campaignCancelled, campaignCompleted, campaignExpired,
        campaignFailed, activityStarted, activityEnded, activityParticipantEnded, activityChannelDeleted,
        credentialFailed, credentialRecovered, webhookDisabled, workQuarantined,
    ]

    public var description: String { self.rawValue }

    public static func < (left: EventType, right: EventType) -> Bool { left.rawValue < right.rawValue }
}
