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
        var listeners: [NotificationID: @Sendable () -> Void] = [:]
        var announced: [NotificationID: Announced] = [:]
    }

    private struct Announced {
        let announcement: Announcement
        var readers: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Announces what a notification came to for as long as that is being stored; see ``announce(_:of:)``.
    public func announcing<Value>(
        _ settlement: Settlement,
        of batch: Batch,
        while store: () async throws -> Value
    ) async rethrows -> Value {
        let isAnnounced = self.announce(settlement, of: batch)
        defer { if isAnnounced { self.conclude(batch.notification) } }
        return try await store()
    }

    /// Announces the outcomes of a notification before they are stored.
    ///
    /// Nothing is announced if there is no listener, or if the settlement is not of the whole batch.
    /// - Returns: whether they are announced; then ``conclude(_:)`` has to follow.
    public func announce(_ settlement: Settlement, of batch: Batch) -> Bool {
        let listener = self.state.withLock { state in
            guard let listener = state.listeners[batch.notification],
                // `nil` where others were before it, or are to come.
                let outcomes = settlement.outcomes(ofWhole: batch)
            else { return nil as (@Sendable () -> Void)? }
            let announcement = Announcement(batch: batch, outcomes: outcomes)
            state.announced[batch.notification] = Announced(announcement: announcement)
            return listener
        }
        listener?()
        return listener != nil
    }

    /// Ends an announcement, because its outcomes are stored or cannot be.
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

    /// What a notification came to, if that is being stored at the moment.
    public func announcement(of notification: NotificationID) -> Announcement? {
        self.state.withLock { $0.announced[notification]?.announcement }
    }

    /// A stream without elements that ends when the announced outcome is stored, or cannot be; `nil` without one.
    public func conclusion(of notification: NotificationID) -> AsyncStream<Never>? {
        self.state.withLock { state in
            guard state.announced[notification] != nil else { return nil }
            let (stream, reader) = AsyncStream.makeStream(of: Never.self)
            state.announced[notification]?.readers.append(reader)
            return stream
        }
    }
}

/// What a notification of one batch came to, said before the store has it.
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

    /// The targets that came to anything but `delivered`, in their order.
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
