// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes urgent batches over from a store that accepts them in the same process: they need no claim.
final class LaneTaker: BatchTaker {
    private let context: DeliveryContext
    private let gate: LaneGate

    init(context: DeliveryContext) {
        self.context = context
        self.gate = context.gates[.urgent]
    }

    func offer(_ batch: Batch, now: Date) -> Bool {
        self.gate.reserve(batch, self.context.breakers.standings(now: now))
    }

    func lease(_ batch: Batch) -> ClaimedBatch {
        let configuration = self.context.configuration
        return ClaimedBatch(
            batch: batch,
            cursor: 0,
            worker: configuration.worker,
            leasedUntil: self.context.now().lease(of: configuration.leaseDuration)
        )
    }

    func take(_ claimed: ClaimedBatch) {
        self.gate.confirm(claimed)
    }

    func forgo(_ batch: Batch) {
        self.gate.forgo(batch.id)
    }
}
