// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// How many runs may still go on at once, and what wakes the loop that claims them.
final class RunSlots: Sendable {
    private let count: Mutex<Int>
    private let wake: AsyncStream<Void>.Continuation

    /// Yields whenever a claim may make sense; ends when the slots are closed.
    let wakeups: AsyncStream<Void>

    /// Slots that are all free, and a claim that may make sense.
    init(count: Int) {
        self.count = Mutex(min(max(1, count), 1000))
        // One wake-up that waits stands for all.
        (self.wakeups, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake.yield()
    }

    /// How many are free.
    var free: Int { self.count.withLock { $0 } }

    /// A claim may make sense.
    func signal() { self.wake.yield() }

    /// Uses a slot.
    func take() { self.count.withLock { $0 -= 1 } }

    /// Frees a slot; others may have waited for it.
    func giveBack() {
        self.count.withLock { $0 += 1 }
        self.wake.yield()
    }

    /// Nothing is claimed any more.
    func close() { self.wake.finish() }
}
