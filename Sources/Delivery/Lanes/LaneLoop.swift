// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle

/// Claims the batches of one lane and has them sent, a bounded number at once.
struct LaneLoop: Sendable {
    let lane: Lane
    private let context: DeliveryContext
    private let gate: LaneGate

    init(lane: Lane, context: DeliveryContext) {
        self.lane = lane
        self.context = context
        self.gate = context.gates[lane]
    }

    func hear(_ change: StoreChange) {
        if change == .batchReady(self.lane) || change == .missed { self.gate.signal() }
    }

    /// Claims until the service is shut down or the task is cancelled; returns when all that runs has ended.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.poll() }
            group.addTask { await self.sendHandedOver() }
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in self.gate.wakeups {
                    while let room = self.takeClaim() {
                        for batch in self.gate.admit(await self.claim(room), of: room) {
                            group.addTask { await self.send(batch) }
                        }
                    }
                }
            } onCancelOrGracefulShutdown: {
                self.gate.close()
            }
        }
    }

    /// Sends what was accepted in this process and leased by that.
    private func sendHandedOver() async {
        await withDiscardingTaskGroup { group in
            for await batch in self.gate.handedOver {
                self.context.metrics.handedOver(batch, in: self.lane, at: self.context.now())
                group.addTask { await self.send(batch) }
            }
        }
    }

    private func poll() async {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await self.context.clock.sleep(for: await self.pollDelay())
                // Of both lanes one is enough.
                if self.lane == .urgent { await self.context.revisitCredentials() }
                self.gate.signal()
            }
        }
    }

    /// How long to wait before the next poll: no longer than until the next batch has its turn.
    private func pollDelay() async -> Duration {
        let interval = self.context.configuration.pollInterval
        let now = self.context.now()
        guard let next = try? await self.context.store.nextClaim(in: self.lane, after: now) else { return interval }
        return min(interval, .seconds(max(0.001, next.timeIntervalSince(now))))
    }

    private func takeClaim() -> ClaimRoom? {
        self.gate.takeClaim(self.context.breakers.standings(now: self.context.now()))
    }

    private func claim(_ room: ClaimRoom) async -> [ClaimedBatch] {
        do {
            let began = ContinuousClock.now
            let claim = try await self.context.store.claim(
                lane: self.lane,
                room: room,
                worker: self.context.configuration.worker,
                leaseDuration: self.context.configuration.leaseDuration,
                now: self.context.now()
            )
            self.context.metrics.claimed(
                claim,
                in: self.lane,
                took: ContinuousClock.now - began,
                at: self.context.now()
            )
            return claim.batches
        } catch {
            // The next signal or poll tries again.
            self.context.logger.error(
                "No batches can be claimed",
                metadata: ["delivery.lane": "\(self.lane)", "error": "\(error)"]
            )
            return []
        }
    }

    private func send(_ claimed: ClaimedBatch) async {
        _ = await BatchRun(claimed: claimed, context: self.context).send()
        // After the batch is given back: a claim in between has found it running, and is given back here.
        if self.gate.finish(claimed.batch.id) { await self.context.release(claimed.batch.id) }
    }
}

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
