// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Synchronization

/// A lane's state and the stream that wakes its loop.
final class LaneGate: Sendable {
    private let state: Mutex<LaneState>
    private let wake: AsyncStream<Void>.Continuation
    private let handOver: AsyncStream<ClaimedBatch>.Continuation

    /// Yields whenever a claim may make sense; ends when the gate is closed.
    let wakeups: AsyncStream<Void>

    /// The batches for which a place was kept; ends when the gate is closed and none is to come.
    let handedOver: AsyncStream<ClaimedBatch>

    /// A gate through which so many batches run at once; see ``LaneState/init(limit:)``.
    init(limit: Int) {
        self.state = Mutex(LaneState(limit: limit))
        // One wake-up that waits stands for all.
        (self.wakeups, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.handedOver, self.handOver) = AsyncStream.makeStream()
        self.wake.yield()
    }

    /// See ``LaneState/signal()``.
    func signal() {
        self.update { $0.signal() }
    }

    /// See ``LaneState/takeClaim(_:)``.
    func takeClaim(_ standings: [BatchKind: Breaker.Standing]) -> ClaimRoom? {
        self.state.withLock { $0.takeClaim(standings) }
    }

    /// See ``LaneState/admit(_:of:)``.
    func admit(_ batches: [ClaimedBatch], of room: ClaimRoom) -> [ClaimedBatch] {
        self.update { $0.admit(batches, of: room) }
    }

    /// See ``LaneState/finish(_:)``.
    func finish(_ batch: BatchID) -> Bool {
        self.update { $0.finish(batch) }
    }

    /// See ``LaneState/reserve(_:of:_:)``.
    func reserve(_ batch: Batch, _ standings: [BatchKind: Breaker.Standing]) -> Bool {
        self.state.withLock { $0.reserve(batch.id, of: batch.kind, standings) }
    }

    /// See ``LaneState/confirm(_:)``.
    func confirm(_ claimed: ClaimedBatch) {
        self.handOver.yield(claimed)
        self.update { $0.confirm(claimed.batch.id) }
    }

    /// See ``LaneState/forgo(_:)``.
    func forgo(_ batch: BatchID) {
        self.update { $0.forgo(batch) }
    }

    /// See ``LaneState/close()``.
    func close() {
        self.update { $0.close() }
        self.wake.finish()
    }

    private func update<Value: Sendable>(_ change: (inout LaneState) -> Value) -> Value {
        let (value, isClaimable, isDone) = self.state.withLock { state in
            let value = change(&state)
            return (value, state.isClaimable, state.isDone)
        }
        if isClaimable { self.wake.yield() }
        if isDone { self.handOver.finish() }
        return value
    }
}
