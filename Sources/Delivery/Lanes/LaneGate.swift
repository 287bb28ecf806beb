// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// A lane's state and the stream that wakes its loop.
final class LaneGate: Sendable {
    private let state: Mutex<LaneState>
    private let wake: AsyncStream<Void>.Continuation

    /// Yields whenever a claim may make sense; ends when the gate is closed.
    let wakeups: AsyncStream<Void>

    /// A gate through which at most `limit` batches run at once.
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

    /// See ``LaneState/takeClaim()``.
    func takeClaim() -> Int? { self.state.withLock { $0.takeClaim() } }

    /// See ``LaneState/begin(_:)``.
    func begin(_ batch: BatchID) -> Bool { self.state.withLock { $0.begin(batch) } }

    /// See ``LaneState/finish(_:)``.
    func finish(_ batch: BatchID) {
        self.update { $0.finish(batch) }
    }

    /// See ``LaneState/close()``.
    func close() {
        self.state.withLock { $0.close() }
        self.wake.finish()
    }

    private func update(_ change: (inout LaneState) -> Void) {
        let isClaimable = self.state.withLock { state in
            change(&state)
            return state.isClaimable
        }
        if isClaimable { self.wake.yield() }
    }
}
