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

        /// The outcomes that the store may not have committed yet; `nil` if the store has them.
        var announcement: Announcement?
    }

    /// The result of waiting.
    enum Waited<Value: Sendable>: Sendable {
        /// Every target has its outcome; with the result of `complete`.
        case done(Value)

        /// Some targets have no outcome, or the store failed; with the last known status.
        case open(NotificationStatus?)
    }

    /// Hears the outcomes of a notification of a single batch when they are announced, and keeps them for who waits.
    final class Listener: Sendable {
        private let announcements: UncommittedOutcomes
        private let notification: PushModel.Notification
        private let heard = Mutex<Announcement?>(nil)

        /// Listens until ``end()``; create it before the store accepts the notification.
        init(
            for notification: PushModel.Notification,
            _ announcements: UncommittedOutcomes,
            wakes: ChangeHub<NotificationID>.Subscription
        ) {
            self.announcements = announcements
            self.notification = notification
            announcements.listen(for: notification.id) {
                // Kept here, because the announcement may be over before the one who waits runs.
                let announcement = announcements.announcement(of: notification.id)
                self.heard.withLock { $0 = announcement }
                wakes.wake()
            }
        }

        func end() { self.announcements.forgetListener(for: self.notification.id) }

        fileprivate var standing: Standing? {
            self.heard.withLock(\.self).map { Standing(status: $0.status(of: self.notification), announcement: $0) }
        }
    }

    let store: any NotificationStore
    let announcements: UncommittedOutcomes
    let clock: any Clock<Duration>

    /// How long a request waits at most.
    let limit: Duration

    /// The interval of polls, for settlements of other processes.
    let recheckInterval: Duration

    /// Ends the part of a wait without its own timers.
    let grace: WaitGrace

    /// The requests with a name that wait now.
    let named = IdempotentWaitRegistry()

    /// Waits for all outcomes, and calls `complete` with them.
    ///
    /// The notification is stored already, so this does not throw: if the store fails, it retries until the wait ends.
    /// The wait ends early if the server stops.
    ///
    /// Pass a `listener` if published outcomes are sufficient; `nil` waits for the store. Subscribe `wakes` to the
    /// notification before it is accepted. If `complete` throws, the next poll calls it again. The log gets the first
    /// failure of each wait.
    /// - Returns: the result of `complete`; or the last status, `nil` if it could not be read, or the notification was
    ///   removed.
    func wait<Value: Sendable>(
        for id: NotificationID,
        listener: Listener? = nil,
        wakes: ChangeHub<NotificationID>.Subscription,
        logger: Logger,
        then complete: (Standing) async throws -> Value
    ) async -> Waited<Value> {
        var looks = wakes.wakes.makeAsyncIterator()
        var latest: NotificationStatus?
        var hasWarned = false

        /// Waits for a wake-up, and polls once; returns `nil` while the wait continues.
        func look() async -> Waited<Value>? {
            let isLast = await looks.next() == nil
            do {
                guard let standing = try await self.standing(of: id, listener) else { return .open(latest) }
                latest = standing.status
                if standing.status.isDone { return .done(try await complete(standing)) }
            } catch {
                if !hasWarned { logger.warning("Failed to read the outcomes of a request; retrying", error: error) }
                hasWarned = true
            }
            return isLast ? .open(latest) : nil
        }

        // Most outcomes come within milliseconds: until then, one timer serves all waits.
        self.grace.wakeLater(wakes)
        if let waited = await look() { return waited }
        return await withTaskGroup(of: Void.self) { group in
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
            while true {
                if let waited = await look() { return waited }
            }
        }
    }

    private func standing(of id: NotificationID, _ listener: Listener?) async throws -> Standing? {
        if let standing = listener?.standing { return standing }
        return try await self.store.notification(id).map { Standing(status: $0) }
    }
}

/// Wakes each waiting request once, 50 to 100 milliseconds after its start.
///
/// Separate timers would cost more than the rest of the wait. Requires that `run()` is active.
final class WaitGrace: Service {
    private typealias Wait = ChangeHub<NotificationID>.Subscription

    private static let interval: Duration = .milliseconds(50)

    private let signal = WorkSignal()

    /// Who waits since the last interval began; `nil` once the server has stopped.
    private let waits = Mutex<[Wait]?>([])

    func wakeLater(_ wait: ChangeHub<NotificationID>.Subscription) {
        let count = self.waits.withLock { waits in
            waits?.append(wait)
            return waits?.count
        }
        switch count {
        case nil: wait.wake()
        case 1: self.signal.wake()
        default: break
        }
    }

    func run() async throws {
        for await _ in self.signal.wakes.cancelOnGracefulShutdown() {
            var older: [Wait] = []
            repeat {
                // Where the server stops, the sleep ends at once.
                try? await cancelWhenGracefulShutdown { try await ContinuousClock().sleep(for: Self.interval) }
                for wait in older { wait.wake() }
                older = self.take(then: [])
            } while !older.isEmpty
        }
        for wait in self.take(then: nil) { wait.wake() }
    }

    private func take(then next: [Wait]?) -> [Wait] {
        self.waits.withLock { waits in
            defer { waits = next }
            return waits ?? []
        }
    }
}
