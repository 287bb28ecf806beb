// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Synchronization
import Work

/// The state of a lane behind a lock: the capacity of its claim loop, and of direct handoffs.
final class LaneCoordinator: Sendable {
    private let state: Mutex<LaneState>
    private let small: LaneState.SmallLimits
    private let suspects: SlotPool
    private let standing: @Sendable (RoutingKey) -> CircuitBreaker.Standing?
    private let standings: @Sendable () -> [RoutingKey: CircuitBreaker.Standing]
    private let wake = WorkSignal()
    private let handOver: AsyncStream<[ClaimedBatch]>.Continuation

    /// The batches that were handed off and not sent directly; ends when the gate is closed and no reservation is left.
    let handedOver: AsyncStream<[ClaimedBatch]>

    init(
        limit: Int,
        small: LaneState.SmallLimits = LaneState.SmallLimits(),
        suspects: SlotPool,
        standing: @escaping @Sendable (RoutingKey) -> CircuitBreaker.Standing? = { _ in nil },
        standings: @escaping @Sendable () -> [RoutingKey: CircuitBreaker.Standing]
    ) {
        self.small = small
        self.suspects = suspects
        self.state = Mutex(LaneState(limit: limit, small: small))
        self.standing = standing
        self.standings = standings
        (self.handedOver, self.handOver) = AsyncStream.makeStream()
        self.wake.wake()
    }

    var wakes: AsyncStream<Void> { self.wake.wakes }

    func signal() { self.update { $0.signal() } }

    func nextLimits() -> ClaimLimits? {
        let standings = self.standings()
        guard var room = self.state.withLock({ $0.takeClaim(standings) }) else { return nil }
        // If both lanes claim a suspect batch at the same time, one of them waits with it.
        room.suspects = self.suspects.hasFreeSlot ? 1 : 0
        return room
    }

    func admit(_ batches: [ClaimedBatch], within room: ClaimLimits) -> [ClaimedBatch] {
        self.update { $0.admit(batches, of: room) }
    }

    /// Records that batches were released; returns those that were claimed again, which must be released.
    func finish(_ batches: [ClaimedBatch]) -> [ClaimedBatch] {
        self.update { state in batches.filter { state.finish($0.batch.id) } }
    }

    func reserve(_ batch: Batch) -> Bool {
        let (kind, targets) = (batch.kind, batch.targets.count)
        if targets <= self.small.size, kind.hasOneEnvironment, self.standing(kind) == .closed {
            return self.state.withLock { $0.reserveSmall(batch.id, of: kind, targets: targets) }
        }
        let standings = self.standings()
        return self.state.withLock { $0.reserve(batch.id, of: kind, standings) }
    }

    /// Records that batches with a reservation were stored and run; a processor is needed for the `others` of these.
    func confirm(_ batches: [ClaimedBatch], processing others: [ClaimedBatch]) {
        if !others.isEmpty { self.handOver.yield(others) }
        self.update { state in for claimed in batches { state.confirm(claimed.batch.id) } }
    }

    func forgo(_ batch: BatchID) { self.update { $0.forgo(batch) } }

    func keepLease(of batch: BatchID) { self.state.withLock { $0.keepLease(of: batch) } }

    func expectOrphans() { self.state.withLock { $0.expectOrphans() } }

    func takeOrphanSearch() -> Bool { self.state.withLock { $0.takeOrphanSearch() } }

    func isRunning(_ batch: BatchID) -> Bool { self.state.withLock { $0.isRunning(batch) } }

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

/// The capacity of the claim loop of a lane.
///
/// Claimed batches that can be sent directly need no task of the loop.
struct LaneCapacity: WorkCapacity {
    let gate: LaneCoordinator
    let context: DeliveryService

    var wakes: AsyncStream<Void> { self.gate.wakes }

    func signal() { self.gate.signal() }

    func nextLimits() -> ClaimLimits? { self.gate.nextLimits() }

    func admit(_ claimed: Claimed<ClaimedBatch>, within room: ClaimLimits) -> [(ClaimedBatch, BatchID)] {
        self.context.sendDirectly(self.gate.admit(claimed.items, within: room)).map { ($0, $0.batch.id) }
    }

    func close() { self.gate.close() }
}

/// Receives urgent batches by direct handoff from the store that accepts them, without a claim.
final class LaneHandoffConsumer: DirectHandoffConsumer {
    private let context: DeliveryService
    private let gate: LaneCoordinator

    init(context: DeliveryService) {
        self.context = context
        self.gate = context.gate(of: .urgent)
    }

    func offer(_ batch: Batch) -> ClaimedBatch? {
        guard self.gate.reserve(batch) else { return nil }
        let configuration = self.context.configuration
        let end = self.context.now().lease(of: configuration.leaseDuration)
        return ClaimedBatch(batch: batch, cursor: 0, worker: configuration.worker, leasedUntil: end)
    }

    func take(_ claimed: [ClaimedBatch]) {
        let now = self.context.now()
        // After a slow commit, the lease may expire before it is extended. Any process claims the batches then.
        let half = now.lease(of: self.context.configuration.leaseDuration / 2)
        guard claimed.allSatisfy({ $0.leasedUntil >= half }) else {
            for batch in claimed { self.forgo(batch.batch) }
            return
        }
        for batch in claimed { self.context.metrics.handedOver(batch, in: .urgent, at: now) }
        self.gate.confirm(claimed, processing: self.context.sendDirectly(claimed))
    }

    func forgo(_ batch: Batch) { self.gate.forgo(batch.id) }
}
