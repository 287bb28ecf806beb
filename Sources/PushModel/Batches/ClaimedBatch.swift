// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A batch that a worker holds the lease of.
public struct ClaimedBatch: Hashable, Sendable {
    public let batch: Batch

    /// The index of the first target to send to; those before it have their outcome or are deferred.
    public let cursor: Int

    /// The deferred targets that are due, by their indices: these are sent to as well.
    public let due: [Deferral]

    /// How often workers gave the batch back because it could not be carried out.
    public let setbacks: Int

    /// How long the batch was paused in all.
    public let held: Duration

    /// Whether one more worker that is terminated while it sends the batch quarantines it.
    public let isSuspect: Bool

    public let worker: WorkerID

    /// When the lease expires unless it is extended.
    public let leasedUntil: Date

    public init(
        batch: Batch,
        cursor: Int,
        due: [Deferral] = [],
        setbacks: Int = 0,
        held: Duration = .zero,
        isSuspect: Bool = false,
        worker: WorkerID,
        leasedUntil: Date
    ) {
        self.batch = batch
        self.cursor = cursor
        self.due = due
        self.setbacks = setbacks
        self.held = held
        self.isSuspect = isSuspect
        self.worker = worker
        self.leasedUntil = leasedUntil
    }

    /// The headers that it is sent with: APNs keeps a notification by as much longer as it was paused before.
    public var headers: NotificationHeaders {
        var headers = self.batch.headers
        if let end = headers.expiration, end != .once, self.held > .zero {
            headers.expiration = APNsExpiration(rawValue: end.rawValue.addingClamping(self.held.components.seconds))
        }
        return headers
    }

    /// Whether each target is tried only until its first response: APNs must not store the notification, and no other
    /// time limits the attempts.
    public var isTriedOnce: Bool {
        self.batch.expiresAt == nil && self.batch.headers.expiration != nil && self.keptUntil == nil
            && !self.batch.headers.isBroadcast
    }

    /// The time after which nothing more of it is sent: its expiration, which a pause does not move, or else the limit
    /// of its age; never later than APNs would store it.
    ///
    /// `maximumAge` is how long a batch without an expiration is tried. The time of a pause does not count.
    public func expiry(maximumAge: Duration) -> Date {
        let end =
            self.batch.expiresAt
            ?? self.batch.createdAt.addingTimeInterval((maximumAge + self.held) / .seconds(1))
        return min(end, self.keptUntil ?? .distantFuture)
    }

    /// Until when APNs stores it for an offline device; `nil` for a batch without such a time, or if the time had
    /// passed at its acceptance, as it always has for `0`.
    ///
    /// A broadcast has none: for a channel without message storage it must be `0`, and it is tried like all others.
    private var keptUntil: Date? {
        guard let end = self.batch.headers.expiration, !self.batch.headers.isBroadcast,
            end.rawValue > self.batch.createdAt.millisecondsSince1970 / 1000
        else { return nil }
        return Date(timeIntervalSince1970: Double(end.rawValue) + Double(self.held.components.seconds))
    }
}
