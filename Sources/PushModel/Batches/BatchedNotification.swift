// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A request to send, split into the batches that carry it out.
public struct BatchedNotification: Hashable, Sendable {
    public static let maximumTargets = 100_000
    public let notification: Notification

    /// Its batches of at most ``Batch/maximumTargets`` targets, in the order of the targets and of their ids.
    public let batches: [Batch]

    /// The content of one batch of a plan.
    public struct Part: Hashable, Sendable {
        public var lane: Lane
        public var headers: NotificationHeaders
        public var payload: BatchPayload

        /// Who receives it: 1...10,000.
        public var targets: TargetList

        /// The time from which nothing more of it is sent; `nil` means never.
        public var expiresAt: Date?

        public init(
            lane: Lane,
            headers: NotificationHeaders,
            payload: BatchPayload,
            targets: TargetList,
            expiresAt: Date? = nil
        ) {
            self.lane = lane
            self.headers = headers
            self.payload = payload
            self.targets = targets
            self.expiresAt = expiresAt
        }
    }

    /// Creates a request from parts, each of which becomes a batch.
    ///
    /// Headers and payloads are not changed. There is at least one part. Each has 1...10,000 targets, and the same
    /// number of payloads unless it has one for all.
    public init(
        app: AppID,
        parts: [Part],
        now: Date,
        resendOf resent: NotificationID? = nil,
        through: APNsID? = nil,
        using generator: inout some RandomNumberGenerator
    ) {
        // Ids of one millisecond are ordered by their random bits: sorted, they follow the order of the targets.
        let ids = parts.map { _ in BatchID(now: now, using: &generator) }.sorted()
        let notification = Notification(
            id: NotificationID(now: now, using: &generator),
            app: app,
            createdAt: now,
            targetCount: parts.reduce(0) { $0 + $1.targets.count },
            batchCount: parts.count,
            resendOf: resent,
            resendThrough: through
        )
        self.notification = notification
        self.batches = zip(ids, parts).enumerated().map { ordinal, element in
            let (id, part) = element
            return Batch(
                id: id,
                notification: notification.id,
                ordinal: ordinal,
                app: app,
                lane: part.lane,
                headers: part.headers,
                payload: part.payload,
                targets: part.targets,
                createdAt: now,
                expiresAt: part.expiresAt
            )
        }
    }

    /// Makes a request of parts that are divided already, with ids from the system's random numbers.
    public init(app: AppID, parts: [Part], now: Date) {
        var generator = IdentifierRandomNumbers()
        self.init(app: app, parts: parts, now: now, using: &generator)
    }

    /// Splits targets into batches: all are full but the last one.
    ///
    /// Headers and payload are taken as they are; check them first by `NotificationHeaders.validate(payloadSize:)`.
    /// A target that is given twice is sent to twice.
    /// - Throws: `InvalidValueError` for the field `targets` when there are none or too many.
    public init(
        app: AppID,
        lane: Lane,
        headers: NotificationHeaders,
        payload: APNsPayload,
        targets: [Target],
        expiresAt: Date? = nil,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws(InvalidValueError) {
        guard (1...Self.maximumTargets).contains(targets.count) else {
            throw InvalidValueError(
                field: "targets",
                rule: "1 to \(Self.maximumTargets) targets in one request",
                value: "\(targets.count)"
            )
        }
        let parts = stride(from: 0, to: targets.count, by: Batch.maximumTargets).map { start in
            Part(
                lane: lane,
                headers: headers,
                payload: .shared(payload),
                targets: TargetList(targets[start..<min(start + Batch.maximumTargets, targets.count)]),
                expiresAt: expiresAt
            )
        }
        self.init(app: app, parts: parts, now: now, using: &generator)
    }

    /// Splits targets into batches, with ids from the system's random numbers.
    ///
    /// - Throws: `InvalidValueError` for the field `targets` when there are none or too many.
    public init(
        app: AppID,
        lane: Lane,
        headers: NotificationHeaders,
        payload: APNsPayload,
        targets: [Target],
        expiresAt: Date? = nil,
        now: Date
    ) throws(InvalidValueError) {
        var generator = IdentifierRandomNumbers()
        try self.init(
            app: app,
            lane: lane,
            headers: headers,
            payload: payload,
            targets: targets,
            expiresAt: expiresAt,
            now: now,
            using: &generator
        )
    }
}

extension BatchedNotification {
    /// Plans to send a notification again to some of its targets: one batch for each of the old ones that has any.
    ///
    /// Everything that is not named here stays as it was: lane, headers, payload, the order of the targets.
    ///
    /// The indices of a batch are in ascending order. `expiration` replaces the old time; `nil` keeps it. `through` is
    /// the last of the targets if more failed than one request sends to again; `nil` when none is left.
    ///
    /// - Throws: `InvalidValueError` for the field `targets` when there are none.
    public init(
        resending notification: Notification,
        _ parts: [(batch: Batch, indices: [Int])],
        through: APNsID? = nil,
        expiration: APNsExpiration? = nil,
        expiresAt: Date? = nil,
        now: Date
    ) throws(InvalidValueError) {
        let parts = parts.compactMap { batch, indices -> Part? in
            // A damaged row of an outcome may name a target that the batch does not have.
            let indices = indices.filter { batch.targets.indices.contains($0) }
            guard !indices.isEmpty else { return nil }
            var headers = batch.headers
            if let expiration { headers.expiration = expiration }
            return Part(
                lane: batch.lane,
                headers: headers,
                payload: batch.payload.selecting(indices),
                targets: TargetList(indices.lazy.map { batch.targets[$0] }),
                expiresAt: expiresAt
            )
        }
        guard !parts.isEmpty else {
            throw InvalidValueError(field: "targets", rule: "at least one target to send to again", value: "none")
        }
        var generator = IdentifierRandomNumbers()
        self.init(
            app: notification.app,
            parts: parts,
            now: now,
            resendOf: notification.id,
            through: through,
            using: &generator
        )
    }
}
