// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

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

    let store: any PushStore
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
    /// Create `wakes` with ``SettlementSignals`` before the notification is accepted. If `complete` throws, the next look
    /// calls it again. The log gets the first failure of each wait.
    /// - Returns: what was made; or how far the notification has come, `nil` when that could not be found out, or when it
    ///   is gone.
    func wait<Value: Sendable>(
        for id: NotificationID,
        announced: PushModel.Notification? = nil,
        wakes: AsyncStream<Void>,
        wake: AsyncStream<Void>.Continuation,
        logger: Logger,
        then complete: (Standing) async throws -> Value
    ) async -> Waited<Value> {
        await withTaskGroup(of: Void.self) { group in
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
            var latest: NotificationStatus?
            var hasWarned = false
            var looks = wakes.makeAsyncIterator()
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

/// Wakes the requests that wait for a notification to be settled, from one subscription to the store.
///
/// While `run()` is not active, nobody is woken; waiting requests then depend on their slow re-check.
final class SettlementSignals: Service {
    private struct State {
        var waiting: [NotificationID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var nextID: UInt64 = 0
    }

    private let changes: AsyncStream<StoreChange>
    private let announcements: Announcements
    private let state = Mutex(State())

    /// Subscribes to the store at once, so that nothing is missed before `run()` has begun.
    init(store: any PushStore, announcements: Announcements) {
        self.changes = store.changes { change in
            if case .notificationSettled = change { true } else { false }
        }
        self.announcements = announcements
    }

    func run() async throws {
        for await change in self.changes.cancelOnGracefulShutdown() {
            if case .notificationSettled(let id) = change {
                self.wake { $0[id].map { Array($0.values) } ?? [] }
            } else {
                // Some were missed: of any notification.
                self.wake { $0.values.flatMap(\.values) }
            }
        }
    }

    /// A subscription for one notification; whoever makes it before the notification is accepted misses nothing.
    ///
    /// With `announced`, the stream also wakes when the outcomes are announced and the store does not have them yet.
    /// - Returns: a stream with an element for each time at which to look at the notification again, and what adds further
    ///   elements or ends it. Dropping the stream ends the subscription.
    func subscribe(
        to id: NotificationID,
        announced: Bool = false
    ) -> (wakes: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation) {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = self.state.withLock { state in
            state.nextID += 1
            state.waiting[id, default: [:]][state.nextID] = wake
            return state.nextID
        }
        if announced { self.announcements.listen(for: id, wake) }
        wake.onTermination = { [weak self] _ in
            if announced { self?.announcements.forgetListener(for: id) }
            self?.forget(number, of: id)
        }
        return (wakes, wake)
    }

    private func wake(
        _ choose: ([NotificationID: [UInt64: AsyncStream<Void>.Continuation]]) -> [AsyncStream<Void>.Continuation]
    ) {
        // Yielding under the lock could end a stream, which takes the lock again: the continuations are copied.
        for waiting in self.state.withLock({ choose($0.waiting) }) { waiting.yield() }
    }

    private func forget(_ number: UInt64, of id: NotificationID) {
        self.state.withLock { state in
            state.waiting[id]?[number] = nil
            if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil }
        }
    }
}
