// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

/// Tells those who wait in this process what a notification came to while the store does not have it yet.
///
/// Whoever sends announces what it is about to settle, and whoever waits for it need not wait for the disk a second
/// time. Whoever reads what the store says of a notification can wait until that has caught up with what was announced.
public final class Announcements: Sendable {
    private struct State {
        var listeners: [NotificationID: AsyncStream<Void>.Continuation] = [:]
        var announced: [NotificationID: Announced] = [:]
    }

    private struct Announced {
        let announcement: Announcement
        var readers: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Nobody listens, and nothing is announced.
    public init() {}

    // MARK: Whoever sends

    /// Announces what a notification came to for as long as that is being stored.
    ///
    /// Nothing is announced where nobody listens, nor where the settlement is not of the whole batch.
    /// - Parameters:
    ///   - settlement: what is about to be stored.
    ///   - batch: its batch.
    ///   - store: stores it, or fails to.
    /// - Returns: what `store` returns.
    /// - Throws: what `store` throws.
    public func announcing<Value>(
        _ settlement: Settlement,
        of batch: Batch,
        while store: () async throws -> Value
    ) async rethrows -> Value {
        let listener = self.state.withLock { state in
            guard let listener = state.listeners[batch.notification],
                let announcement = Announcement(settlement, of: batch)
            else { return nil as AsyncStream<Void>.Continuation? }
            state.announced[batch.notification] = Announced(announcement: announcement)
            return listener
        }
        guard let listener else { return try await store() }
        listener.yield()
        defer { self.conclude(batch.notification) }
        return try await store()
    }

    private func conclude(_ notification: NotificationID) {
        let announced = self.state.withLock { $0.announced.removeValue(forKey: notification) }
        for reader in announced?.readers ?? [] { reader.finish() }
    }

    // MARK: Whoever waits

    /// Lets a listener know when a notification is announced.
    ///
    /// - Parameters:
    ///   - notification: one of a single batch, not accepted yet, so that no announcement can go by unheard.
    ///   - listener: gets an element then.
    public func listen(for notification: NotificationID, _ listener: AsyncStream<Void>.Continuation) {
        self.state.withLock { $0.listeners[notification] = listener }
    }

    /// Announces a notification no longer.
    public func forgetListener(for notification: NotificationID) {
        self.state.withLock { $0.listeners[notification] = nil }
    }

    /// What a notification came to, if that is being stored at the moment.
    public func announcement(of notification: NotificationID) -> Announcement? {
        self.state.withLock { $0.announced[notification]?.announcement }
    }

    // MARK: Whoever reads

    /// Ends when what was announced of a notification is stored, or cannot be.
    ///
    /// - Parameter notification: the notification.
    /// - Returns: a stream without elements; `nil` when nothing is being stored.
    public func conclusion(of notification: NotificationID) -> AsyncStream<Never>? {
        self.state.withLock { state in
            guard state.announced[notification] != nil else { return nil }
            let (stream, reader) = AsyncStream.makeStream(of: Never.self)
            state.announced[notification]?.readers.append(reader)
            return stream
        }
    }
}
