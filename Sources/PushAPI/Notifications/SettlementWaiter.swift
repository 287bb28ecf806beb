// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import ServiceLifecycle

/// Waits until a notification is settled, but not for ever.
struct SettlementWaiter: Sendable {
    let store: any PushStore
    let clock: any Clock<Duration>

    /// How long a request waits at most.
    let limit: Duration

    /// How often the store is asked without having been woken, for what other processes settled.
    let recheckInterval: Duration

    /// Waits, and answers how far the notification has come by then.
    ///
    /// Ends early when the server is told to stop.
    /// - Parameters:
    ///   - id: the notification.
    ///   - wakes: when to look; made by ``SettlementSignals/subscribe(to:)`` before the notification was accepted.
    ///   - wake: adds to `wakes`.
    /// - Returns: the status, done or not; `nil` when the notification is gone.
    /// - Throws: what the store throws.
    func wait(
        for id: NotificationID,
        wakes: AsyncStream<Void>,
        wake: AsyncStream<Void>.Continuation
    ) async throws -> NotificationStatus? {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await self.clock.sleep(for: self.recheckInterval)) != nil { wake.yield() }
            }
            group.addTask {
                try? await self.clock.sleep(for: self.limit)
                wake.finish()
            }
            group.addTask {
                try? await gracefulShutdown()
                wake.finish()
            }
            defer { group.cancelAll() }
            for await _ in wakes {
                let status = try await self.store.notification(id)
                if status?.isDone ?? true { return status }
            }
            return try await self.store.notification(id)
        }
    }
}
