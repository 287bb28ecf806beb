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
        let starts = Array(stride(from: 0, to: targets.count, by: Batch.maximumTargets))
        // Ids of one millisecond are ordered by their random bits: sorted, they follow the order of the targets.
        let ids = starts.map { _ in BatchID(now: now, using: &generator) }.sorted()
        let notification = Notification(
            id: NotificationID(now: now, using: &generator),
            app: app,
            createdAt: now,
            targetCount: targets.count,
            batchCount: starts.count
        )
        self.notification = notification
        self.batches = zip(ids, starts).enumerated().map { ordinal, part in
            Batch(
                id: part.0,
                notification: notification.id,
                ordinal: ordinal,
                app: app,
                lane: lane,
                headers: headers,
                payload: payload,
                targets: Array(targets[part.1..<min(part.1 + Batch.maximumTargets, targets.count)]),
                createdAt: now,
                expiresAt: expiresAt
            )
        }
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
