// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

extension PushModel.Notification {
    /// Makes sure that batches are those of the notification, and of a size that a store takes.
    ///
    /// - Throws: ``StoreError`` `.invalid`.
    package func check(_ batches: [Batch]) throws {
        let isWhole =
            batches.count == self.batchCount
            && batches.reduce(0) { $0 + $1.targets.count } == self.targetCount
            && batches.allSatisfy { $0.notification == self.id && $0.app == self.app }
        guard isWhole else {
            throw StoreError(
                code: .invalid,
                message: "The batches are not those of notification \(self.id). Make both with one plan."
            )
        }
        let areFull = batches.allSatisfy { batch in
            (1...Batch.maximumTargets).contains(batch.targets.count) && batch.payload.fits(targets: batch.targets.count)
        }
        guard areFull, !batches.isEmpty else {
            throw StoreError(
                code: .invalid,
                message: "A batch of notification \(self.id) has no or more than \(Batch.maximumTargets) "
                    + "targets, or not a payload for each. Split it with a plan."
            )
        }
    }
}
