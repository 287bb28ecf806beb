// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The durable unit of sending: one payload, or one for each, for up to 10,000 targets of one app.
///
/// A batch never changes once it is accepted; how far it has come is its ``BatchLifecycle``.
public struct Batch: Hashable, Sendable {
    /// The most targets of a batch.
    public static let maximumTargets = 10_000

    /// Names the batch and, with an index, each of its notifications.
    public let id: BatchID

    /// The request that it is a part of.
    public let notification: NotificationID

    /// Its place among the batches of that request, from 0.
    public let ordinal: Int

    /// The app that it is sent for.
    public let app: AppID

    /// The queue in which it waits.
    public let lane: Lane

    /// What every request of the batch has in common.
    public let headers: NotificationHeaders

    /// What the devices receive.
    public let payload: BatchPayload

    /// Who receives it: 1...10,000, in the order of their indices.
    public let targets: TargetList

    /// When it was accepted.
    ///
    /// Kept to the millisecond, as all times here.
    public let createdAt: Date

    /// The time from which nothing more of it is sent; `nil` means never.
    ///
    /// That is the server's own patience; how long APNs keeps a notification is `headers.expiration`.
    public let expiresAt: Date?

    /// Describes a batch; ``NotificationPlan`` makes those of a request.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - notification: the request that it is a part of.
    ///   - ordinal: its place among that request's batches, from 0.
    ///   - app: the app that it is sent for.
    ///   - lane: the queue in which it waits.
    ///   - headers: what every request has in common.
    ///   - payload: what the devices receive; if each its own, as many as there are targets.
    ///   - targets: who receives it, 1...10,000.
    ///   - createdAt: when it was accepted.
    ///   - expiresAt: the time from which nothing more of it is sent, or `nil`.
    public init(
        id: BatchID,
        notification: NotificationID,
        ordinal: Int = 0,
        app: AppID,
        lane: Lane,
        headers: NotificationHeaders,
        payload: BatchPayload,
        targets: TargetList,
        createdAt: Date,
        expiresAt: Date? = nil
    ) {
        self.id = id
        self.notification = notification
        self.ordinal = ordinal
        self.app = app
        self.lane = lane
        self.headers = headers
        self.payload = payload
        self.targets = targets
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
