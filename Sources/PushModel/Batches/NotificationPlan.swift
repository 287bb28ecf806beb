// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request to send, split into the batches that carry it out.
public struct NotificationPlan: Hashable, Sendable {
    /// The most targets of one request.
    public static let maximumTargets = 100_000

    /// The request.
    public let notification: Notification

    /// Its batches of at most ``Batch/maximumTargets`` targets, in the order of the targets and of their ids.
    public let batches: [Batch]

    /// What one batch of a plan is to hold.
    public struct Part: Hashable, Sendable {
        /// The queue in which it waits.
        public var lane: Lane

        /// What every request to APNs has in common.
        public var headers: NotificationHeaders

        /// What the devices receive.
        public var payload: BatchPayload

        /// Who receives it: 1...10,000.
        public var targets: TargetList

        /// The time from which nothing more of it is sent; `nil` means never.
        public var expiresAt: Date?

        /// Takes what a batch is to hold.
        ///
        /// - Parameters:
        ///   - lane: the queue in which it waits.
        ///   - headers: what every request to APNs has in common.
        ///   - payload: what the devices receive.
        ///   - targets: who receives it, 1...10,000.
        ///   - expiresAt: the time from which nothing more of it is sent, or `nil`.
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

    /// Makes a request of parts that are divided already, each of which becomes a batch.
    ///
    /// Headers and payloads are taken as they are.
    /// - Parameters:
    ///   - app: the app that it is sent for.
    ///   - parts: what the batches hold, in their order; at least one, each with 1...10,000 targets and, if each target
    ///     has its own, as many payloads.
    ///   - now: when the request is accepted.
    ///   - resent: the notification whose failed targets this one is sent to again; `nil` when it is none of that kind.
    ///   - through: up to which of these, where more failed; `nil` when it is all that are left.
    ///   - generator: where the random bits of the ids come from.
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
    ///
    /// See ``init(app:parts:now:using:)``.
    public init(app: AppID, parts: [Part], now: Date) {
        var generator = SystemRandomNumberGenerator()
        self.init(app: app, parts: parts, now: now, using: &generator)
    }

    /// Splits targets into batches: all are full but the last one.
    ///
    /// Headers and payload are taken as they are; check them first by `NotificationHeaders.validate(payloadSize:)`.
    /// A target that is given twice is sent to twice.
    /// - Parameters:
    ///   - app: the app that it is sent for.
    ///   - lane: the queue in which the batches wait.
    ///   - headers: what every request to APNs has in common.
    ///   - payload: what every device receives.
    ///   - targets: who receives it, 1...100,000.
    ///   - expiresAt: the time from which nothing more is sent, or `nil`.
    ///   - now: when the request is accepted.
    ///   - generator: where the random bits of the ids come from.
    /// - Throws: `ValidationFailure` for the field `targets` when there are none or too many.
    public init(
        app: AppID,
        lane: Lane,
        headers: NotificationHeaders,
        payload: APNsPayload,
        targets: [Target],
        expiresAt: Date? = nil,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) throws(ValidationFailure) {
        guard (1...Self.maximumTargets).contains(targets.count) else {
            throw ValidationFailure(
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
    /// - Parameters:
    ///   - app: the app that it is sent for.
    ///   - lane: the queue in which the batches wait.
    ///   - headers: what every request to APNs has in common.
    ///   - payload: what every device receives.
    ///   - targets: who receives it, 1...100,000.
    ///   - expiresAt: the time from which nothing more is sent, or `nil`.
    ///   - now: when the request is accepted.
    /// - Throws: `ValidationFailure` for the field `targets` when there are none or too many.
    public init(
        app: AppID,
        lane: Lane,
        headers: NotificationHeaders,
        payload: APNsPayload,
        targets: [Target],
        expiresAt: Date? = nil,
        now: Date
    ) throws(ValidationFailure) {
        var generator = SystemRandomNumberGenerator()
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
