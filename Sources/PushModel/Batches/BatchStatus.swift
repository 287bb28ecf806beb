// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// How far one batch of a notification has come.
public struct BatchStatus: Hashable, Sendable {
    public let id: BatchID

    /// Its place among the notification's batches, from 0.
    public let ordinal: Int

    public let lifecycle: BatchLifecycle

    /// The outcomes of its targets so far; expired and cancelled ones count as failed.
    public let counts: OutcomeCounts

    public init(id: BatchID, ordinal: Int, lifecycle: BatchLifecycle, counts: OutcomeCounts) {
        self.id = id
        self.ordinal = ordinal
        self.lifecycle = lifecycle
        self.counts = counts
    }
}

/// How far a batch has come.
public enum BatchState: Hashable, Sendable {
    /// It waits for a worker.
    ///
    /// Can transition to: `leased` by a claim, `expired` when its time is over, `paused`, `cancelled`.
    case pending

    /// A worker sends it; after `until`, any worker may claim it and continues at the cursor.
    ///
    /// Can transition to: `leased` by an extension, or by another claim after `until`; `pending` or `waiting` when the
    /// worker releases it; `settled` with the last outcome; `expired`; `failed`; `paused` and `cancelled` after a stop
    /// request, when the worker releases it or its lease expires.
    case leased(worker: WorkerID, until: Date)

    /// No worker may claim it before `until`: its remaining targets are deferred.
    ///
    /// Can transition to: `leased` by a claim after `until`, `expired` after its expiration, `paused`, `cancelled`.
    case waiting(until: Date)

    /// No worker may claim it until it is resumed.
    ///
    /// Can transition to: `pending` or `waiting` when it is resumed, `cancelled`.
    case paused

    /// Every target has its outcome. Final.
    case settled

    /// It was cancelled; the remaining targets were not sent to, as far as is known. Final.
    case cancelled

    /// Its time was over; the targets that are left were not sent to. Final.
    case expired

    /// It failed for this reason, which is also the outcome of the remaining targets. Final.
    case failed(FailureCode)

    /// Whether nothing more is sent.
    public var isFinal: Bool {
        switch self {
        case .pending, .leased, .waiting, .paused: false
        case .settled, .cancelled, .expired, .failed: true
        }
    }
}

/// How many batches of one kind wait in a lane, or are being sent.
public struct OpenBatchCount: Hashable, Sendable {
    public let lane: Lane
    public let kind: RoutingKey

    /// How many batches are not final.
    public let count: Int

    /// When the oldest of them was accepted, derived from its ID.
    public let oldest: Date

    public init(lane: Lane, kind: RoutingKey, count: Int, oldest: Date) {
        self.lane = lane
        self.kind = kind
        self.count = count
        self.oldest = oldest
    }
}

/// How far a notification has come: the sum of its batches.
public struct NotificationStatus: Hashable, Sendable {
    public let notification: Notification
    public let batches: [BatchStatus]

    /// Whether batches may still be added to it, as to that of a campaign while it is planned.
    public let isOpen: Bool

    public init(notification: Notification, batches: [BatchStatus], isOpen: Bool = false) {
        self.notification = notification
        self.batches = batches
        self.isOpen = isOpen
    }

    public var counts: OutcomeCounts { self.batches.reduce(OutcomeCounts()) { $0 + $1.counts } }

    /// How many targets have no outcome yet.
    public var remaining: Int { self.notification.targetCount.subtractingClamping(self.counts.total) }

    /// Whether every target has its outcome.
    public var isDone: Bool { !self.isOpen && self.batches.allSatisfy { $0.lifecycle.state.isFinal } }
}
