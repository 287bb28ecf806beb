// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

extension NotificationPlan {
    /// Whether a caller who waits is told every outcome, in one piece.
    var isSmall: Bool { self.batches.count == 1 && self.batches[0].targets.count <= PageRequest.limits.upperBound }

    /// Where the plan stands before anyone has claimed a batch of it.
    var status: NotificationStatus {
        let batches = self.batches.map { batch in
            BatchStatus(
                id: batch.id,
                ordinal: batch.ordinal,
                lifecycle: BatchLifecycle(targetCount: batch.targets.count, expiresAt: batch.expiresAt),
                counts: OutcomeCounts()
            )
        }
        return NotificationStatus(notification: self.notification, batches: batches)
    }

    /// What became of every target, in the order of the targets.
    ///
    /// - Parameters:
    ///   - status: the standing of the plan's notification.
    ///   - failures: all of its failures; what is not among them and was settled was delivered.
    ///   - recipients: the targets, as the caller knows them.
    /// - Returns: one outcome for each target.
    func outcomes(
        _ status: NotificationStatus,
        failures: [TargetOutcome],
        recipients: Recipients
    ) -> [OutcomeBody] {
        let failures = Dictionary(failures.map { ($0.apnsID, $0.outcome) }) { first, _ in first }
        let lifecycles = Dictionary(uniqueKeysWithValues: status.batches.map { ($0.id, $0.lifecycle) })
        return recipients.elements.enumerated().map { index, recipient in
            let batch = self.batches[index / Batch.maximumTargets].id
            let place = index % Batch.maximumTargets
            let id = batch.apnsID(at: place)
            var outcome = failures[id] ?? nil
            if outcome == nil, let lifecycle = lifecycles[batch] {
                outcome = lifecycle.isSettled(place) ? .delivered : lifecycle.remainder.map(Outcome.failed)
            }
            return OutcomeBody(index: index, apnsID: id, recipient: recipient, outcome: outcome)
        }
    }
}
