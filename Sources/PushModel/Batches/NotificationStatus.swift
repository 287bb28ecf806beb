// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How far a notification has come: the sum of its batches.
public struct NotificationStatus: Hashable, Sendable {
    /// The request.
    public let notification: Notification

    /// Its batches in their order.
    public let batches: [BatchStatus]

    /// Whether batches may still be added to it, as to that of a campaign while it is planned.
    public let isOpen: Bool

    /// Takes a request and the standing of its batches, in their order.
    public init(notification: Notification, batches: [BatchStatus], isOpen: Bool = false) {
        self.notification = notification
        self.batches = batches
        self.isOpen = isOpen
    }

    /// What all targets came to so far.
    public var counts: OutcomeCounts { self.batches.reduce(OutcomeCounts()) { $0 + $1.counts } }

    /// How many targets have no outcome yet.
    public var remaining: Int { self.notification.targetCount - self.counts.total }

    /// Whether every target has its outcome.
    public var isDone: Bool { !self.isOpen && self.batches.allSatisfy { $0.lifecycle.state.isFinal } }
}
