// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import ServiceLifecycle

/// Waits until a notification is settled, but not for ever.
struct SettlementWaiter: Sendable {
    /// How far a notification has come.
    struct Standing {
        let status: NotificationStatus

        /// What it came to, where the store may not have it yet; otherwise the store has it.
        var announcement: Announcement?
    }

    let store: any PushStore
    let announcements: Announcements
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
    ///   - announced: the notification, where an announcement of its outcomes is enough; `nil` waits for the store.
    ///   - wakes: when to look; made by ``SettlementSignals`` before the notification was accepted.
    ///   - wake: adds to `wakes`.
    /// - Returns: the standing, done or not; `nil` when the notification is gone.
    /// - Throws: what the store throws.
    func wait(
        for id: NotificationID,
        announced: PushModel.Notification? = nil,
        wakes: AsyncStream<Void>,
        wake: AsyncStream<Void>.Continuation
    ) async throws -> Standing? {
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
                let standing = try await self.standing(of: id, announced)
                if standing?.status.isDone ?? true { return standing }
            }
            return try await self.standing(of: id, announced)
        }
    }

    private func standing(of id: NotificationID, _ announced: PushModel.Notification?) async throws -> Standing? {
        if let announced, let announcement = self.announcements.announcement(of: id) {
            return Standing(status: announcement.status(of: announced), announcement: announcement)
        }
        return try await self.store.notification(id).map { Standing(status: $0) }
    }
}
