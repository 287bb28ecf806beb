// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A kind of work that one worker at a time processes.
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
    /// Why it was quarantined.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Three consecutive claims ended without settlement or release: the worker was terminated, or the lease of a
        /// batch expired.
        case interrupted

        /// Its row cannot be decoded.
        case unreadable
    }

    /// Identifies the entry; later entries have higher numbers.
    public let number: Int64

    public let kind: WorkKind

    /// The ID of the item, as the API and the log show it.
    public let item: String

    /// The app of the item; `nil` if it belongs to no app, such as the delivery of a topic.
    public let app: AppID?

    public let reason: Reason

    /// When it was quarantined, to the millisecond.
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

/// Counts consecutive claims of an item that ended without settlement or release.
///
/// Such a claim ends because its worker was terminated, or because the lease of a batch expired. A crash also
/// interrupts the other items of the process. So an item that one more crash would quarantine is processed while no
/// other such item is: then the crash that quarantines it is its own.
public struct Interruptions: Hashable, Sendable {
    /// The number of interruptions after which an item is quarantined.
    public static let maximum = 3

    public private(set) var count: Int

    /// Restores a stored count; a corrupt one is limited to the valid range.
    public init(_ count: Int = 0) { self.count = min(max(0, count), Self.maximum) }

    /// Whether one more interruption quarantines the item.
    public var isSuspect: Bool { self.count == Self.maximum - 1 }

    public var isTooMany: Bool { self.count >= Self.maximum }

    /// The item is claimed after its lease has expired.
    mutating func add() { self = Interruptions(self.count + 1) }

    /// The item was settled or released.
    mutating func reset() { self.count = 0 }
}
