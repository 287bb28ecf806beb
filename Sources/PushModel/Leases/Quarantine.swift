// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A kind of work that one worker at a time does.
public enum WorkKind: String, Hashable, Sendable, CaseIterable {
    case batch
    case campaign
    case rollout
    case jobRun = "job_run"
    case webhook
    case topicDelivery = "topic_delivery"
    case endpointEvent = "endpoint_event"

    /// The transitions of a Live Activity that are due.
    case activity
}

/// An item of work that no worker can claim until an operator repeats or removes it.
public struct QuarantinedItem: Hashable, Sendable {
    /// Why it was set aside.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Three processes in a row were terminated while they had it.
        case interrupted

        /// Its row cannot be decoded.
        case unreadable
    }

    /// Identifies the entry; later entries have higher numbers.
    public let number: Int64

    public let kind: WorkKind

    /// The ID of the item, as the API and the log show it.
    public let item: String

    /// `nil` for what belongs to no app, as the deliveries of topics.
    public let app: AppID?

    public let reason: Reason

    /// Since when it is set aside; kept to the millisecond.
    public let time: Date

    public init(number: Int64, kind: WorkKind, item: String, app: AppID?, reason: Reason, time: Date) {
        self.number = number
        self.kind = kind
        self.item = item
        self.app = app
        self.reason = reason
        self.time = time
    }
}

/// Counts the claims of an item in a row that ended without settlement or release, because its worker was terminated.
///
/// A crash interrupts the items that were processed beside the faulty one too. So an item that one more crash would
/// quarantine is processed while no other such item is: then the crash that quarantines it is its own.
public struct Interruptions: Hashable, Sendable {
    /// The number of interruptions after which an item is quarantined.
    public static let maximum = 3

    public private(set) var count: Int

    /// Takes a stored count; one that is corrupt counts as one within the bounds.
    public init(_ count: Int = 0) { self.count = min(max(0, count), Self.maximum) }

    /// Whether one more interruption quarantines the item.
    public var isSuspect: Bool { self.count == Self.maximum - 1 }

    public var isTooMany: Bool { self.count >= Self.maximum }

    /// The item is claimed after its lease has expired.
    mutating func add() { self = Interruptions(self.count + 1) }

    /// The item was settled or released.
    mutating func reset() { self.count = 0 }
}
