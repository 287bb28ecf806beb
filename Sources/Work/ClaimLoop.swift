// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import PushStore
import ServiceLifecycle
import Synchronization

/// Claims items of one kind and processes them concurrently, until the group shuts down or the task is cancelled.
///
/// It claims when the store signals a change, at each poll, when an item ends, and at the next due time. On graceful
/// shutdown it claims nothing more, and returns when all items have ended.
package struct ClaimLoop<Capacity: WorkCapacity>: Sendable {
    /// The wait before another claim if an item is due and another worker holds it.
    private static var retryDelay: Duration { .milliseconds(10) }

    private let kind: String
    private let capacity: Capacity
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let logger: Logger

    /// The longest wait for a due time; the poll finds later ones.
    private let pollInterval: Duration

    /// The pause after a claim that found nothing; wake-ups during it count as one.
    private let pause: Duration
    private let executor: (any TaskExecutor)?
    private let claim: @Sendable (Capacity.Limits) async throws -> Claimed<Capacity.Item>
    private let process: @Sendable (Capacity.Item, Capacity.Slot) async -> Void

    /// `kind` is the name of the items in the log: `campaigns`; without an `executor`, the default one runs them.
    ///
    /// A `pause` after a claim that found nothing is for loops with many signals, most of which find nothing. `process`
    /// must end the slot. An error of `claim` is logged; the next wake-up claims again.
    package init(
        kind: String,
        capacity: Capacity,
        pollInterval: Duration,
        pause: Duration = .zero,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        executor: (any TaskExecutor)? = nil,
        logger: Logger,
        claim: @escaping @Sendable (Capacity.Limits) async throws -> Claimed<Capacity.Item>,
        process: @escaping @Sendable (Capacity.Item, Capacity.Slot) async -> Void
    ) {
        self.kind = kind
        self.capacity = capacity
        self.pollInterval = pollInterval
        self.pause = pause
        self.clock = clock
        self.now = now
        self.executor = executor
        self.logger = logger
        self.claim = claim
        self.process = process
    }

    /// Claims and processes until shutdown.
    ///
    /// Subscribe to `changes` before the call, so that none is missed before the first claim. `waitForPoll` replaces
    /// the poll interval. `onStop` is called when nothing more is claimed, so that idle items can end.
    package func run(
        on changes: AsyncStream<StoreChange>? = nil,
        waitForPoll: (@Sendable () async throws -> Void)? = nil,
        onStop: @escaping @Sendable () -> Void = {}
    ) async {
        let alarms = Alarms()
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    if let changes { for await _ in changes { self.capacity.signal() } }
                }
            }
            group.addTask {
                try? await cancelWhenGracefulShutdown {
                    while true {
                        if let waitForPoll {
                            try await waitForPoll()
                        } else {
                            try await self.clock.sleep(for: self.pollInterval)
                        }
                        self.capacity.signal()
                    }
                }
            }
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in self.capacity.wakes {
                    while let limits = self.capacity.nextLimits() {
                        let claimed = await self.claimed(limits)
                        for (item, slot) in self.capacity.admit(claimed, within: limits) {
                            group.addTask(executorPreference: self.executor) { await self.process(item, slot) }
                        }
                        if claimed.items.isEmpty, !claimed.hasMore, self.pause > .zero {
                            try? await cancelWhenGracefulShutdown { try await self.clock.sleep(for: self.pause) }
                        }
                        guard let next = claimed.nextDue, !claimed.hasMore else { continue }
                        let wait = Duration.wait(until: next, from: self.now())
                        guard wait < self.pollInterval, alarms.set(to: next) else { continue }
                        group.addTask {
                            try? await cancelWhenGracefulShutdown {
                                try await self.clock.sleep(for: wait > .zero ? wait : Self.retryDelay)
                            }
                            // A changed clock can make it early, so the same time can be set again.
                            alarms.ring(next)
                            self.capacity.signal()
                        }
                    }
                }
            } onCancelOrGracefulShutdown: {
                self.capacity.close()
                onStop()
            }
        }
    }

    private func claimed(_ limits: Capacity.Limits) async -> Claimed<Capacity.Item> {
        do {
            return try await self.claim(limits)
        } catch {
            if !(error is CancellationError) {
                self.logger.error("Failed to claim \(self.kind)", metadata: ["error": "\(error)"])
            }
            return Claimed([])
        }
    }
}

package struct Claimed<Item: Sendable>: Sendable {
    package var items: [Item]

    /// Whether more may be claimable now.
    package var hasMore: Bool

    /// The time from which there is something to claim, as far as it is known.
    package var nextDue: Date?

    package init(_ items: [Item], hasMore: Bool = false, nextDue: Date? = nil) {
        self.items = items
        self.hasMore = hasMore
        self.nextDue = nextDue
    }
}

/// Decides how many items of one kind are claimed and processed at the same time.
package protocol WorkCapacity: Sendable {
    associatedtype Item: Sendable
    associatedtype Limits: Sendable
    associatedtype Slot: Sendable

    /// Yields when a claim may make sense; ends after ``close()``.
    var wakes: AsyncStream<Void> { get }

    /// Something may be claimable.
    func signal()

    /// The limits of the next claim; `nil` if nothing is known to wait or no item may start.
    func nextLimits() -> Limits?

    /// Gives claimed items their slots. Items that are left out are processed here already.
    func admit(_ claimed: Claimed<Item>, within limits: Limits) -> [(Item, Slot)]

    /// Nothing more is claimed.
    func close()
}

/// The due times that a loop has timers for.
private final class Alarms: Sendable {
    private let times = Mutex<Set<Date>>([])

    /// Returns whether a timer is needed: not if an earlier one is set.
    func set(to time: Date) -> Bool {
        self.times.withLock { times in
            if let first = times.min(), first <= time { return false }
            times.insert(time)
            return true
        }
    }

    /// Removes a timer that fired.
    ///
    /// A changed clock can make it early, so the same time can be set again.
    func ring(_ time: Date) { self.times.withLock { _ = $0.remove(time) } }
}

extension Duration {
    /// The time until an instant from the store; negative if it has passed.
    ///
    /// A corrupt time can have any value, and `seconds(_:)` traps on values that no duration holds. So the result is at
    /// most 31 years in either direction.
    package static func wait(until time: Date, from now: Date) -> Duration {
        .seconds(min(1e9, max(-1e9, time.timeIntervalSince(now))))
    }
}
