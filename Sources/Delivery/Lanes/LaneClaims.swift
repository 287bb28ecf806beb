// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import Work

extension DeliveryService {
    /// Returns the loop that claims the batches of a lane and sends a limited number of them at the same time.
    func claimLoop(of lane: Lane) -> ClaimLoop<LaneGate> {
        ClaimLoop(
            kind: "\(lane) batches",
            capacity: self.gate(of: lane),
            pollInterval: self.configuration.pollInterval,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { room in
            let began = ContinuousClock.now
            let claim = try await self.store.claim(
                lane: lane,
                room: room,
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            self.metrics.claimed(claim, in: lane, took: ContinuousClock.now - began, at: self.now())
            return Claimed(claim.batches)
        } process: { claimed, _ in
            await self.send(claimed)
        }
    }

    /// Waits until the next poll of a lane, or until its next batch is due if that is earlier.
    func waitForPoll(of lane: Lane) async throws {
        var delay = self.configuration.pollInterval
        let now = self.now()
        if let next = try? await self.store.nextClaim(in: lane, after: now) {
            delay = min(delay, max(.milliseconds(1), .wait(until: next, from: now)))
        }
        try await self.clock.sleep(for: delay)
        // Both lanes share the credentials, so only one of them rechecks these.
        if lane == .urgent { await self.revisitCredentials() }
    }

    /// Sends the batches that the store handed off when this process accepted them.
    func sendHandedOver() async {
        await withDiscardingTaskGroup { group in
            for await batch in self.gate(of: .urgent).handedOver {
                self.metrics.handedOver(batch, in: .urgent, at: self.now())
                group.addTask { await self.send(batch) }
            }
        }
    }

    private func send(_ claimed: ClaimedBatch) async {
        await BatchProcessor(claimed: claimed, context: self).run()
        // Only after the release of the batch: a claim before it found the batch running, and is released here.
        if self.gate(of: claimed.batch.lane).finish(claimed.batch.id) { await self.release(claimed.batch.id) }
    }
}
