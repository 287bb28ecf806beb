// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// What a notification of one batch came to, said before the store has it.
public struct Announcement: Sendable {
    /// The batch.
    public let batch: Batch

    /// What all of its targets came to.
    public let outcomes: BatchOutcomes

    /// What a settlement says of a batch; `nil` where others were before it, or are to come.
    init?(_ settlement: Settlement, of batch: Batch) {
        guard let outcomes = settlement.outcomes(ofWhole: batch) else { return nil }
        self.batch = batch
        self.outcomes = outcomes
    }

    /// How far the notification is with that.
    public func status(of notification: Notification) -> NotificationStatus {
        let batch = BatchStatus(
            id: self.batch.id,
            ordinal: self.batch.ordinal,
            lifecycle: self.outcomes.lifecycle,
            counts: self.outcomes.counts
        )
        return NotificationStatus(notification: notification, batches: [batch])
    }

    /// The targets that came to anything but `delivered`, in their order.
    public var failures: [TargetOutcome] {
        self.outcomes.failures.sorted { $0.key < $1.key }.map { index, outcome in
            TargetOutcome(
                apnsID: self.batch.id.apnsID(at: index),
                notification: self.batch.notification,
                target: self.batch.targets[index],
                outcome: outcome
            )
        }
    }
}
