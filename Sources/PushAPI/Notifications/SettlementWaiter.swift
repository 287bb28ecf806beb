// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Waits until a notification is settled, but not for ever.
struct SettlementWaiter: Sendable {
    /// How far a notification has come.
    struct Standing {
        let status: NotificationStatus

        /// What it came to, where the store may not have it yet; otherwise the store has it.
        var announcement: Announcement?
    }

    /// What waiting has come to.
    enum Waited<Value: Sendable>: Sendable {
        /// Every target has its outcome, and this is what was made of it.
        case done(Value)

        /// That is not so yet, or the store could not tell; with the last that was seen of it.
        case open(NotificationStatus?)
    }

    let store: any NotificationStore
    let announcements: Announcements
    let clock: any Clock<Duration>

    /// How long a request waits at most.
    let limit: Duration

    /// How often the store is asked without having been woken, for what other processes settled.
    let recheckInterval: Duration

    /// The requests with a name that wait now.
    let named = NamedWaits()

    /// Waits, and makes something of the outcomes once they are all there.
    ///
    /// What is waited for is stored already, so that nothing is thrown: where the store fails, it is asked again until the
    /// wait is over. The wait ends early when the server is told to stop.
    ///
    /// Pass the notification as `announced` where an announcement of its outcomes is enough; `nil` waits for the store.
    /// Subscribe `wakes` to the notification before it is accepted. If `complete` throws, the next look
    /// calls it again. The log gets the first failure of each wait.
    /// - Returns: what was made; or how far the notification has come, `nil` when that could not be found out, or when it
    ///   is gone.
    func wait<Value: Sendable>(
        for id: NotificationID,
        announced: PushModel.Notification? = nil,
        wakes: ChangeHub<NotificationID>.Subscription,
        logger: Logger,
        then complete: (Standing) async throws -> Value
    ) async -> Waited<Value> {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await self.clock.sleep(for: self.recheckInterval)) != nil { wakes.wake() }
            }
            group.addTask {
                try? await self.clock.sleep(for: self.limit)
                wakes.end()
            }
            group.addTask {
                try? await gracefulShutdown()
                wakes.end()
            }
            defer { group.cancelAll() }
            var latest: NotificationStatus?
            var hasWarned = false
            var looks = wakes.wakes.makeAsyncIterator()
            while true {
                let isLast = await looks.next() == nil
                do {
                    guard let standing = try await self.standing(of: id, announced) else { return .open(latest) }
                    latest = standing.status
                    if standing.status.isDone { return .done(try await complete(standing)) }
                } catch {
                    if !hasWarned { logger.warning("The outcomes of a request cannot be read yet", error: error) }
                    hasWarned = true
                }
                if isLast { return .open(latest) }
            }
        }
    }

    private func standing(of id: NotificationID, _ announced: PushModel.Notification?) async throws -> Standing? {
        if let announced, let announcement = self.announcements.announcement(of: id) {
            return Standing(status: announcement.status(of: announced), announcement: announcement)
        }
        return try await self.store.notification(id).map { Standing(status: $0) }
    }
}
