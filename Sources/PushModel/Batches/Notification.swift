// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// One request to send, as its caller knows it; it is carried out as one batch or several.
///
/// Beside Foundation's type of that name write `PushModel.Notification`.
public struct Notification: Hashable, Sendable, Codable {
    public let id: NotificationID
    public let app: AppID

    /// When it was accepted; kept to the millisecond.
    public let createdAt: Date

    public let targetCount: Int
    public let batchCount: Int

    /// The notification whose failed targets this one is sent to again; `nil` for all others.
    public let resendOf: NotificationID?

    /// Up to which of these it is sent to, where more failed than are sent to again at once; `nil` when it is all that
    /// are left.
    public let resendThrough: APNsID?

    /// Describes a request; ``BatchedNotification`` makes one with its batches.
    public init(
        id: NotificationID,
        app: AppID,
        createdAt: Date,
        targetCount: Int,
        batchCount: Int,
        resendOf: NotificationID? = nil,
        resendThrough: APNsID? = nil
    ) {
        self.id = id
        self.app = app
        self.createdAt = createdAt
        self.targetCount = targetCount
        self.batchCount = batchCount
        self.resendOf = resendOf
        self.resendThrough = resendThrough
    }
}

extension Batch {
    /// The batch with only some of its targets, in the order of their indices; the others take no memory.
    public func selecting(_ indices: [Int]) -> Batch {
        Batch(
            id: self.id,
            notification: self.notification,
            ordinal: self.ordinal,
            app: self.app,
            lane: self.lane,
            headers: self.headers,
            payload: self.payload.selecting(indices),
            targets: TargetList(indices.lazy.map { self.targets[$0] }),
            createdAt: self.createdAt,
            expiresAt: self.expiresAt
        )
    }
}
