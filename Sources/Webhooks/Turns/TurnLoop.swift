// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushStore
import ServiceLifecycle
import Synchronization

/// Claims turns and takes them beside one another, so many at once, until the service is shut down or the task cancelled.
///
/// On graceful shutdown nothing is claimed any more; turns that have begun are taken to their end.
package struct TurnLoop<Turn: Sendable>: Sendable {
    private let concurrency: Int
    private let pollInterval: Duration
    private let clock: any Clock<Duration>
    private let changes: AsyncStream<StoreChange>
    private let claim: @Sendable (_ limit: Int) async -> [Turn]
    private let take: @Sendable (Turn) async -> Void

    /// Describes a loop.
    ///
    /// `concurrency` is 1...1000. `changes` are subscribed to before the first claim.
    package init(
        concurrency: Int,
        pollInterval: Duration,
        clock: any Clock<Duration>,
        changes: AsyncStream<StoreChange>,
        claim: @escaping @Sendable (_ limit: Int) async -> [Turn],
        take: @escaping @Sendable (Turn) async -> Void
    ) {
        self.concurrency = concurrency
        self.pollInterval = pollInterval
        self.clock = clock
        self.changes = changes
        self.claim = claim
        self.take = take
    }

    package func run() async {
        let slots = TurnSlots(count: self.concurrency)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await _ in self.changes { slots.signal() }
                }
            }
            group.addTask {
                try? await cancelWhenGracefulShutdown {
                    while true {
                        try await self.clock.sleep(for: self.pollInterval)
                        slots.signal()
                    }
                }
            }
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in slots.wakeups {
                    for turn in await self.claim(slots.free) {
                        slots.take()
                        group.addTask {
                            await self.take(turn)
                            slots.giveBack()
                        }
                    }
                }
            } onCancelOrGracefulShutdown: {
                slots.close()
            }
        }
    }
}

/// How many turns may still be taken at once, and what wakes the loop that claims them.
final class TurnSlots: Sendable {
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

    var free: Int { self.count.withLock { $0 } }

    /// A claim may make sense.
    func signal() {
        self.wake.yield()
    }

    func take() {
        self.count.withLock { $0 -= 1 }
    }

    func giveBack() {
        self.count.withLock { $0 += 1 }
        self.wake.yield()
    }

    /// Nothing is claimed any more.
    func close() {
        self.wake.finish()
    }
}
