// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import ServiceLifecycle

/// Removes events that are older or more than are kept, once a minute.
struct EventRetention: Service {
    private static let interval: Duration = .seconds(60)
    let store: any EventStore

    /// Older events are removed.
    let lifetime: Duration

    /// How many events of each app are kept at most.
    let maximum: Int

    let metrics: PruningMetrics
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await self.prune()
                try await self.clock.sleep(for: Self.interval)
            }
        }
    }

    private func prune() async {
        do {
            let end = self.now().addingTimeInterval(-(self.lifetime / .seconds(1)))
            let count = try await self.store.pruneEvents(before: end, keeping: self.maximum)
            self.metrics.count(.event, count)
            if count > 0 { self.logger.debug("Old events were removed", metadata: ["count": "\(count)"]) }
        } catch is CancellationError {
            // The server stops; what is left is removed after its next start.
        } catch {
            self.logger.warning("Old events could not be removed", metadata: ["error": "\(error)"])
        }
    }
}
