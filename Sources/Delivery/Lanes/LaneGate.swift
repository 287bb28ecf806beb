// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Synchronization

/// A lane's state and the stream that wakes its loop.
final class LaneGate: Sendable {
    private let state: Mutex<LaneState>
    private let wake: AsyncStream<Void>.Continuation

    /// Yields whenever a claim may make sense; ends when the gate is closed.
    let wakeups: AsyncStream<Void>

    /// A gate through which so many batches run at once; see ``LaneState/init(limit:)``.
    init(limit: Int) {
        self.state = Mutex(LaneState(limit: limit))
        // One wake-up that waits stands for all.
        (self.wakeups, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
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

    /// See ``LaneState/begin(_:of:)``.
    func begin(_ batches: [ClaimedBatch], of room: ClaimRoom) -> [ClaimedBatch] {
        self.update { $0.begin(batches, of: room) }
    }

    /// See ``LaneState/finish(_:)``.
    func finish(_ batch: BatchID) -> Bool {
        self.update { $0.finish(batch) }
    }

    /// See ``LaneState/close()``.
    func close() {
        self.state.withLock { $0.close() }
        self.wake.finish()
    }

    private func update<Value: Sendable>(_ change: (inout LaneState) -> Value) -> Value {
        let (value, isClaimable) = self.state.withLock { state in
            let value = change(&state)
            return (value, state.isClaimable)
        }
        if isClaimable { self.wake.yield() }
        return value
    }
}
