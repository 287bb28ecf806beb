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
