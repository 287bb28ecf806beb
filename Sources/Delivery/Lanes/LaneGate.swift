// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Synchronization
import Work

/// The state of a lane behind a lock: the capacity of its claim loop, and of direct handoffs.
final class LaneGate: WorkCapacity {
    private let state: Mutex<LaneState>
    private let suspects: SlotPool
    private let standings: @Sendable () -> [BatchKind: Breaker.Standing]
    private let wake = WorkSignal()
    private let handOver: AsyncStream<ClaimedBatch>.Continuation

    /// The batches that were handed off; ends when the gate is closed and no reservation is left.
    let handedOver: AsyncStream<ClaimedBatch>

    init(limit: Int, suspects: SlotPool, standings: @escaping @Sendable () -> [BatchKind: Breaker.Standing]) {
        self.suspects = suspects
        self.state = Mutex(LaneState(limit: limit))
        self.standings = standings
        (self.handedOver, self.handOver) = AsyncStream.makeStream()
        self.wake.wake()
    }

    var wakes: AsyncStream<Void> { self.wake.wakes }

    func signal() { self.update { $0.signal() } }

    func nextLimits() -> ClaimRoom? {
        let standings = self.standings()
        guard var room = self.state.withLock({ $0.takeClaim(standings) }) else { return nil }
        // If both lanes claim a suspect batch at the same time, one of them waits with it.
        room.suspects = self.suspects.hasFreeSlot ? 1 : 0
        return room
    }

    func admit(_ claimed: Claimed<ClaimedBatch>, within room: ClaimRoom) -> [(ClaimedBatch, BatchID)] {
        self.update { $0.admit(claimed.items, of: room) }.map { ($0, $0.batch.id) }
    }

    func finish(_ batch: BatchID) -> Bool { self.update { $0.finish(batch) } }

    func reserve(_ batch: Batch) -> Bool {
        let standings = self.standings()
        return self.state.withLock { $0.reserve(batch.id, of: batch.kind, standings) }
    }

    func confirm(_ claimed: ClaimedBatch) {
        self.handOver.yield(claimed)
        self.update { $0.confirm(claimed.batch.id) }
    }

    func forgo(_ batch: BatchID) { self.update { $0.forgo(batch) } }

    func close() {
        self.update { $0.close() }
        self.wake.finish()
    }

    private func update<Value: Sendable>(_ change: (inout LaneState) -> Value) -> Value {
        let (value, isClaimable, isDone) = self.state.withLock { state in
            let value = change(&state)
            return (value, state.isClaimable, state.isDone)
        }
        if isClaimable { self.wake.wake() }
        if isDone { self.handOver.finish() }
        return value
    }
}

/// Receives urgent batches by direct handoff from the store that accepts them, without a claim.
final class LaneTaker: BatchTaker {
    private let context: DeliveryService
    private let gate: LaneGate

    init(context: DeliveryService) {
        self.context = context
        self.gate = context.gate(of: .urgent)
    }

    func offer(_ batch: Batch, now: Date) -> Bool { self.gate.reserve(batch) }

    func lease(_ batch: Batch) -> ClaimedBatch {
        let configuration = self.context.configuration
        let end = self.context.now().lease(of: configuration.leaseDuration)
        return ClaimedBatch(batch: batch, cursor: 0, worker: configuration.worker, leasedUntil: end)
    }

    func take(_ claimed: ClaimedBatch) { self.gate.confirm(claimed) }

    func forgo(_ batch: Batch) { self.gate.forgo(batch.id) }
}
