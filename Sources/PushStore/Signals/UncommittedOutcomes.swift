// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

/// The outcomes that the sender in this process knows, and that the store has not committed yet.
///
/// The sender publishes outcomes before it commits them, so a waiting request does not wait for a second disk flush. A
/// reader of the store can wait until the published outcomes of a notification are committed.
public final class UncommittedOutcomes: Sendable {
    private struct State {
        var listeners: [NotificationID: @Sendable () -> Void] = [:]
        var announced: [NotificationID: Announced] = [:]
    }

    private struct Announced {
        let announcement: Announcement
        var readers: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Publishes the outcomes of a notification while `store` commits them; see ``announce(_:of:)``.
    public func announcing<Value>(
        _ settlement: Settlement,
        of batch: Batch,
        while store: () async throws -> Value
    ) async rethrows -> Value {
        let isAnnounced = self.announce(settlement, of: batch)
        defer { if isAnnounced { self.conclude(batch.notification) } }
        return try await store()
    }

    /// Publishes the outcomes of a notification before they are committed.
    ///
    /// Publishes nothing if there is no listener, or if the settlement is not of the whole batch.
    /// - Returns: whether it published them; then the caller must call ``conclude(_:)``.
    public func announce(_ settlement: Settlement, of batch: Batch) -> Bool {
        let listener = self.state.withLock { state in
            guard let listener = state.listeners[batch.notification],
                // `nil` if other settlements of the batch came before, or will follow.
                let outcomes = settlement.outcomes(ofWhole: batch)
            else { return nil as (@Sendable () -> Void)? }
            let announcement = Announcement(batch: batch, outcomes: outcomes)
            state.announced[batch.notification] = Announced(announcement: announcement)
            return listener
        }
        listener?()
        return listener != nil
    }

    /// Removes the published outcomes, because they are committed, or the commit failed.
    public func conclude(_ notification: NotificationID) {
        let announced = self.state.withLock { $0.announced.removeValue(forKey: notification) }
        for reader in announced?.readers ?? [] { reader.finish() }
    }

    /// Registers a listener for a notification of a single batch; call it before the store accepts it.
    public func listen(for notification: NotificationID, _ listener: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.listeners[notification] = listener }
    }

    public func forgetListener(for notification: NotificationID) {
        self.state.withLock { $0.listeners[notification] = nil }
    }

    /// Returns the outcomes of a notification while they are being committed; otherwise `nil`.
    public func announcement(of notification: NotificationID) -> Announcement? {
        self.state.withLock { $0.announced[notification]?.announcement }
    }

    /// Returns a stream that ends when the published outcomes are committed or the commit failed; `nil` if there are
    /// none.
    public func conclusion(of notification: NotificationID) -> AsyncStream<Never>? {
        self.state.withLock { state in
            guard state.announced[notification] != nil else { return nil }
            let (stream, reader) = AsyncStream.makeStream(of: Never.self)
            state.announced[notification]?.readers.append(reader)
            return stream
        }
    }
}

/// The outcomes of a notification of one batch, before the store has committed them.
public struct Announcement: Sendable {
    public let batch: Batch
    public let outcomes: BatchOutcomes

    public func status(of notification: PushModel.Notification) -> NotificationStatus {
        let batch = BatchStatus(
            id: self.batch.id,
            ordinal: self.batch.ordinal,
            lifecycle: self.outcomes.lifecycle,
            counts: self.outcomes.counts
        )
        return NotificationStatus(notification: notification, batches: [batch])
    }

    /// The targets with another outcome than `delivered`, in their order.
    public var failures: [TargetOutcome] {
        self.outcomes.failures.sorted { $0.key < $1.key }.map { index, outcome in
            TargetOutcome(
                apnsID: self.batch.id.apnsID(at: index),
                notification: self.batch.notification,
                target: self.batch.targets[index],
                outcome: outcome
            )
        }
    }
}
