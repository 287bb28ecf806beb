// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import ServiceLifecycle

/// Removes notifications and campaigns that were settled long ago, activities that have been over for as long, and old chunks
/// of streams, once an hour.
struct NotificationRetention: Service {
    static let interval: Duration = .seconds(3600)

    /// About how many rows are removed by one transaction, which others may have to wait for.
    static let rowsAtOnce = 1000

    /// How much longer than it removes it leaves the store to others.
    private static let rest = 4

    let store: any PushStore

    /// What was settled longer ago is removed.
    let lifetime: Duration

    let metrics: PruningMetrics
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                // Not at once: whoever has just started a server with another setting, or another clock, can still stop it.
                try await self.clock.sleep(for: Self.interval)
                await self.prune()
            }
        }
    }

    private func prune() async {
        do {
            let end = self.now().addingTimeInterval(-(self.lifetime / .seconds(1)))
            // First, since they name the notifications that their lines became.
            self.metrics.count(.chunk, try await self.store.pruneChunks(before: end))
            let count = try await self.pruneNotifications(before: end)
            if count > 0 { self.logger.info("Old notifications were removed", metadata: ["count": "\(count)"]) }
            try await self.pruneActivities(before: end)
        } catch is CancellationError {
            // The server stops; what is left is removed after its next start.
        } catch {
            self.logger.warning("Old notifications could not be removed", metadata: ["error": "\(error)"])
        }
    }

    private func pruneNotifications(before end: Date) async throws -> Int {
        var count = 0
        var pruned = PrunedNotifications(hasMore: true)
        while pruned.hasMore {
            let duration = try await self.clock.measure {
                pruned = try await self.store.pruneNotifications(settledBefore: end, limit: Self.rowsAtOnce)
            }
            self.metrics.count(.notification, pruned.notifications)
            self.metrics.count(.batch, pruned.batches)
            count += pruned.notifications
            try Task.checkCancellation()
            if pruned.hasMore, duration > .zero { try await self.clock.sleep(for: duration * Self.rest) }
        }
        return count
    }

    private func pruneActivities(before end: Date) async throws {
        var pruned = PrunedActivities(hasMore: true)
        while pruned.hasMore {
            let duration = try await self.clock.measure {
                pruned = try await self.store.removeActivities(overBefore: end, limit: Self.rowsAtOnce)
            }
            self.metrics.count(.activity, pruned.activities)
            try Task.checkCancellation()
            if pruned.hasMore, duration > .zero { try await self.clock.sleep(for: duration * Self.rest) }
        }
    }
}
