// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushStore
import ServiceLifecycle

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
    /// - Parameters:
    ///   - concurrency: how many turns are taken at once, 1...1000.
    ///   - pollInterval: how often there is a claim without a signal.
    ///   - clock: what waiting is done by.
    ///   - changes: the signals of the store after which something may be claimable that was not before, subscribed to before
    ///     the first claim.
    ///   - claim: claims up to so many turns.
    ///   - take: takes a turn.
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

    /// Runs the loop.
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
