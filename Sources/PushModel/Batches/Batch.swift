// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// The durable unit of sending: one payload, or one for each, for up to 10,000 targets of one app.
///
/// A batch never changes once it is accepted; how far it has come is its ``BatchLifecycle``.
public struct Batch: Hashable, Sendable {
    public static let maximumTargets = 10_000

    /// Names the batch and, with an index, each of its notifications.
    public let id: BatchID

    public let notification: NotificationID

    /// Its place among the batches of that request, from 0.
    public let ordinal: Int

    public let app: AppID
    public let lane: Lane

    /// The headers of every request of the batch.
    public let headers: NotificationHeaders

    /// The payload: one for all targets, or one for each.
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

    /// Describes a batch; ``BatchedNotification`` makes those of a request.
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

/// The routing key: batches with an equal one go to the same servers with the same credentials.
///
/// So a failure affects only batches with this routing key; the others are still sent.
public struct RoutingKey: Hashable, Sendable {
    public var app: AppID

    /// The environments among its targets; at least one.
    public var environments: Set<APNsEnvironment>

    /// The type of its pushes; some need a credential of their own.
    public var pushType: PushType

    public init(app: AppID, environments: Set<APNsEnvironment>, pushType: PushType) {
        self.app = app
        self.environments = environments
        self.pushType = pushType
    }
}

extension Batch {
    public var kind: RoutingKey {
        RoutingKey(app: self.app, environments: self.targets.environments, pushType: self.headers.pushType)
    }
}

/// Which of the two queues a batch waits in; urgent work never waits behind bulk.
public enum Lane: String, Hashable, Sendable, Codable, CaseIterable {
    /// Direct sends and Live Activities: sent at once.
    case urgent

    /// Campaigns and token validations: sent with the capacity that urgent work leaves.
    case bulk
}
